package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.backend.cpu.simd.Rows;
import org.dtorch.values.DType;

/** Runs a function of rows over all rows, in dense memory of the compute dtype. */
final class RowKernels {
    /** Elements that are worth handing to another thread. */
    private static final long GRAIN_ELEMENTS = 1 << 14;

    /** Computes one row y from one row x, both dense; y may be x. */
    @FunctionalInterface
    interface RowFunction {
        void apply(RowMath math, long x, long y, int n);
    }

    private RowKernels() {}

    /** float64 if either is, else float32. */
    static DType compute(DType a, DType b) {
        return a == DType.FLOAT64 || b == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
    }

    /** Fills every row of {@code to}, which has rows like {@code from}. */
    static void run(RowSet from, RowSet to, DType compute, RowFunction function) {
        int n = from.length();
        if (n == 0 || from.count() == 0) {
            return;
        }
        Workers.shared().forRange(from.count(), Math.max(1, GRAIN_ELEMENTS / n), (first, end) -> {
            RowMath math = Rows.of(compute);
            if (from.isDense(compute) && to.isDense(compute)) {
                for (long row = first; row < end; row++) {
                    function.apply(math, from.rowAddress(row), to.rowAddress(row), n);
                }
                return;
            }
            BlockMath blocks = Blocks.of(compute);
            try (WorkSpace space = WorkSpace.open()) {
                long buffer = space.take((long) n * compute.bytes());
                for (long row = first; row < end; row++) {
                    long source = buffer;
                    if (from.isDense(compute)) {
                        source = from.rowAddress(row);
                    } else {
                        from.load(blocks, row, buffer);
                    }
                    if (to.isDense(compute)) {
                        function.apply(math, source, to.rowAddress(row), n);
                    } else {
                        function.apply(math, source, buffer, n);
                        to.store(blocks, row, buffer);
                    }
                }
            }
        });
    }
}
