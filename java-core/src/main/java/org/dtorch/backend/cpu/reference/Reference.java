package org.dtorch.backend.cpu.reference;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/**
 * What the recipes mean, one element at a time: the judge of every faster kernel.
 *
 * <p>Expressions are evaluated recursively in float64 or int64; in float32 compute each function's result is rounded to
 * float32. An input by itself, stored in its own dtype, is copied whatever the compute dtype. Float sums are plain float64
 * sums.
 */
public final class Reference {
    private Reference() {}

    public static Kernel of(Recipe.Pointwise recipe) {
        return launch -> {
            Operand out = launch.outputs()[0];
            boolean copy =
                    recipe.expr() instanceof Expr.Input(int input) && launch.inputs()[input].dtype() == out.dtype();
            DType compute = !copy ? recipe.compute() : out.dtype().isFloating() ? DType.FLOAT64 : DType.INT64;
            forEach(out.sizes(), index -> {
                if (compute == DType.INT64) {
                    Elements.setInteger(out, integer(recipe.expr(), launch, index), index);
                } else {
                    Elements.setReal(out, real(recipe.expr(), compute, launch, index), index);
                }
            });
        };
    }

    public static Kernel of(Recipe.Reduction recipe) {
        return launch -> {
            Operand in = launch.inputs()[0];
            Operand out = launch.outputs()[0];
            boolean integers = recipe.compute() == DType.INT64;
            forEach(out.sizes(), outIndex -> {
                long[] from = outIndex.clone();
                long[] sizes = in.sizes().clone();
                for (int d = 0; d < sizes.length; d++) {
                    sizes[d] = out.sizes()[d] == 1 ? sizes[d] : 1;
                }
                double[] real = {neutralReal(recipe.combine())};
                long[] integer = {neutralInteger(recipe.combine())};
                forEach(sizes, step -> {
                    long[] index = from.clone();
                    for (int d = 0; d < index.length; d++) {
                        index[d] += step[d];
                    }
                    if (integers) {
                        integer[0] = combine(recipe.combine(), integer[0], Elements.integer(in, index));
                    } else {
                        real[0] = combine(recipe.combine(), real[0], Elements.real(in, index));
                    }
                });
                if (integers) {
                    Elements.setInteger(out, integer[0], outIndex);
                } else {
                    Elements.setReal(out, round(real[0], recipe.compute()), outIndex);
                }
            });
        };
    }

    /** What is done for one index. */
    @FunctionalInterface
    public interface IndexBody {
        /** The index is overwritten after the call. */
        void at(long[] index);
    }

    /** Visits every index of a shape in row-major order. */
    public static void forEach(long[] sizes, IndexBody body) {
        for (long size : sizes) {
            if (size == 0) {
                return;
            }
        }
        long[] index = new long[sizes.length];
        int dim;
        do {
            body.at(index);
            dim = sizes.length - 1;
            while (dim >= 0 && ++index[dim] == sizes[dim]) {
                index[dim--] = 0;
            }
        } while (dim >= 0);
    }

    private static double round(double value, DType compute) {
        return compute == DType.FLOAT32 ? (float) value : value;
    }

    private static double real(Expr expr, DType compute, Launch launch, long[] index) {
        return switch (expr) {
            case Expr.Input(int i) -> round(Elements.real(launch.inputs()[i], index), compute);
            case Expr.Arg(int i) -> round(((Scalar) launch.args()[i]).toDouble(), compute);
            case Expr.Const(double value) -> round(value, compute);
            case Expr.Unary(var function, Expr a) ->
                round(Reals.apply(function, real(a, compute, launch, index)), compute);
            case Expr.Binary(var function, Expr a, Expr b) ->
                round(Reals.apply(function, real(a, compute, launch, index), real(b, compute, launch, index)), compute);
            case Expr.Select(Expr c, Expr a, Expr b) ->
                real(real(c, compute, launch, index) != 0 ? a : b, compute, launch, index);
        };
    }

    private static long integer(Expr expr, Launch launch, long[] index) {
        return switch (expr) {
            case Expr.Input(int i) -> Elements.integer(launch.inputs()[i], index);
            case Expr.Arg(int i) -> ((Scalar) launch.args()[i]).toLong();
            case Expr.Const(double value) -> (long) value;
            case Expr.Unary(var function, Expr a) -> Integers.apply(function, integer(a, launch, index));
            case Expr.Binary(var function, Expr a, Expr b) ->
                Integers.apply(function, integer(a, launch, index), integer(b, launch, index));
            case Expr.Select(Expr c, Expr a, Expr b) -> integer(integer(c, launch, index) != 0 ? a : b, launch, index);
        };
    }

    private static double neutralReal(Combine combine) {
        return switch (combine) {
            case SUM, ANY -> 0;
            case PROD, ALL -> 1;
            case MAX -> Double.NEGATIVE_INFINITY;
            case MIN -> Double.POSITIVE_INFINITY;
        };
    }

    private static long neutralInteger(Combine combine) {
        return switch (combine) {
            case SUM, ANY -> 0;
            case PROD, ALL -> 1;
            case MAX -> Long.MIN_VALUE;
            case MIN -> Long.MAX_VALUE;
        };
    }

    private static double combine(Combine combine, double a, double b) {
        return switch (combine) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case ANY -> a != 0 || b != 0 ? 1 : 0;
            case ALL -> a != 0 && b != 0 ? 1 : 0;
        };
    }

    private static long combine(Combine combine, long a, long b) {
        return switch (combine) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case ANY -> a != 0 || b != 0 ? 1 : 0;
            case ALL -> a != 0 && b != 0 ? 1 : 0;
        };
    }
}
