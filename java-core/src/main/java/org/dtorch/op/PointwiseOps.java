package org.dtorch.op;

import static org.dtorch.op.Rows.pointwise;

import java.util.function.Consumer;
import org.dtorch.op.PointwiseRow.DTypes;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Arithmetic and functions of real numbers, computed for each element from the elements at the same index. */
public final class PointwiseOps {
    private PointwiseOps() {}

    public static final Op ADD = pointwise("add(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor")
            .doc("self + alpha * other.")
            .variant(site -> isOne(site.arg("alpha")) ? 1 : 0)
            .computeAt((site, e) -> e[0].add(isOne(site.arg("alpha")) ? e[1] : e[1].mul(e[2])))
            .check(PointwiseOps::checkAlpha)
            .linear("self", "other")
            .both("add(input, other, alpha=1)")
            .operators("__add__", "__radd__")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op SUB = pointwise("sub(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor")
            .doc("self - alpha * other.")
            .variant(site -> isOne(site.arg("alpha")) ? 1 : 0)
            .computeAt((site, e) -> e[0].sub(isOne(site.arg("alpha")) ? e[1] : e[1].mul(e[2])))
            .check(PointwiseOps::checkAlpha)
            .linear("self", "other")
            .aliases("sub, subtract", "(input, other, alpha=1)")
            .operators("__sub__")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op RSUB = pointwise("rsub(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor")
            .doc("other - alpha * self.")
            .variant(site -> isOne(site.arg("alpha")) ? 1 : 0)
            .computeAt((site, e) -> e[1].sub(isOne(site.arg("alpha")) ? e[0] : e[0].mul(e[2])))
            .check(PointwiseOps::checkAlpha)
            .linear("self", "other")
            .withoutInPlace()
            .function("rsub(input, other, *, alpha=1)")
            .operators("__rsub__")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op MUL = pointwise("mul(Tensor self, Operand other) -> Tensor")
            .doc("Elementwise product.")
            .binary(BinaryFunction.MUL)
            .variant(site -> isFiniteFactor(site) ? 1 : 0)
            .linear("self")
            .linear("other")
            .linearIf(PointwiseOps::isFiniteFactor)
            .aliases("mul, multiply", "(input, other)")
            .operators("__mul__", "__rmul__")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op DIV = pointwise("div(Tensor self, Operand other, *, str? rounding_mode=None) -> Tensor")
            .doc("Elementwise quotient; rounding_mode None divides truly, 'floor' and 'trunc' round.")
            .check(PointwiseOps::checkRounding)
            .dtypesAt(site -> site.isAbsent("rounding_mode") ? DTypes.INTEGERS_TO_FLOAT : DTypes.PROMOTE)
            .computeAt((site, e) -> e[0].apply(division(site.text("rounding_mode")), e[1]))
            .linear("self")
            .variant(site -> isFiniteQuotient(site) ? 1 : 0)
            .linearIf(site -> site.isAbsent("rounding_mode") && isFiniteQuotient(site))
            .aliases("div, divide", "(input, other, *, rounding_mode=None)")
            .both("true_divide(input, other)")
            .operators("__truediv__")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op RDIV = pointwise("rdiv(Tensor self, Operand other) -> Tensor")
            .doc("other / self.")
            .dtypes(DTypes.INTEGERS_TO_FLOAT)
            .compute2((x, y) -> y.div(x))
            .linear("other")
            .withoutInPlace()
            .operators("__rtruediv__")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op FLOOR_DIVIDE = pointwise("floor_divide(Tensor self, Operand other) -> Tensor")
            .doc("Elementwise quotient rounded towards minus infinity.")
            .check(needsNumbers("div_floor_cpu"))
            .binary(BinaryFunction.FLOOR_DIV)
            .both("floor_divide(input, other)")
            .operators("__floordiv__")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op RFLOOR_DIVIDE = pointwise("rfloor_divide(Tensor self, Operand other) -> Tensor")
            .doc("other / self, rounded towards minus infinity.")
            .compute2((x, y) -> y.apply(BinaryFunction.FLOOR_DIV, x))
            .withoutInPlace()
            .operators("__rfloordiv__")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op REMAINDER = pointwise("remainder(Tensor self, Operand other) -> Tensor")
            .doc("Elementwise remainder with the sign of the divisor, as Python's %.")
            .check(needsNumbers("remainder_cpu"))
            .binary(BinaryFunction.REMAINDER)
            .both("remainder(input, other)")
            .operators("__mod__")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op RREMAINDER = pointwise("rremainder(Tensor self, Operand other) -> Tensor")
            .doc("other % self.")
            .compute2((x, y) -> y.apply(BinaryFunction.REMAINDER, x))
            .withoutInPlace()
            .operators("__rmod__")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op FMOD = pointwise("fmod(Tensor self, Operand other) -> Tensor")
            .doc("Elementwise remainder with the sign of the dividend, as C's fmod.")
            .check(needsNumbers("fmod_cpu"))
            .binary(BinaryFunction.FMOD)
            .both("fmod(input, other)")
            .samples(Sample.binary(1, 5))
            .build();

    public static final Op POW = pointwise("pow(Tensor self, Operand exponent) -> Tensor")
            .doc("Each element of self to the power of exponent.")
            .check(PointwiseOps::checkExponent)
            .variant(site -> usualExponent(site.arg("exponent")))
            .computeAt((site, e) -> power(usualExponent(site.arg("exponent")), e))
            .weight(4)
            .both("pow(input, exponent)")
            .operators("__pow__")
            .samples(Sample.binary(1, 3))
            .build();

    public static final Op POW_SCALAR = pointwise("pow_scalar(Scalar self, Tensor exponent) -> Tensor")
            .doc("A number to the power of each element of exponent.")
            .promoting("self", "exponent")
            .compute2((x, y) -> x.apply(BinaryFunction.POW, y))
            .weight(4)
            .withoutInPlace()
            .function("pow(self, exponent)")
            .method("__rpow__(other:self)")
            .samples(
                    Sample.of(Scalar.of(2.0), Sample.tensor(-2, 3, 5, 4)), Sample.of(Scalar.of(3), Sample.tensor(0, 2)))
            .build();

    public static final Op ATAN2 = pointwise("atan2(Tensor self, Tensor other) -> Tensor")
            .doc("The angle of the point (other, self).")
            .dtypes(DTypes.INTEGERS_TO_FLOAT)
            .binary(BinaryFunction.ATAN2)
            .weight(6)
            .aliases("atan2, arctan2", "(input, other)")
            .samples(Sample.binary(-3, 3))
            .build();

    public static final Op NEG = pointwise("neg(Tensor self) -> Tensor")
            .doc("The negative of each element.")
            .check(site -> refuseBool(
                    site,
                    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask,"
                            + " use the `~` or `logical_not()` operator instead."))
            .compute(Expr::neg)
            .linear("self")
            .aliases("neg, negative", "(input)")
            .operators("__neg__")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op POSITIVE = pointwise("positive(Tensor self) -> Tensor")
            .doc("self, unchanged.")
            .check(site -> refuseBool(site, "The `+` operator, on a bool tensor is not supported."))
            .compute(x -> x)
            .linear("self")
            .withoutInPlace()
            .both("positive(input)")
            .operators("__pos__")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op ABS = rounding("abs", UnaryFunction.ABS, "The absolute value of each element.")
            .aliases("abs, absolute", "(input)")
            .operators("__abs__")
            .build();

    public static final Op SIGN = rounding("sign", UnaryFunction.SIGN, "-1, 0 or 1 by the sign of each element.")
            .aliases("sign, sgn", "(input)")
            .build();

    public static final Op FLOOR = rounding("floor", UnaryFunction.FLOOR, "The greatest integer that is not greater.")
            .both("floor(input)")
            .build();

    public static final Op CEIL = rounding("ceil", UnaryFunction.CEIL, "The least integer that is not less.")
            .both("ceil(input)")
            .build();

    public static final Op TRUNC = rounding("trunc", UnaryFunction.TRUNC, "The integer part of each element.")
            .aliases("trunc, fix", "(input)")
            .build();

    public static final Op FRAC = pointwise("frac(Tensor self) -> Tensor")
            .doc("The fractional part of each element, with its sign.")
            .check(site -> {
                if (!site.dtype("self").isFloating()) {
                    throw DTorchError.notImplemented(
                            "\"frac_cpu\" not implemented for '%s'", TypeNames.scalar(site.dtype("self")));
                }
            })
            .compute(x -> x.sub(x.apply(UnaryFunction.TRUNC)))
            .both("frac(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op ROUND = pointwise("round(Tensor self, *, int decimals=0) -> Tensor")
            .doc("Rounds to the nearest value of that many decimals, halves to even.")
            .check(needsNumbers("round_vml_cpu"))
            .computeAt((site, e) -> round(site, e[0]))
            .both("round(input, *, decimals=0)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 4), 1L))
            .build();

    public static final Op SQUARE = pointwise("square(Tensor self) -> Tensor")
            .doc("Each element times itself; bool gives int64.")
            .dtypes(PointwiseOps::counted, PointwiseOps::counted)
            .compute(x -> x.mul(x))
            .both("square(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op EXP = real("exp", UnaryFunction.EXP, "e to the power of each element.", -5, 5)
            .both("exp(input)")
            .build();
    public static final Op EXP2 = real("exp2", UnaryFunction.EXP2, "2 to the power of each element.", -5, 5)
            .both("exp2(input)")
            .build();
    public static final Op EXPM1 = real("expm1", UnaryFunction.EXPM1, "exp(x) - 1, exact near 0.", -2, 2)
            .both("expm1(input)")
            .build();
    public static final Op LOG = real("log", UnaryFunction.LOG, "The natural logarithm.", 0.1, 9)
            .both("log(input)")
            .build();
    public static final Op LOG2 = real("log2", UnaryFunction.LOG2, "The logarithm to base 2.", 0.1, 9)
            .both("log2(input)")
            .build();
    public static final Op LOG10 = real("log10", UnaryFunction.LOG10, "The logarithm to base 10.", 0.1, 9)
            .both("log10(input)")
            .build();
    public static final Op LOG1P = real("log1p", UnaryFunction.LOG1P, "log(1 + x), exact near 0.", -0.5, 5)
            .both("log1p(input)")
            .build();
    public static final Op SQRT = real("sqrt", UnaryFunction.SQRT, "The square root.", 0, 9)
            .both("sqrt(input)")
            .build();
    public static final Op RSQRT = real("rsqrt", UnaryFunction.RSQRT, "One over the square root.", 0.1, 9)
            .both("rsqrt(input)")
            .build();
    public static final Op RECIPROCAL = real("reciprocal", UnaryFunction.RECIPROCAL, "One over each element.", 0.5, 5)
            .both("reciprocal(input)")
            .build();
    public static final Op SIN = real("sin", UnaryFunction.SIN, "The sine.", -3, 3)
            .both("sin(input)")
            .build();
    public static final Op COS = real("cos", UnaryFunction.COS, "The cosine.", -3, 3)
            .both("cos(input)")
            .build();
    public static final Op TAN = real("tan", UnaryFunction.TAN, "The tangent.", -1, 1)
            .both("tan(input)")
            .build();
    public static final Op ASIN = real("asin", UnaryFunction.ASIN, "The inverse of the sine.", -1, 1)
            .aliases("asin, arcsin", "(input)")
            .build();
    public static final Op ACOS = real("acos", UnaryFunction.ACOS, "The inverse of the cosine.", -1, 1)
            .aliases("acos, arccos", "(input)")
            .build();
    public static final Op ATAN = real("atan", UnaryFunction.ATAN, "The inverse of the tangent.", -3, 3)
            .aliases("atan, arctan", "(input)")
            .build();
    public static final Op SINH = real("sinh", UnaryFunction.SINH, "The hyperbolic sine.", -3, 3)
            .both("sinh(input)")
            .build();
    public static final Op COSH = real("cosh", UnaryFunction.COSH, "The hyperbolic cosine.", -3, 3)
            .both("cosh(input)")
            .build();
    public static final Op TANH = real("tanh", UnaryFunction.TANH, "The hyperbolic tangent.", -3, 3)
            .both("tanh(input)")
            .functional("tanh(input)")
            .build();
    public static final Op ASINH = real("asinh", UnaryFunction.ASINH, "The inverse of the hyperbolic sine.", -3, 3)
            .aliases("asinh, arcsinh", "(input)")
            .build();
    public static final Op ACOSH = real("acosh", UnaryFunction.ACOSH, "The inverse of the hyperbolic cosine.", 1, 5)
            .aliases("acosh, arccosh", "(input)")
            .build();
    public static final Op ATANH = real(
                    "atanh", UnaryFunction.ATANH, "The inverse of the hyperbolic tangent.", -0.9, 0.9)
            .aliases("atanh, arctanh", "(input)")
            .build();
    public static final Op ERF = real("erf", UnaryFunction.ERF, "The error function.", -3, 3)
            .both("erf(input)")
            .build();
    public static final Op ERFC = real("erfc", UnaryFunction.ERFC, "One minus the error function.", -3, 3)
            .both("erfc(input)")
            .build();
    public static final Op SIGMOID = real("sigmoid", UnaryFunction.SIGMOID, "1 / (1 + exp(-x)).", -5, 5)
            .both("sigmoid(input)")
            .functional("sigmoid(input)")
            .build();

    public static final Op MAXIMUM = pointwise("maximum(Tensor self, Tensor other) -> Tensor")
            .doc("The greater of two elements; NaN if either is.")
            .binary(BinaryFunction.MAXIMUM)
            .withoutInPlace()
            .both("maximum(input, other)")
            .both("max(input, other)")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op MINIMUM = pointwise("minimum(Tensor self, Tensor other) -> Tensor")
            .doc("The smaller of two elements; NaN if either is.")
            .binary(BinaryFunction.MINIMUM)
            .withoutInPlace()
            .both("minimum(input, other)")
            .both("min(input, other)")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op CLAMP = pointwise("clamp(Tensor self, Operand? min=None, Operand? max=None) -> Tensor")
            .doc("Limits each element to [min, max]; either bound may be absent.")
            .check(PointwiseOps::checkBounds)
            .computeAt((site, e) -> {
                Expr low = e[1] == null ? e[0] : e[0].maximum(e[1]);
                return e[2] == null ? low : low.minimum(e[2]);
            })
            .aliases("clamp, clip", "(input, min=None, max=None)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Scalar.of(-1.0), Scalar.of(2.0)),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), null, Sample.tensor(0, 2, 4)))
            .build();

    public static final Op LERP = pointwise("lerp(Tensor self, Tensor end, Operand weight) -> Tensor")
            .doc("self + weight * (end - self).")
            .computeAt((site, e) -> {
                Expr span = e[1].sub(e[0]);
                Expr one = Expr.constant(1);
                return e[2].apply(UnaryFunction.ABS)
                        .lt(Expr.constant(0.5))
                        .select(e[0].add(e[2].mul(span)), e[1].sub(span.mul(one.sub(e[2]))));
            })
            .linear("self", "end")
            .both("lerp(input, end, weight)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 4), Scalar.of(0.3)),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 4), Sample.tensor(0, 1, 5, 4)))
            .build();

    public static final Op ADDCMUL = pointwise(
                    "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
            .doc("self + value * tensor1 * tensor2.")
            .computeAt((site, e) -> e[0].add(e[3].mul(e[1]).mul(e[2])))
            .linear("self", "tensor1")
            .linear("self", "tensor2")
            .both("addcmul(input, tensor1, tensor2, *, value=1)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 4), Scalar.of(0.5)))
            .build();

    public static final Op ADDCDIV = pointwise(
                    "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor")
            .doc("self + value * tensor1 / tensor2.")
            .dtypes(DTypes.INTEGERS_TO_FLOAT)
            .computeAt((site, e) -> e[0].add(e[3].mul(e[1]).div(e[2])))
            .linear("self", "tensor1")
            .both("addcdiv(input, tensor1, tensor2, *, value=1)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 4), Sample.tensor(1, 5, 4), Scalar.of(0.5)))
            .build();

    /** A function of real numbers; integers become float32. */
    static PointwiseRow real(String name, UnaryFunction function, String doc, double low, double high) {
        return pointwise(name + "(Tensor self) -> Tensor")
                .doc(doc)
                .dtypes(DTypes.INTEGERS_TO_FLOAT)
                .unary(function)
                .weight(4)
                .samples(Sample.unary(low, high));
    }

    /** A function that keeps the dtype; what only rounds leaves integers as they are. */
    private static PointwiseRow rounding(String name, UnaryFunction function, String doc) {
        boolean changesIntegers = function == UnaryFunction.ABS || function == UnaryFunction.SIGN;
        return pointwise(name + "(Tensor self) -> Tensor")
                .doc(doc)
                .check(
                        function == UnaryFunction.SIGN
                                ? site -> {}
                                : needsNumbers(name + (function == UnaryFunction.ABS ? "_cpu" : "_vml_cpu")))
                .computeAt(
                        (site, e) -> changesIntegers || site.dtype("self").isFloating() ? e[0].apply(function) : e[0])
                .samples(Sample.unary(-5, 5));
    }

    private static Expr round(Site site, Expr x) {
        long decimals = site.integer("decimals");
        if (!site.dtype("self").isFloating()) {
            return x;
        }
        if (decimals == 0) {
            return x.apply(UnaryFunction.ROUND);
        }
        Expr scale = Expr.constant(Math.pow(10, Math.abs(decimals)));
        return decimals > 0
                ? x.mul(scale).apply(UnaryFunction.ROUND).div(scale)
                : x.div(scale).apply(UnaryFunction.ROUND).mul(scale);
    }

    /** Which of the exponents that need no general power this is; 0 for none. */
    private static int usualExponent(Object exponent) {
        if (!(exponent instanceof Scalar s)) {
            return 0;
        }
        double value = s.toDouble();
        return value == 2
                ? 2
                : value == 3 ? 3 : value == 1 ? 1 : value == 0.5 ? 4 : value == -0.5 ? 5 : value == -1 ? 6 : 0;
    }

    private static Expr power(int usual, Expr[] e) {
        Expr x = e[0];
        return switch (usual) {
            case 1 -> x;
            case 2 -> x.mul(x);
            case 3 -> x.mul(x).mul(x);
            case 4 -> x.apply(UnaryFunction.SQRT);
            case 5 -> x.apply(UnaryFunction.RSQRT);
            case 6 -> x.apply(UnaryFunction.RECIPROCAL);
            default -> x.apply(BinaryFunction.POW, e[1]);
        };
    }

    private static BinaryFunction division(String roundingMode) {
        return switch (roundingMode) {
            case null -> BinaryFunction.DIV;
            case "floor" -> BinaryFunction.FLOOR_DIV;
            default -> BinaryFunction.TRUNC_DIV;
        };
    }

    private static DType counted(Site site) {
        return site.dtype("self") == DType.BOOL ? DType.INT64 : site.dtype("self");
    }

    private static boolean isOne(Object scalar) {
        return ((Scalar) scalar).toDouble() == 1;
    }

    private static void checkAlpha(Site site) {
        DType self = site.dtype("self");
        DType other = site.arg("other") instanceof Value v ? v.dtype() : Promotion.of((Scalar) site.arg("other"));
        Scalar alpha = (Scalar) site.arg("alpha");
        if (alpha.kind() == DType.Kind.FLOATING && !isOne(alpha) && !self.isFloating() && !other.isFloating()) {
            throw DTorchError.runtime(
                    "For integral input tensors, argument alpha must not be a floating point number.");
        }
        if (!site.op().name().startsWith("add") && (self == DType.BOOL || other == DType.BOOL)) {
            throw DTorchError.runtime(
                    self == other
                            ? "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or"
                                    + " `logical_xor()` operator instead."
                            : "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a"
                                    + " mask, use the `~` or `logical_not()` operator instead.");
        }
    }

    /** Refuses operands that are all bool, with the name of PyTorch's kernel. */
    private static Consumer<Site> needsNumbers(String kernelName) {
        return site -> {
            if (Promotion.resultType(site.arg("self"), site.op().schema().has("other") ? site.arg("other") : null)
                    == DType.BOOL) {
                throw DTorchError.notImplemented("\"%s\" not implemented for 'Bool'", kernelName);
            }
        };
    }

    private static void checkRounding(Site site) {
        String mode = site.text("rounding_mode");
        if (mode != null && !mode.equals("floor") && !mode.equals("trunc")) {
            throw DTorchError.runtime(
                    "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'", mode);
        }
    }

    private static void checkExponent(Site site) {
        if (Promotion.resultType(site.arg("self"), site.arg("exponent")) == DType.BOOL
                && site.arg("exponent") instanceof Value) {
            throw DTorchError.notImplemented("\"pow\" not implemented for 'Bool'");
        }
        if (!site.dtype("self").isFloating() && site.arg("exponent") instanceof Scalar.Int(long value) && value < 0) {
            throw DTorchError.runtime("Integers to negative integer powers are not allowed.");
        }
    }

    /** A part of a sum times infinity or NaN may be NaN where the sum is not: such a number is no linear factor. */
    private static boolean isFiniteFactor(Site site) {
        return !(site.arg("other") instanceof Scalar number) || Double.isFinite(number.toDouble());
    }

    /** As {@link #isFiniteFactor}, for a part of a sum divided by zero. */
    private static boolean isFiniteQuotient(Site site) {
        return !(site.arg("other") instanceof Scalar number) || number.toDouble() != 0;
    }

    private static void checkBounds(Site site) {
        if (site.isAbsent("min") && site.isAbsent("max")) {
            throw DTorchError.runtime("torch.clamp: At least one of 'min' or 'max' must not be None");
        }
    }

    private static void refuseBool(Site site, String message) {
        if (site.dtype("self") == DType.BOOL) {
            throw DTorchError.runtime(message);
        }
    }
}
