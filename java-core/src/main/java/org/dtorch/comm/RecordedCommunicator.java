package org.dtorch.comm;

import org.dtorch.backend.Operand;
import org.dtorch.placement.ReduceOp;

/** A communicator that notes each call of another in a {@link CommunicationRecord}, once it has succeeded. */
public final class RecordedCommunicator implements Communicator {
    private final Communicator inner;
    private final CommunicationRecord record = new CommunicationRecord();

    public RecordedCommunicator(Communicator inner) {
        this.inner = inner;
    }

    public CommunicationRecord record() {
        return record;
    }

    @Override
    public void allGather(Group group, int dim, Operand[] in, Operand[] out) {
        inner.allGather(group, dim, in, out);
        long[] received = new long[group.size()];
        for (int r = 0; r < received.length; r++) {
            received[r] = out[r] == null ? 0 : bytes(out[r]) - bytes(in[r]);
        }
        record.add(Collective.ALL_GATHER, group, received);
    }

    @Override
    public void reduceScatter(Group group, int dim, ReduceOp op, Operand[] in, Operand[] out) {
        inner.reduceScatter(group, dim, op, in, out);
        long[] received = new long[group.size()];
        for (int r = 0; r < received.length; r++) {
            received[r] = out[r] == null ? 0 : bytes(out[r]) * (group.size() - 1);
        }
        record.add(Collective.REDUCE_SCATTER, group, received);
    }

    @Override
    public void allReduce(Group group, ReduceOp op, Operand[] in, Operand[] out) {
        inner.allReduce(group, op, in, out);
        long[] received = new long[group.size()];
        for (int r = 0; r < received.length; r++) {
            received[r] = out[r] == null ? 0 : bytes(out[r]) * 2 * (group.size() - 1) / group.size();
        }
        record.add(Collective.ALL_REDUCE, group, received);
    }

    @Override
    public void allToAll(Group group, int fromDim, int toDim, Operand[] in, Operand[] out) {
        inner.allToAll(group, fromDim, toDim, in, out);
        long[] received = new long[group.size()];
        for (int r = 0; r < received.length; r++) {
            if (out[r] != null) {
                long kept = bytes(HostMath.slice(in[r], toDim, 0, out[r].sizes()[toDim]));
                received[r] = bytes(out[r]) - kept;
            }
        }
        record.add(Collective.ALL_TO_ALL, group, received);
    }

    @Override
    public void broadcast(Group group, int root, Operand[] in, Operand[] out) {
        inner.broadcast(group, root, in, out);
        long[] received = new long[group.size()];
        for (int r = 0; r < received.length; r++) {
            received[r] = out[r] == null || r == root ? 0 : bytes(out[r]);
        }
        record.add(Collective.BROADCAST, group, received);
    }

    @Override
    public void move(Group group, Move[] moves) {
        inner.move(group, moves);
        long[] received = new long[group.size()];
        for (Move move : moves) {
            if (move.to() != null && move.fromMember() != move.toMember()) {
                received[move.toMember()] += bytes(move.to());
            }
        }
        record.add(Collective.MOVE, group, received);
    }

    private static long bytes(Operand operand) {
        return operand.numel() * operand.dtype().bytes();
    }
}
