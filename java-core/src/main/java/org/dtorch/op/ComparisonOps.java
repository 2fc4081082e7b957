package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.pointwise;

import org.dtorch.op.PointwiseRow.DTypes;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Comparisons, truth values and bits. */
public final class ComparisonOps {
    private ComparisonOps() {}

    public static final Op EQ = comparison("eq", BinaryFunction.EQ, "Whether two elements are equal.")
            .both("eq(input, other)")
            .operators("__eq__")
            .build();
    public static final Op NE = comparison("ne", BinaryFunction.NE, "Whether two elements differ.")
            .aliases("ne, not_equal", "(input, other)")
            .operators("__ne__")
            .build();
    public static final Op LT = comparison("lt", BinaryFunction.LT, "Whether self is less than other.")
            .aliases("lt, less", "(input, other)")
            .operators("__lt__")
            .build();
    public static final Op LE = comparison("le", BinaryFunction.LE, "Whether self is at most other.")
            .aliases("le, less_equal", "(input, other)")
            .operators("__le__")
            .build();
    public static final Op GT = comparison("gt", BinaryFunction.GT, "Whether self is greater than other.")
            .aliases("gt, greater", "(input, other)")
            .operators("__gt__")
            .build();
    public static final Op GE = comparison("ge", BinaryFunction.GE, "Whether self is at least other.")
            .aliases("ge, greater_equal", "(input, other)")
            .operators("__ge__")
            .build();

    public static final Op LOGICAL_AND = logical("and", BinaryFunction.LOGICAL_AND, "Whether both are non-zero.");
    public static final Op LOGICAL_OR = logical("or", BinaryFunction.LOGICAL_OR, "Whether either is non-zero.");
    public static final Op LOGICAL_XOR = logical("xor", BinaryFunction.LOGICAL_XOR, "Whether exactly one is non-zero.");

    public static final Op LOGICAL_NOT = pointwise("logical_not(Tensor self) -> Tensor")
            .doc("Whether each element is zero.")
            .dtypes(DTypes.TO_BOOL)
            .unary(UnaryFunction.LOGICAL_NOT)
            .both("logical_not(input)")
            .samples(Sample.of(Sample.mask(5, 4)), Sample.of(Sample.ints(DType.INT64, -1, 1, 5)))
            .build();

    public static final Op BITWISE_AND = bitwise(
                    "bitwise_and", BinaryFunction.BITWISE_AND, "The bits that are in both.")
            .operators("__and__", "__rand__")
            .build();
    public static final Op BITWISE_OR = bitwise("bitwise_or", BinaryFunction.BITWISE_OR, "The bits that are in either.")
            .operators("__or__", "__ror__")
            .build();
    public static final Op BITWISE_XOR = bitwise("bitwise_xor", BinaryFunction.BITWISE_XOR, "The bits that are in one.")
            .operators("__xor__", "__rxor__")
            .build();
    public static final Op BITWISE_LEFT_SHIFT = bitwise(
                    "bitwise_left_shift", BinaryFunction.SHIFT_LEFT, "self times 2 to the power of other.")
            .operators("__lshift__")
            .build();
    public static final Op BITWISE_RIGHT_SHIFT = bitwise(
                    "bitwise_right_shift",
                    BinaryFunction.SHIFT_RIGHT,
                    "self over 2 to the power of other, rounded down.")
            .operators("__rshift__")
            .build();

    public static final Op BITWISE_NOT = pointwise("bitwise_not(Tensor self) -> Tensor")
            .doc("All bits inverted; of bool the opposite.")
            .check(ComparisonOps::refuseFloats)
            .gradient(Gradient.none("integers have no gradient"))
            .computeAt((site, e) -> e[0].apply(
                    site.dtype("self") == DType.BOOL ? UnaryFunction.LOGICAL_NOT : UnaryFunction.BITWISE_NOT))
            .both("bitwise_not(input)")
            .operators("__invert__")
            .samples(Sample.of(Sample.mask(5, 4)), Sample.of(Sample.ints(DType.INT64, -9, 9, 5)))
            .build();

    public static final Op ISNAN = pointwise("isnan(Tensor self) -> Tensor")
            .doc("Whether each element is NaN.")
            .dtypes(DTypes.TO_BOOL)
            .computeAt((site, e) -> isFloating(site) ? e[0].apply(UnaryFunction.ISNAN) : Expr.constant(0))
            .withoutInPlace()
            .both("isnan(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op ISINF = pointwise("isinf(Tensor self) -> Tensor")
            .doc("Whether each element is infinite.")
            .dtypes(DTypes.TO_BOOL)
            .computeAt((site, e) -> isFloating(site) ? e[0].apply(UnaryFunction.ISINF) : Expr.constant(0))
            .withoutInPlace()
            .both("isinf(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op ISFINITE = pointwise("isfinite(Tensor self) -> Tensor")
            .doc("Whether each element is neither infinite nor NaN.")
            .dtypes(DTypes.TO_BOOL)
            .computeAt((site, e) ->
                    isFloating(site) ? e[0].sub(e[0]).apply(BinaryFunction.EQ, Expr.constant(0)) : Expr.constant(1))
            .withoutInPlace()
            .both("isfinite(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op ISCLOSE = pointwise(
                    "isclose(Tensor self, Tensor other, Scalar rtol=1e-05, Scalar atol=1e-08, bool equal_nan=False) ->"
                            + " Tensor")
            .doc("Whether |self - other| is at most atol + rtol * |other|.")
            .check(site -> {
                if (site.dtype("self") != site.dtype("other")) {
                    throw DTorchError.runtime(
                            "%s did not match %s",
                            TypeNames.scalar(site.dtype("self")), TypeNames.scalar(site.dtype("other")));
                }
            })
            .dtypes(DTypes.TO_BOOL)
            .dtypes(site -> DType.BOOL, site -> Promotion.floating(site.dtype("self")))
            .computeAt((site, e) -> {
                Expr gap = e[0].sub(e[1]).apply(UnaryFunction.ABS);
                Expr bound = e[3].add(e[2].mul(e[1].apply(UnaryFunction.ABS)));
                Expr finite = bound.sub(bound).apply(BinaryFunction.EQ, Expr.constant(0));
                Expr close = e[0].apply(BinaryFunction.EQ, e[1])
                        .apply(
                                BinaryFunction.LOGICAL_OR,
                                gap.apply(BinaryFunction.LE, bound).apply(BinaryFunction.LOGICAL_AND, finite));
                Expr bothNan = e[0].apply(UnaryFunction.ISNAN)
                        .apply(BinaryFunction.LOGICAL_AND, e[1].apply(UnaryFunction.ISNAN));
                return site.flag("equal_nan") ? close.apply(BinaryFunction.LOGICAL_OR, bothNan) : close;
            })
            .withoutInPlace()
            .both("isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op EQUAL = composite("equal(Tensor self, Tensor other) -> bool")
            .doc("Whether both have the same shape and elements.")
            .gradient(Gradient.none("a truth value does not change continuously"))
            .is((k, s) -> s.shape("self").equals(s.shape("other"))
                    ? k.call(ReductionOps.ALL, k.call(EQ, s.arg("self"), s.arg("other")))
                    : CreateOps.scalar(k, Scalar.of(false), DType.BOOL, s.tensor("self")))
            .both("equal(input, other)")
            .samples(Sample.of(Sample.ints(DType.INT64, 0, 1, 2), Sample.ints(DType.INT64, 0, 1, 2)))
            .build();

    public static final Op ALLCLOSE = composite(
                    "allclose(Tensor self, Tensor other, Scalar rtol=1e-05, Scalar atol=1e-08, bool equal_nan=False) ->"
                            + " bool")
            .doc("Whether all elements are close, see isclose.")
            .gradient(Gradient.none("a truth value does not change continuously"))
            .is((k, s) -> k.call(ReductionOps.ALL, k.call(ISCLOSE, s.args())))
            .both("allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 4)))
            .build();

    private static PointwiseRow comparison(String name, BinaryFunction function, String doc) {
        return pointwise(name + "(Tensor self, Operand other) -> Tensor")
                .doc(doc)
                .dtypes(DTypes.TO_BOOL)
                .binary(function)
                .samples(Sample.binary(-2, 2));
    }

    private static Op logical(String name, BinaryFunction function, String doc) {
        return pointwise("logical_" + name + "(Tensor self, Tensor other) -> Tensor")
                .doc(doc)
                .dtypes(DTypes.TO_BOOL)
                .binary(function)
                .both("logical_" + name + "(input, other)")
                .samples(Sample.of(Sample.mask(5, 4), Sample.mask(5, 4)), Sample.of(Sample.mask(5, 4), Sample.mask(4)))
                .build();
    }

    private static PointwiseRow bitwise(String name, BinaryFunction function, String doc) {
        return pointwise(name + "(Tensor self, Operand other) -> Tensor")
                .doc(doc)
                .check(ComparisonOps::refuseFloats)
                .gradient(Gradient.none("integers have no gradient"))
                .binary(function)
                .both(name + "(input, other)")
                .samples(Sample.of(Sample.ints(DType.INT64, 0, 9, 5, 4), Sample.ints(DType.INT64, 0, 9, 4)));
    }

    private static boolean isFloating(Site site) {
        return site.dtype("self").isFloating();
    }

    private static void refuseFloats(Site site) {
        for (Object arg : site.args()) {
            DType dtype = arg instanceof Value v ? v.dtype() : Promotion.of((Scalar) arg);
            if (dtype.isFloating()) {
                throw DTorchError.notImplemented(
                        "\"%s_cpu\" not implemented for '%s'", site.op().name(), TypeNames.scalar(dtype));
            }
        }
        boolean shifts = site.op().name().contains("shift");
        if (shifts && Promotion.resultType(site.args()) == DType.BOOL) {
            throw DTorchError.notImplemented(
                    "\"%s_cpu\" not implemented for 'Bool'", site.op().name().contains("left") ? "lshift" : "rshift");
        }
    }
}
