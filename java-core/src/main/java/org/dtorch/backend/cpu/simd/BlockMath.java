package org.dtorch.backend.cpu.simd;

import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/**
 * Arithmetic on short runs of native memory in one compute dtype (float32, float64 or int64).
 *
 * <p>Addresses are those of {@link org.dtorch.backend.cpu.memory.Native}. A run of the arithmetic methods is dense and its
 * length a multiple of {@link #lanes}; the destination may be one of the sources. Loads, stores and reductions take any
 * length.
 */
public interface BlockMath {
    /** The compute dtype. */
    DType dtype();

    /** How many elements one step takes. */
    int lanes();

    void unary(UnaryFunction function, long to, long from, int n);

    /** Throws PyTorch's "ZeroDivisionError" for an integer division by zero among the first {@code valid} elements. */
    void binary(BinaryFunction function, long to, long left, long right, int n, int valid);

    void select(long to, long condition, long whenTrue, long whenFalse, int n);

    /** Sets a run to {@code real}, in int64 compute to {@code integer}. */
    void fill(long to, double real, long integer, int n);

    /** Reads {@code n} elements of dtype {@code dtype}, {@code strideBytes} apart, into a dense run. */
    void load(DType dtype, long to, long from, long strideBytes, int n);

    /** Writes a dense run to {@code n} elements of dtype {@code dtype}, {@code strideBytes} apart, with PyTorch's cast. */
    void store(DType dtype, long to, long strideBytes, long from, int n);

    /** {@code to[i] = combine(to[i], from[i])}; ANY and ALL see any values and give 0 or 1. */
    void accumulate(Combine combine, long to, long from, int n);

    /**
     * The combination of a dense run, as an accumulator: the bits of a float64, in int64 compute the value. Floating sums
     * of runs thus lose nothing when they are joined.
     */
    long fold(Combine combine, long from, int n);

    /** The accumulator of no values. */
    long neutral(Combine combine);

    /** Combines two accumulators. */
    long join(Combine combine, long a, long b);

    /** Writes an accumulator as one element of the compute dtype. */
    void put(long to, long accumulator);
}
