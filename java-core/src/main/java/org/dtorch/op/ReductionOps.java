package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.reduction;

import org.dtorch.placement.ReduceOp;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Operators that join the elements along dimensions. */
public final class ReductionOps {
    private static final String DIMS = "(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor";
    private static final String DIMS_DTYPE =
            "(Tensor self, int[]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor";

    private ReductionOps() {}

    public static final Op SUM = reduction("sum" + DIMS_DTYPE)
            .doc("The sum along dim, by default of all elements; integers and bool sum to int64.")
            .joining(Combine.SUM, ReduceOp.SUM)
            .dtype(ReductionOps::counted)
            .linear()
            .both("sum(input, dim=None, keepdim=False, dtype=None)")
            .samples(samples(-5, 5))
            .build();

    public static final Op PROD = reduction("prod" + DIMS_DTYPE)
            .doc("The product along dim, by default of all elements; integers and bool give int64.")
            .joining(Combine.PROD, ReduceOp.PRODUCT)
            .dtype(ReductionOps::counted)
            .both("prod(input, dim=None, keepdim=False, dtype=None)")
            .samples(samples(0.5, 2))
            .build();

    public static final Op ANY = reduction("any" + DIMS)
            .doc("Whether any element along dim is non-zero.")
            .joining(Combine.ANY, ReduceOp.MAX)
            .dtype(in -> in == DType.UINT8 ? in : DType.BOOL)
            .gradient(Gradient.none("a truth value does not change continuously"))
            .both("any(input, dim=None, keepdim=False)")
            .samples(Sample.of(Sample.mask(5, 4)), Sample.of(Sample.mask(5, 4), new long[] {0}, true))
            .build();

    public static final Op ALL = reduction("all" + DIMS)
            .doc("Whether all elements along dim are non-zero.")
            .joining(Combine.ALL, ReduceOp.MIN)
            .dtype(in -> in == DType.UINT8 ? in : DType.BOOL)
            .gradient(Gradient.none("a truth value does not change continuously"))
            .both("all(input, dim=None, keepdim=False)")
            .samples(Sample.of(Sample.mask(5, 4)), Sample.of(Sample.mask(5, 4), new long[] {0}, true))
            .build();

    public static final Op AMAX = reduction("amax" + DIMS)
            .doc("The greatest element along dim; NaN if there is one.")
            .joining(Combine.MAX, ReduceOp.MAX)
            .refusesEmpty()
            .both("amax(input, dim=None, keepdim=False)")
            .samples(samples(-5, 5))
            .build();

    public static final Op AMIN = reduction("amin" + DIMS)
            .doc("The smallest element along dim; NaN if there is one.")
            .joining(Combine.MIN, ReduceOp.MIN)
            .refusesEmpty()
            .both("amin(input, dim=None, keepdim=False)")
            .samples(samples(-5, 5))
            .build();

    public static final Op MAX = reduction("max(Tensor self) -> Tensor")
            .doc("The greatest of all elements; NaN if there is one.")
            .joining(Combine.MAX, ReduceOp.MAX)
            .refusesEmpty()
            .both("max(input)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op MIN = reduction("min(Tensor self) -> Tensor")
            .doc("The smallest of all elements; NaN if there is one.")
            .joining(Combine.MIN, ReduceOp.MIN)
            .refusesEmpty()
            .both("min(input)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op MEAN = composite("mean" + DIMS_DTYPE)
            .doc("The mean along dim, by default of all elements.")
            .is(ReductionOps::mean)
            .both("mean(input, dim=None, keepdim=False, dtype=None)")
            .samples(samples(-5, 5))
            .build();

    public static final Op VAR = composite(
                    "var(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor")
            .doc("The variance along dim: squared distances from the mean over (count - correction).")
            .is((k, s) -> variance(k, s, false)[0])
            .both("var(input, dim=None, *, correction=1, keepdim=False)")
            .samples(spread())
            .build();

    public static final Op VAR_UNBIASED = composite(
                    "var_unbiased(Tensor self, int[]? dim=None, bool unbiased=True, bool keepdim=False) -> Tensor")
            .doc("The variance along dim, with correction 1 where unbiased, else 0.")
            .is((k, s) -> k.call(VAR, s.arg("self"), s.arg("dim"), correction(s), s.arg("keepdim")))
            .both("var(input, dim=None, unbiased=True, keepdim=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {0}, false, true))
            .build();

    public static final Op STD = composite(
                    "std(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> Tensor")
            .doc("The standard deviation along dim, the square root of var.")
            .is((k, s) -> k.call(PointwiseOps.SQRT, k.call(VAR, s.args())))
            .both("std(input, dim=None, *, correction=1, keepdim=False)")
            .samples(spread())
            .build();

    public static final Op STD_UNBIASED = composite(
                    "std_unbiased(Tensor self, int[]? dim=None, bool unbiased=True, bool keepdim=False) -> Tensor")
            .doc("The standard deviation along dim, with correction 1 where unbiased, else 0.")
            .is((k, s) -> k.call(STD, s.arg("self"), s.arg("dim"), correction(s), s.arg("keepdim")))
            .both("std(input, dim=None, unbiased=True, keepdim=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {0}, false, true))
            .build();

    public static final Op VAR_MEAN = composite(
                    "var_mean(Tensor self, int[]? dim=None, *, Scalar correction=1, bool keepdim=False) -> (Tensor var,"
                            + " Tensor mean)")
            .doc("Variance and mean along dim.")
            .body((k, s) -> variance(k, s, s.flag("keepdim")))
            .function("var_mean(input, dim=None, *, correction=1, keepdim=False)")
            .samples(spread())
            .build();

    public static final Op VECTOR_NORM = composite(
                    "vector_norm(Tensor self, Scalar ord=2, int[]? dim=None, bool keepdim=False, *, DType? dtype=None) ->"
                            + " Tensor")
            .doc("The ord-norm along dim, by default of all elements; ord may be infinite.")
            .is(ReductionOps::norm)
            .linalg("vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4)),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Scalar.of(1), new long[] {1}),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Scalar.of(Double.POSITIVE_INFINITY), new long[] {0}, true))
            .build();

    public static final Op NORM = composite(
                    "norm(Tensor self, Scalar p=2, int[]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor")
            .doc("The p-norm of the elements along dim, by default of all.")
            .is((k, s) -> k.call(VECTOR_NORM, s.args()))
            .both("norm(input, p=2, dim=None, keepdim=False, dtype=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op NORM_NAMED = composite(
                    "norm_named(Tensor self, str p, int[]? dim=None, bool keepdim=False, *, DType? dtype=None) -> Tensor")
            .doc("The Frobenius norm, p='fro'.")
            .is((k, s) -> {
                if (!s.text("p").equals("fro")) {
                    throw DTorchError.notImplemented("norm with p='%s'; 'fro' and numbers are", s.text("p"));
                }
                return k.call(VECTOR_NORM, s.arg("self"), Scalar.of(2), s.arg("dim"), s.arg("keepdim"), s.arg("dtype"));
            })
            .both("norm(input, p, dim=None, keepdim=False, dtype=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), "fro"))
            .build();

    public static final Op LOGSUMEXP = composite("logsumexp(Tensor self, int[] dim, bool keepdim=False) -> Tensor")
            .doc("The logarithm of the sum of exponentials along dim, safe from overflow.")
            .is(ReductionOps::logsumexp)
            .both("logsumexp(input, dim, keepdim=False)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {1}),
                    Sample.of(Sample.tensor(-500, 500, 5, 4), new long[] {0, 1}, true))
            .build();

    public static final Op COUNT_NONZERO = composite("count_nonzero(Tensor self, int[]? dim=None) -> Tensor")
            .doc("The number of non-zero elements along dim.")
            .gradient(Gradient.none("a count does not change continuously"))
            .is((k, s) -> k.call(SUM, k.call(ComparisonOps.NE, s.arg("self"), Scalar.of(0)), s.arg("dim")))
            .both("count_nonzero(input, dim=None)")
            .samples(Sample.of(Sample.ints(DType.INT64, -1, 1, 5, 4)))
            .build();

    private static DType counted(DType in) {
        return in.isFloating() ? in : DType.INT64;
    }

    private static Sample[] samples(double low, double high) {
        return new Sample[] {
            Sample.of(Sample.tensor(low, high, 5, 4)),
            Sample.of(Sample.tensor(low, high, 5, 4), new long[] {0}),
            Sample.of(Sample.tensor(low, high, 3, 4, 2), new long[] {0, -1}, true),
            Sample.of(Sample.tensor(low, high))
        };
    }

    private static Sample[] spread() {
        return new Sample[] {
            Sample.of(Sample.tensor(-5, 5, 5, 4)),
            Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {0}, Scalar.of(0), true)
        };
    }

    private static Scalar correction(Site s) {
        return Scalar.of(s.flag("unbiased") ? 1 : 0);
    }

    private static long count(Site s) {
        Shape shape = s.shape("self");
        long count = 1;
        for (int dim : s.dims("dim", "self")) {
            count *= shape.size(dim);
        }
        return count;
    }

    private static void needsFloating(Site s, DType dtype) {
        if (!dtype.isFloating()) {
            throw DTorchError.runtime(
                    "%s(): could not infer output dtype. Input dtype must be either a floating point or complex dtype."
                            + " Got: %s",
                    s.op().name(), TypeNames.scalar(dtype));
        }
    }

    private static Value mean(Calls k, Site s) {
        DType dtype = s.dtypeOr("dtype", s.dtype("self"));
        needsFloating(s, dtype);
        // A sum of many 16-bit numbers may lie outside of their range where the mean does not.
        DType wide = dtype.bytes() == 2 ? DType.FLOAT32 : dtype;
        Value sum = k.call(SUM, s.arg("self"), s.arg("dim"), s.arg("keepdim"), wide);
        Value mean = k.call(PointwiseOps.DIV, sum, Scalar.of((double) count(s)));
        return wide == dtype ? mean : k.call(CastOps.CAST, mean, dtype);
    }

    /** Variance and mean; the mean keeps the reduced dimensions unless asked otherwise. */
    private static Value[] variance(Calls k, Site s, boolean keepMean) {
        needsFloating(s, s.dtype("self"));
        Value mean = k.call(MEAN, s.arg("self"), s.arg("dim"), true);
        Value squares = k.call(PointwiseOps.SQUARE, k.call(PointwiseOps.SUB, s.arg("self"), mean));
        double freedom = Math.max(count(s) - s.number("correction"), 0);
        DType dtype = s.dtype("self");
        DType wide = dtype.bytes() == 2 ? DType.FLOAT32 : dtype;
        Value sum = k.call(SUM, squares, s.arg("dim"), s.arg("keepdim"), wide);
        Value var = k.call(PointwiseOps.DIV, sum, Scalar.of(freedom));
        if (s.op() != VAR_MEAN) {
            return new Value[] {wide == dtype ? var : k.call(CastOps.CAST, var, dtype)};
        }
        Shape reduced = ReductionRow.reduced(s.shape("self"), s.dims("dim", "self"), keepMean);
        return new Value[] {
            wide == dtype ? var : k.call(CastOps.CAST, var, dtype), k.call(ViewOps.RESHAPE, mean, reduced.toArray())
        };
    }

    private static Value norm(Calls k, Site s) {
        DType dtype = s.dtypeOr("dtype", s.dtype("self"));
        if (!dtype.isFloating()) {
            throw DTorchError.runtime(
                    "linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
                    TypeNames.scalar(dtype));
        }
        Value x = s.dtype("self") == dtype ? s.tensor("self") : k.call(CastOps.CAST, s.arg("self"), dtype);
        Object dim = s.arg("dim");
        Object keep = s.arg("keepdim");
        double ord = s.number(s.op().schema().has("ord") ? "ord" : "p");
        if (ord == 2) {
            return k.call(PointwiseOps.SQRT, k.call(SUM, k.call(PointwiseOps.SQUARE, x), dim, keep));
        }
        Value size = k.call(PointwiseOps.ABS, x);
        if (ord == Double.POSITIVE_INFINITY) {
            return k.call(AMAX, size, dim, keep);
        }
        if (ord == Double.NEGATIVE_INFINITY) {
            return k.call(AMIN, size, dim, keep);
        }
        if (ord == 0) {
            return k.call(SUM, k.call(CastOps.CAST, k.call(ComparisonOps.NE, x, Scalar.of(0)), dtype), dim, keep);
        }
        if (ord == 1) {
            return k.call(SUM, size, dim, keep);
        }
        Value sum = k.call(SUM, k.call(PointwiseOps.POW, size, Scalar.of(ord)), dim, keep);
        return k.call(PointwiseOps.POW, sum, Scalar.of(1 / ord));
    }

    private static Value logsumexp(Calls k, Site s) {
        Value x = s.dtype("self").isFloating() ? s.tensor("self") : k.call(CastOps.CAST, s.arg("self"), DType.FLOAT32);
        if (count(s) == 0) {
            return k.call(PointwiseOps.LOG, k.call(SUM, k.call(PointwiseOps.EXP, x), s.arg("dim"), s.arg("keepdim")));
        }
        Value max = k.call(AMAX, x, s.arg("dim"), true);
        // Where the maximum is infinite it is not subtracted: inf - inf is NaN.
        Value shift = k.call(
                TensorOps.MASKED_FILL,
                max,
                k.call(ComparisonOps.LOGICAL_NOT, k.call(ComparisonOps.ISFINITE, max)),
                Scalar.of(0.0));
        Value sum = k.call(
                SUM, k.call(PointwiseOps.EXP, k.call(PointwiseOps.SUB, x, shift)), s.arg("dim"), s.arg("keepdim"));
        Shape reduced = ReductionRow.reduced(x.shape(), s.dims("dim", "self"), s.flag("keepdim"));
        return k.call(
                PointwiseOps.ADD, k.call(PointwiseOps.LOG, sum), k.call(ViewOps.RESHAPE, shift, reduced.toArray()));
    }
}
