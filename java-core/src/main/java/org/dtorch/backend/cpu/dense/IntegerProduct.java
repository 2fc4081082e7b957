package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.values.DType;

/** {@code c = a · b + bias} of integer matrices of any strides: exact in int64, stored with wrapping. */
final class IntegerProduct {
    private static final long BYTES = Long.BYTES;

    private IntegerProduct() {}

    /** Computes {@code c[m,n] = a[m,k] · b[k,n] + bias}; bias is null or has c's sizes. */
    static void compute(Matrix a, Matrix b, Matrix c, Matrix bias) {
        int n = Math.toIntExact(c.cols());
        int k = Math.toIntExact(a.cols());
        if (n == 0) {
            return;
        }
        Workers.shared().forRange(c.rows(), MatrixProduct.grain((double) n * k), (from, to) -> {
            BlockMath math = Blocks.of(DType.INT64);
            try (WorkSpace space = WorkSpace.open()) {
                long sums = space.take(n * BYTES);
                long terms = space.take(n * BYTES);
                long factors = space.take(k * BYTES);
                for (long row = from; row < to; row++) {
                    if (bias == null) {
                        Native.ALL.asSlice(sums, n * BYTES).fill((byte) 0);
                    } else {
                        math.load(
                                bias.dtype(),
                                sums,
                                bias.at(row, 0),
                                bias.colStep() * bias.dtype().bytes(),
                                n);
                    }
                    math.load(
                            a.dtype(),
                            factors,
                            a.at(row, 0),
                            a.colStep() * a.dtype().bytes(),
                            k);
                    for (int j = 0; j < k; j++) {
                        math.load(
                                b.dtype(),
                                terms,
                                b.at(j, 0),
                                b.colStep() * b.dtype().bytes(),
                                n);
                        addProducts(Native.getLong(factors + j * BYTES), terms, sums, n);
                    }
                    math.store(c.dtype(), c.at(row, 0), c.colStep() * c.dtype().bytes(), sums, n);
                }
            }
        });
    }

    private static void addProducts(long factor, long terms, long sums, int n) {
        for (int i = 0; i < n; i++) {
            long at = i * BYTES;
            Native.putLong(sums + at, Native.getLong(sums + at) + factor * Native.getLong(terms + at));
        }
    }
}
