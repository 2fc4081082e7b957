package org.dtorch.backend.cpu.reference;

import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DTorchError;

/**
 * What each pointwise function means for one real number: the definition that every faster kernel is judged by, and what
 * they call where they have no loop of their own.
 *
 * <p>Everything is computed in float64; float32 results are these rounded once, which for the arithmetic functions and
 * the square root is the correctly rounded float32 result. Source: PyTorch's operators of the same name.
 */
public final class Reals {
    private static final double LN2 = Math.log(2);

    private Reals() {}

    public static double apply(UnaryFunction function, double x) {
        return switch (function) {
            case NEG -> -x;
            case ABS -> Math.abs(x);
            case SIGN -> x > 0 ? 1 : x < 0 ? -1 : 0;
            case EXP -> Math.exp(x);
            case EXP2 -> Math.pow(2, x);
            case EXPM1 -> Math.expm1(x);
            case LOG -> Math.log(x);
            case LOG2 -> log2(x);
            case LOG10 -> Math.log10(x);
            case LOG1P -> Math.log1p(x);
            case SQRT -> Math.sqrt(x);
            case RSQRT -> 1 / Math.sqrt(x);
            case RECIPROCAL -> 1 / x;
            case SIN -> Math.sin(x);
            case COS -> Math.cos(x);
            case TAN -> Math.tan(x);
            case ASIN -> Math.asin(x);
            case ACOS -> Math.acos(x);
            case ATAN -> Math.atan(x);
            case SINH -> Math.sinh(x);
            case COSH -> Math.cosh(x);
            case TANH -> Math.tanh(x);
            case ASINH -> asinh(x);
            case ACOSH -> acosh(x);
            case ATANH -> Math.copySign(0.5 * Math.log1p(2 * Math.abs(x) / (1 - Math.abs(x))), x);
            case ERF -> ErrorFunction.erf(x);
            case ERFC -> ErrorFunction.erfc(x);
            case SIGMOID -> 1 / (1 + Math.exp(-x));
            case FLOOR -> Math.floor(x);
            case CEIL -> Math.ceil(x);
            case ROUND -> Math.rint(x);
            case TRUNC -> trunc(x);
            case LOGICAL_NOT -> truth(x == 0);
            case ISNAN -> truth(Double.isNaN(x));
            case ISINF -> truth(Double.isInfinite(x));
            case BITWISE_NOT -> throw notForReals(function);
        };
    }

    public static double apply(BinaryFunction function, double a, double b) {
        return switch (function) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case FLOOR_DIV -> floorDiv(a, b);
            case TRUNC_DIV -> trunc(a / b);
            case REMAINDER -> remainder(a, b);
            case FMOD -> a % b;
            case POW -> pow(a, b);
            case ATAN2 -> Math.atan2(a, b);
            case MAXIMUM -> Double.isNaN(a) ? a : Double.isNaN(b) ? b : a < b ? b : a;
            case MINIMUM -> Double.isNaN(a) ? a : Double.isNaN(b) ? b : a > b ? b : a;
            case EQ -> truth(a == b);
            case NE -> truth(a != b);
            case LT -> truth(a < b);
            case LE -> truth(a <= b);
            case GT -> truth(a > b);
            case GE -> truth(a >= b);
            case LOGICAL_AND -> truth(a != 0 && b != 0);
            case LOGICAL_OR -> truth(a != 0 || b != 0);
            case LOGICAL_XOR -> truth((a != 0) != (b != 0));
            case BITWISE_AND, BITWISE_OR, BITWISE_XOR, SHIFT_LEFT, SHIFT_RIGHT -> throw notForReals(function);
        };
    }

    /** The error for a function that exists only for integers; the row that used it names the operator. */
    public static DTorchError notForReals(Enum<?> function) {
        return DTorchError.notImplemented("%s not implemented for floating point", function);
    }

    private static double truth(boolean value) {
        return value ? 1 : 0;
    }

    private static double trunc(double x) {
        return x < 0 ? Math.ceil(x) : Math.floor(x);
    }

    /** Exact for powers of two. */
    private static double log2(double x) {
        if (!(x > 0) || Double.isInfinite(x)) {
            return Math.log(x);
        }
        if (x < Double.MIN_NORMAL) {
            return log2(x * 0x1p54) - 54;
        }
        int exponent = Math.getExponent(x);
        double mantissa = Math.scalb(x, -exponent);
        if (mantissa > Math.sqrt(2)) {
            mantissa /= 2;
            exponent++;
        }
        return exponent + Math.log(mantissa) / LN2;
    }

    private static double asinh(double x) {
        double a = Math.abs(x);
        double result = a > 0x1p28 ? Math.log(a) + LN2 : Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
        return Math.copySign(result, x);
    }

    private static double acosh(double x) {
        if (x > 0x1p28) {
            return Math.log(x) + LN2;
        }
        if (x < 1) {
            return Double.NaN;
        }
        double t = x - 1;
        return Math.log1p(t + Math.sqrt(2 * t + t * t));
    }

    /** IEEE: a base of 1 or an exponent of 0 gives 1 whatever the other is; Java's pow says NaN for some of them. */
    private static double pow(double a, double b) {
        if (a == 1 || (a == -1 && Double.isInfinite(b))) {
            return 1;
        }
        return Math.pow(a, b);
    }

    private static double floorDiv(double a, double b) {
        if (b == 0) {
            return a / b;
        }
        double mod = a % b;
        double quotient = (a - mod) / b;
        if (mod != 0 && (b < 0) != (mod < 0)) {
            quotient -= 1;
        }
        if (quotient == 0) {
            return Math.copySign(0, a / b);
        }
        double floor = Math.floor(quotient);
        return quotient - floor > 0.5 ? floor + 1 : floor;
    }

    private static double remainder(double a, double b) {
        double mod = a % b;
        return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
    }
}
