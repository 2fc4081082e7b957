package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Workers;
import org.dtorch.ffi.OpenBlas;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * {@code c = a · b + bias} of floating matrices of any strides.
 *
 * <p>Float32 and float64 matrices go to BLAS as they lie, by its transpose flags and leading dimensions. What BLAS cannot
 * take (16-bit floats, two strides, overlapping rows) is computed tile by tile in float32 or float64 copies that stay in
 * the cache, and rounded once. Large products are split over the workers, each part one BLAS call.
 */
final class MatrixProduct {
    /** Multiplications from which one product is split: n = 256 (2^24) was faster on one thread than on two. */
    private static final long PARALLEL_LINE = 1L << 25;

    /** Multiplications that are worth handing to another thread where the parts share nothing, some 30 microseconds. */
    private static final long GRAIN = 1L << 21;

    /** Multiplications from which each worker gets two parts, so that a late one holds up less. */
    private static final long LARGE = 1L << 29;

    /** A part is a multiple of this many rows or columns, so that no part has a ragged edge inside. */
    private static final long UNIT = 16;

    /** Rows and columns of a tile; fewer when the inner size is large. */
    private static final long TILE = 256;

    /** Elements of one operand of a tile, about half of a second-level cache. */
    private static final long TILE_ELEMENTS = 1L << 18;

    private MatrixProduct() {}

    /** Whether one product of {@code multiplications} is worth more than one thread. */
    static boolean isLarge(double multiplications) {
        return multiplications >= PARALLEL_LINE;
    }

    /** How many products of {@code multiplications} each make a part for one worker. */
    static long grain(double multiplications) {
        return Math.max(1, (long) (GRAIN / Math.max(1, multiplications)));
    }

    /**
     * Computes {@code c[m,n] = a[m,k] · b[k,n] + bias}.
     *
     * @param bias null, or a matrix of c's sizes, usually with step 0 along one dimension
     */
    static void compute(Matrix a, Matrix b, Matrix c, Matrix bias) {
        if (c.rows() == 0 || c.cols() == 0) {
            return;
        }
        if (c.colStep() != 1 && c.rowStep() == 1) {
            computeRowMajor(b.transposed(), a.transposed(), c.transposed(), bias == null ? null : bias.transposed());
        } else {
            computeRowMajor(a, b, c, bias);
        }
    }

    private static void computeRowMajor(Matrix a, Matrix b, Matrix c, Matrix bias) {
        if (a.cols() > Integer.MAX_VALUE) {
            throw DTorchError.notImplemented("matrix products over %d elements (more than 2^31 - 1)", a.cols());
        }
        DType compute = c.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        boolean direct = c.dtype() == compute
                && c.rowMajorLeading() > 0
                && a.fitsBlas(compute)
                && b.fitsBlas(compute)
                && Math.max(c.rows(), c.cols()) <= Integer.MAX_VALUE;
        if (direct) {
            splitDirect(a, b, c, bias);
        } else {
            splitTiles(a, b, c, bias, compute);
        }
    }

    private static void splitDirect(Matrix a, Matrix b, Matrix c, Matrix bias) {
        long m = c.rows();
        long n = c.cols();
        long k = a.cols();
        double work = (double) m * n * k;
        if (!isLarge(work)) {
            direct(a, b, c, bias);
            return;
        }
        long unitsM = (m + UNIT - 1) / UNIT;
        long unitsN = (n + UNIT - 1) / UNIT;
        if (m >= n) {
            Workers.shared().forRange(unitsM, splitGrain(unitsM, work), (from, to) -> {
                long first = from * UNIT;
                long rows = Math.min(to * UNIT, m) - first;
                direct(
                        a.part(first, rows, 0, k),
                        b,
                        c.part(first, rows, 0, n),
                        bias == null ? null : bias.part(first, rows, 0, n));
            });
        } else {
            Workers.shared().forRange(unitsN, splitGrain(unitsN, work), (from, to) -> {
                long first = from * UNIT;
                long cols = Math.min(to * UNIT, n) - first;
                direct(
                        a,
                        b.part(0, k, first, cols),
                        c.part(0, m, first, cols),
                        bias == null ? null : bias.part(0, m, first, cols));
            });
        }
    }

    private static long splitGrain(long units, double work) {
        long parts = Workers.shared().count() * (work >= LARGE ? 2L : 1L);
        return Math.max((units + parts - 1) / parts, grain(2 * work / units));
    }

    private static void splitTiles(Matrix a, Matrix b, Matrix c, Matrix bias, DType compute) {
        long m = c.rows();
        long n = c.cols();
        long k = a.cols();
        long most = Math.max(UNIT, Math.min(TILE, TILE_ELEMENTS / Math.max(k, 1) / UNIT * UNIT));
        long tileM = Math.min(m, most);
        long tileN = Math.min(n, most);
        long tilesN = (n + tileN - 1) / tileN;
        long tiles = (m + tileM - 1) / tileM * tilesN;
        Workers.shared().forRange(tiles, grain((double) tileM * tileN * k), (from, to) -> {
            long tile = from;
            while (tile < to) {
                long row = tile / tilesN;
                long end = Math.min(to, (row + 1) * tilesN);
                long first = row * tileM;
                long height = Math.min(tileM, m - first);
                try (WorkSpace space = WorkSpace.open()) {
                    Matrix rows = a.part(first, height, 0, k).forBlas(compute, space);
                    for (; tile < end; tile++) {
                        long col = tile % tilesN * tileN;
                        long width = Math.min(tileN, n - col);
                        Matrix biasPart = bias == null ? null : bias.part(first, height, col, width);
                        tile(rows, b.part(0, k, col, width), c.part(first, height, col, width), biasPart, compute);
                    }
                }
            }
        });
    }

    private static void tile(Matrix a, Matrix b, Matrix c, Matrix bias, DType compute) {
        try (WorkSpace space = WorkSpace.open()) {
            boolean inPlace = c.dtype() == compute && c.rowMajorLeading() > 0;
            Matrix sum = inPlace ? c : Matrix.dense(space, compute, c.rows(), c.cols());
            direct(a, b.forBlas(compute, space), sum, bias);
            if (!inPlace) {
                sum.store(c);
            }
        }
    }

    /** One BLAS call into a row-major c of the compute dtype. */
    private static void direct(Matrix a, Matrix b, Matrix c, Matrix bias) {
        if (bias != null) {
            c.load(bias);
        } else if (a.cols() == 0) {
            c.zero();
        }
        if (a.cols() > 0) {
            gemm(a, b, c, 1, bias != null);
        }
    }

    /** {@code c = scale * a · b}, added to what c holds if {@code add}; all as BLAS takes them, k at least 1. */
    static void gemm(Matrix a, Matrix b, Matrix c, double scale, boolean add) {
        int lda = a.rowMajorLeading();
        boolean transA = lda == 0;
        if (transA) {
            lda = a.columnMajorLeading();
        }
        int ldb = b.rowMajorLeading();
        boolean transB = ldb == 0;
        if (transB) {
            ldb = b.columnMajorLeading();
        }
        int m = (int) c.rows();
        int n = (int) c.cols();
        int k = (int) a.cols();
        int ldc = c.rowMajorLeading();
        if (c.dtype() == DType.FLOAT32) {
            OpenBlas.sgemm(
                    transA,
                    transB,
                    m,
                    n,
                    k,
                    (float) scale,
                    a.address(),
                    lda,
                    b.address(),
                    ldb,
                    add ? 1 : 0,
                    c.address(),
                    ldc);
        } else {
            OpenBlas.dgemm(
                    transA, transB, m, n, k, scale, a.address(), lda, b.address(), ldb, add ? 1 : 0, c.address(), ldc);
        }
    }
}
