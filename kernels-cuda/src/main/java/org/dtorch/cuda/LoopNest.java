package org.dtorch.cuda;

import java.util.Arrays;
import org.dtorch.backend.Operand;
import org.dtorch.values.DTorchError;

/**
 * The dimensions that a pointwise kernel walks, with as few of them as the operands' strides allow.
 *
 * @param sizes the size of each dimension, the innermost last
 * @param steps for each operand the distance between neighbours of each dimension, in bytes
 */
record LoopNest(long[] sizes, long[][] steps) {
    /** What {@code pointwise.cu} can hold. */
    static final int MAX_RANK = 16;

    /**
     * The nest of operands that have the same sizes, in the given order; dimensions of one element are left out,
     * neighbours that every operand walks as one are joined.
     *
     * @throws DTorchError of kind NOT_IMPLEMENTED when more than {@link #MAX_RANK} dimensions remain
     */
    static LoopNest of(Operand... operands) {
        long[] given = operands[0].sizes();
        long[] sizes = new long[given.length];
        long[][] steps = new long[operands.length][given.length];
        int rank = 0;
        for (int d = 0; d < given.length; d++) {
            if (given[d] == 1) {
                continue;
            }
            boolean joins = rank > 0;
            for (int o = 0; joins && o < operands.length; o++) {
                joins = steps[o][rank - 1] == step(operands[o], d) * given[d];
            }
            int at = joins ? rank - 1 : rank++;
            sizes[at] = joins ? sizes[at] * given[d] : given[d];
            for (int o = 0; o < operands.length; o++) {
                steps[o][at] = step(operands[o], d);
            }
        }
        if (rank > MAX_RANK) {
            throw DTorchError.notImplemented(
                    "cuda pointwise kernels over more than %d dimensions that cannot be joined, here %d of sizes %s",
                    MAX_RANK, rank, Arrays.toString(given));
        }
        for (int o = 0; o < operands.length; o++) {
            steps[o] = Arrays.copyOf(steps[o], rank);
        }
        return new LoopNest(Arrays.copyOf(sizes, rank), steps);
    }

    private static long step(Operand operand, int dim) {
        return operand.strides()[dim] * operand.dtype().bytes();
    }
}
