package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.backend.cpu.simd.Rows;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * {@code rotary}: x[…,L,D], cos[L,D], sin[L,D] → y; args: interleaved.
 *
 * <p>{@code y = x cos + rotated(x) sin}, where rotated gives {@code (−second half, first half)}, or interleaved
 * {@code (−x1, x0, −x3, x2, …)}. cos and sin may have more dims, broadcast to those of x from the right.
 */
final class RotaryKernel implements Kernel {
    private static final long GRAIN_ELEMENTS = 1 << 14;

    @Override
    public void run(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        boolean interleaved = (Boolean) launch.args()[0];
        RowSet from = RowSet.overLast(x, 1);
        RowSet cos = RowSet.overLast(broadcast(launch.inputs()[1], x), 1);
        RowSet sin = RowSet.overLast(broadcast(launch.inputs()[2], x), 1);
        RowSet to = RowSet.overLast(y, 1);
        int n = from.length();
        if (n % 2 != 0) {
            throw DTorchError.layout("rotary: the last dim must be even, got x of size %d there", n);
        }
        if (x.numel() == 0) {
            return;
        }
        DType compute = RowKernels.compute(x.dtype(), y.dtype());
        Workers.shared().forRange(from.count(), Math.max(1, GRAIN_ELEMENTS / n), (first, end) -> {
            BlockMath blocks = Blocks.of(compute);
            RowMath math = Rows.of(compute);
            long bytes = (long) n * compute.bytes();
            try (WorkSpace space = WorkSpace.open()) {
                long values = space.take(bytes);
                long cosines = space.take(bytes);
                long sines = space.take(bytes);
                long results = space.take(bytes);
                for (long row = first; row < end; row++) {
                    long source = fetch(from, blocks, row, values);
                    long target = to.isDense(compute) && to.rowAddress(row) != source ? to.rowAddress(row) : results;
                    math.rotate(
                            source,
                            fetch(cos, blocks, row, cosines),
                            fetch(sin, blocks, row, sines),
                            target,
                            n,
                            interleaved);
                    if (target == results) {
                        to.store(blocks, row, results);
                    }
                }
            }
        });
    }

    private static long fetch(RowSet rows, BlockMath blocks, long row, long buffer) {
        if (rows.isDense(blocks.dtype())) {
            return rows.rowAddress(row);
        }
        rows.load(blocks, row, buffer);
        return buffer;
    }

    private static Operand broadcast(Operand operand, Operand like) {
        int rank = like.rank();
        int missing = rank - operand.rank();
        long[] strides = new long[rank];
        for (int d = missing; d < rank; d++) {
            strides[d] = operand.sizes()[d - missing] == 1 ? 0 : operand.strides()[d - missing];
        }
        return new Operand(operand.memory(), operand.offset(), operand.dtype(), like.sizes(), strides);
    }
}
