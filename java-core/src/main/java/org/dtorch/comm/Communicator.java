package org.dtorch.comm;

import org.dtorch.backend.Operand;
import org.dtorch.placement.ReduceOp;

/**
 * Collectives over one group of devices.
 *
 * <p>Arrays have one entry per member of the group, in group order; an entry is null where the member's device belongs to
 * another process. Members whose devices share one memory may be given the very same output operand: it is then filled
 * once. The call returns when the outputs that belong to this process are complete. Each call is
 * recorded with the bytes that would move if every device had its own memory.
 */
public interface Communicator {
    /** {@code out[r]} = all inputs joined along {@code dim} in group order; input sizes may differ along {@code dim}. */
    void allGather(Group group, int dim, Operand[] in, Operand[] out);

    /** {@code out[r]} = the part of the reduced inputs along {@code dim} that member r holds; the outputs' sizes say which. */
    void reduceScatter(Group group, int dim, ReduceOp op, Operand[] in, Operand[] out);

    /** {@code out[r]} = all inputs reduced. */
    void allReduce(Group group, ReduceOp op, Operand[] in, Operand[] out);

    /** From pieces along {@code fromDim} to pieces along {@code toDim}. */
    void allToAll(Group group, int fromDim, int toDim, Operand[] in, Operand[] out);

    /** Every output gets the input of member {@code root}; other inputs may be null. */
    void broadcast(Group group, int root, Operand[] in, Operand[] out);

    /**
     * Point-to-point blocks: block i goes from {@code from[i]} to {@code to[i]}, of equal sizes and dtype, within one
     * process or between two.
     */
    void move(Group group, Move[] moves);

    /** One block on its way: an operand of the source (null if not ours) and of the destination (null if not ours). */
    record Move(int fromMember, int toMember, Operand from, Operand to) {}
}
