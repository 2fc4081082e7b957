package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.backend.cpu.simd.Rows;
import org.dtorch.values.DType;

/**
 * {@code attention_merge}: outA[…,F], lseA[…], outB, lseB → out, lse: the attention over the keys of A and of B together,
 * which must be disjoint. A side without keys (−inf) adds nothing, whatever its values are.
 */
final class AttentionMergeKernel implements Kernel {
    private static final long GRAIN_ELEMENTS = 1 << 14;

    @Override
    public void run(Launch launch) {
        Operand target = launch.outputs()[0];
        RowSet outA = RowSet.overLast(launch.inputs()[0], 1);
        RowSet lseA = scalars(launch.inputs()[1]);
        RowSet outB = RowSet.overLast(launch.inputs()[2], 1);
        RowSet lseB = scalars(launch.inputs()[3]);
        RowSet out = RowSet.overLast(target, 1);
        RowSet lse = scalars(launch.outputs()[1]);
        DType compute = target.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        int n = out.length();
        Workers.shared().forRange(lse.count(), Math.max(1, GRAIN_ELEMENTS / Math.max(n, 1)), (first, end) -> {
            BlockMath blocks = Blocks.of(compute);
            BlockMath doubles = Blocks.of(DType.FLOAT64);
            RowMath math = Rows.of(compute);
            try (WorkSpace space = WorkSpace.open()) {
                long sum = space.take((long) n * compute.bytes());
                long row = space.take((long) n * compute.bytes());
                long factor = space.take(Double.BYTES);
                long scalar = space.take(Double.BYTES);
                for (long i = first; i < end; i++) {
                    double a = value(lseA, doubles, i, scalar);
                    double b = value(lseB, doubles, i, scalar);
                    double greatest = Math.max(a, b);
                    boolean none = greatest == Double.NEGATIVE_INFINITY;
                    double partA = none ? 0 : Math.exp(a - greatest);
                    double partB = none ? 0 : Math.exp(b - greatest);
                    Native.ALL.asSlice(sum, (long) n * compute.bytes()).fill((byte) 0);
                    if (partA != 0) { // also for NaN
                        outA.load(blocks, i, row);
                        addScaled(math, row, partA / (partA + partB), factor, sum, n);
                    }
                    if (partB != 0) {
                        outB.load(blocks, i, row);
                        addScaled(math, row, partB / (partA + partB), factor, sum, n);
                    }
                    out.store(blocks, i, sum);
                    Native.putDouble(scalar, none ? greatest : greatest + Math.log(partA + partB));
                    lse.store(doubles, i, scalar);
                }
            }
        });
    }

    private static void addScaled(RowMath math, long row, double part, long factor, long sum, int n) {
        if (math.dtype() == DType.FLOAT64) {
            Native.putDouble(factor, part);
        } else {
            Native.putFloat(factor, (float) part);
        }
        math.addWeightedRows(factor, row, n, 1, n, sum);
    }

    private static RowSet scalars(Operand lse) {
        return RowSet.overLast(lse, 0);
    }

    private static double value(RowSet lse, BlockMath doubles, long i, long buffer) {
        lse.load(doubles, i, buffer);
        return Native.getDouble(buffer);
    }
}
