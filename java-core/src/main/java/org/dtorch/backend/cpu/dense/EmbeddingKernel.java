package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * {@code embedding}: ids[…], weight[v,e] → y[…,e]; args: global rows. The weight may be a part of the vocabulary: rows that
 * lie elsewhere give 0, so that the parts' results sum to the whole.
 */
final class EmbeddingKernel implements Kernel {
    private static final long GRAIN_ELEMENTS = 1 << 15;

    @Override
    public void run(Launch launch) {
        Operand ids = launch.inputs()[0];
        Operand weight = launch.inputs()[1];
        Operand y = launch.outputs()[0];
        long[] rows = rows(ids, (Long) launch.args()[0]);
        long origin = launch.origins() == null ? 0 : launch.origins().input(1, 0);
        RowSet to = RowSet.overLast(y, 1);
        RowSet table = RowSet.overLast(weight, 1);
        DType dtype = y.dtype();
        int n = to.length();
        boolean dense = weight.dtype() == dtype && to.isDense(dtype) && table.isDense(dtype);
        Workers.shared().forRange(rows.length, Math.max(1, GRAIN_ELEMENTS / Math.max(n, 1)), (first, end) -> {
            DType compute = !dtype.isFloating() ? DType.INT64 : RowKernels.compute(dtype, weight.dtype());
            BlockMath math = Blocks.of(compute);
            try (WorkSpace space = WorkSpace.open()) {
                long buffer = space.take((long) n * Long.BYTES);
                for (long i = first; i < end; i++) {
                    long row = rows[(int) i] - origin;
                    boolean here = row >= 0 && row < table.count();
                    if (here && dense) {
                        Native.copy(table.rowAddress(row), to.rowAddress(i), (long) n * dtype.bytes());
                    } else {
                        if (here) {
                            table.load(math, row, buffer);
                        } else {
                            Native.ALL.asSlice(buffer, (long) n * Long.BYTES).fill((byte) 0);
                        }
                        to.store(math, i, buffer);
                    }
                }
            }
        });
    }

    /** The ids in row-major order, each checked before anything is written. */
    private static long[] rows(Operand ids, long globalRows) {
        RowSet all = RowSet.overLast(ids, ids.rank());
        long[] rows = new long[all.length()];
        try (WorkSpace space = WorkSpace.open()) {
            long buffer = space.take((long) rows.length * Long.BYTES);
            all.load(Blocks.of(DType.INT64), 0, buffer);
            for (int i = 0; i < rows.length; i++) {
                rows[i] = Native.getLong(buffer + i * 8L);
                if (rows[i] < 0 || rows[i] >= globalRows) {
                    throw DTorchError.index(
                            "index out of range in self: embedding id %d, legal are 0 to %d", rows[i], globalRows - 1);
                }
            }
        }
        return rows;
    }
}
