package org.dtorch.recipe;

import org.dtorch.values.DType;

/**
 * What a kernel computes, independent of any backend; equal recipes are one kernel.
 *
 * <p>Operands of a launch are the tensor inputs followed by the outputs, already local to one device. An optional tensor
 * that is absent is null in the inputs.
 */
public sealed interface Recipe {

    /**
     * {@code out[i] = expr(in0[i], in1[i], ...)}, computed in {@code compute} (FLOAT32, FLOAT64 or INT64) and stored with
     * a cast to the output's dtype (to bool: {@code != 0}). The inputs have the output's sizes (broadcast dimensions have
     * stride 0). No input means a fill. An output may be the same memory as an input (in-place); it never overlaps one
     * partially. The scalar arguments of the launch are {@code org.dtorch.values.Scalar}s.
     */
    record Pointwise(Expr expr, DType compute) implements Recipe {}

    /**
     * {@code out = combine over the reduced dimensions of in}: the output has the input's rank, and size 1 where it is
     * reduced. Computed in {@code compute}; float sums accumulate pairwise or in float64, as accurate as PyTorch's. An
     * empty reduction gives the neutral element (MAX and MIN of nothing are refused before).
     */
    record Reduction(Combine combine, DType compute) implements Recipe {}

    /**
     * A kernel found by its name, where an expression will not do; what it takes is written with the name in
     * {@code docs/kernels.md}.
     */
    record Named(String name) implements Recipe {}

    /** How a reduction joins two values. */
    enum Combine {
        SUM,
        PROD,
        /** NaN wins. */
        MAX,
        /** NaN wins. */
        MIN,
        ANY,
        ALL
    }
}
