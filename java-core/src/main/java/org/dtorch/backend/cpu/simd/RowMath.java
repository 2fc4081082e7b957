package org.dtorch.backend.cpu.simd;

import org.dtorch.values.DType;

/**
 * Loops over dense rows of float32 or float64 numbers, the inner loops of the dense kernels.
 *
 * <p>A row is given by the address ({@link org.dtorch.backend.cpu.memory.Native}) of its first element and a length in elements. Results are carried as double; a float32 implementation may accumulate in several float32 lanes, as PyTorch does. A destination may be the
 * source itself.
 */
public interface RowMath {
    /** FLOAT32 or FLOAT64. */
    DType dtype();

    /** The greatest element, NaN passed over; −inf when there is none. */
    double max(long x, int n);

    /** Σ x. */
    double sum(long x, int n);

    /** Σ (x − centre)². */
    double sumOfSquares(long x, int n, double centre);

    /** Σ exp(x − shift). */
    double sumOfExp(long x, int n, double shift);

    /** {@code y = exp(x − shift)}; returns Σ y. */
    double exp(long x, long y, int n, double shift);

    /** {@code y = (x − centre) * scale + shift}. */
    void affine(long x, long y, int n, double centre, double scale, double shift);

    /** {@code y = (x − centre) * scale * w + b}; b may be 0. */
    void affine(long x, long y, int n, double centre, double scale, long w, long b);

    /** {@code y = y + x}. */
    void add(long x, long y, int n);

    /** {@code y = y * factor}. */
    void scale(long y, int n, double factor);

    /** {@code y[r] = factor * Σ_i x[i] * m[r,i]} for {@code rows} rows of n elements, {@code rowStride} elements apart. */
    void rowDots(long x, long m, long rowStride, int rows, int n, double factor, long y);

    /** {@code y[i] += Σ_r w[r] * m[r,i]} for {@code rows} rows of n elements, {@code rowStride} elements apart. */
    void addWeightedRows(long w, long m, long rowStride, int rows, int n, long y);

    /**
     * {@code y = x * cos + r * sin}, n even, y apart from the others. r is (−second half, first half) of x, interleaved
     * (−x[1], x[0], −x[3], x[2], …).
     */
    void rotate(long x, long cos, long sin, long y, int n, boolean interleaved);
}
