package org.dtorch.dispatch;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Operand;
import org.dtorch.op.OpKind;
import org.dtorch.op.TensorMeta;
import org.dtorch.placement.Layout;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;

/**
 * Everything about a call that does not change from one to the next with the same key.
 *
 * @param inputs the layout that each tensor input must have, null where absent or as it is
 * @param metas shapes and dtypes of the outputs
 * @param outputs layouts of the outputs
 * @param kernel null for views
 * @param owners for each position of the mesh the position that computes for it: itself, or the first replica
 * @param sharers for each position that computes, the devices that hold what it computes
 * @param localSizes by output, then by position that computes: the local sizes
 * @param moves whether some input must be redistributed
 * @param costs nanoseconds by position, worked out at the first launch; 0 is unknown
 */
record Prepared(
        Layout[] inputs,
        TensorMeta[] metas,
        Layout[] outputs,
        Kernel kernel,
        int[] owners,
        Device[][] sharers,
        long[][][] localSizes,
        boolean moves,
        long[] costs) {

    /** The estimated time of the kernel at a position. */
    long costNanos(int position, OpKind.Cost cost, LocalShard[] in, LocalShard[] out) {
        long known = costs[position];
        if (known == 0) {
            Operand[] operands = new Operand[in.length + out.length];
            for (int i = 0; i < operands.length; i++) {
                LocalShard shard = i < in.length ? in[i] : out[i - in.length];
                operands[i] = shard == null
                        ? null
                        : new Operand(null, shard.offset(), shard.dtype(), shard.sizes(), shard.strides());
            }
            known = 1 + (long) (cost.apply(operands) / Shards.ELEMENTS_PER_NANO);
            costs[position] = known;
        }
        return known;
    }
}
