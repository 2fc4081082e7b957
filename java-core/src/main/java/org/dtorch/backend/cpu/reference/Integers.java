package org.dtorch.backend.cpu.reference;

import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DTorchError;

/**
 * What each pointwise function means for one integer or bool, computed in wrapping int64.
 *
 * <p>Source: PyTorch's integer kernels; a shift by less than 0 or more than 63 shifts everything out.
 */
public final class Integers {
    private Integers() {}

    public static long apply(UnaryFunction function, long x) {
        return switch (function) {
            case NEG -> -x;
            case ABS -> Math.abs(x);
            case SIGN -> Long.signum(x);
            case FLOOR, CEIL, ROUND, TRUNC -> x;
            case LOGICAL_NOT -> truth(x == 0);
            case BITWISE_NOT -> ~x;
            case ISNAN, ISINF -> 0;
            case EXP,
                    EXP2,
                    EXPM1,
                    LOG,
                    LOG2,
                    LOG10,
                    LOG1P,
                    SQRT,
                    RSQRT,
                    RECIPROCAL,
                    SIN,
                    COS,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    SINH,
                    COSH,
                    TANH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    ERF,
                    ERFC,
                    SIGMOID -> throw notForIntegers(function);
        };
    }

    /**
     * One value of a binary function.
     *
     * @throws DTorchError of kind RUNTIME, "ZeroDivisionError", for a division by 0
     */
    public static long apply(BinaryFunction function, long a, long b) {
        return switch (function) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case FLOOR_DIV -> Math.floorDiv(a, nonZero(b));
            case TRUNC_DIV -> a / nonZero(b);
            case REMAINDER -> Math.floorMod(a, nonZero(b));
            case FMOD -> a % nonZero(b);
            case POW -> pow(a, b);
            case MAXIMUM -> Math.max(a, b);
            case MINIMUM -> Math.min(a, b);
            case EQ -> truth(a == b);
            case NE -> truth(a != b);
            case LT -> truth(a < b);
            case LE -> truth(a <= b);
            case GT -> truth(a > b);
            case GE -> truth(a >= b);
            case LOGICAL_AND -> truth(a != 0 && b != 0);
            case LOGICAL_OR -> truth(a != 0 || b != 0);
            case LOGICAL_XOR -> truth((a != 0) != (b != 0));
            case BITWISE_AND -> a & b;
            case BITWISE_OR -> a | b;
            case BITWISE_XOR -> a ^ b;
            case SHIFT_LEFT -> b < 0 || b > 63 ? 0 : a << b;
            case SHIFT_RIGHT -> b < 0 || b > 63 ? a >> 63 : a >> b;
            case DIV, ATAN2 -> throw notForIntegers(function);
        };
    }

    /** The error for a function that exists only for floating point; the row that used it names the operator. */
    public static DTorchError notForIntegers(Enum<?> function) {
        return DTorchError.notImplemented("%s not implemented for integers", function);
    }

    private static long truth(boolean value) {
        return value ? 1 : 0;
    }

    private static long nonZero(long divisor) {
        if (divisor == 0) {
            throw DTorchError.runtime("ZeroDivisionError");
        }
        return divisor;
    }

    /** By squaring; a negative exponent gives what is left of the fraction: 0, except for a base of 1 or -1. */
    private static long pow(long base, long exponent) {
        if (exponent < 0) {
            return base == 1 ? 1 : base == -1 ? ((exponent & 1) == 0 ? 1 : -1) : 0;
        }
        long result = 1;
        long square = base;
        for (long rest = exponent; rest != 0; rest >>= 1) {
            if ((rest & 1) != 0) {
                result *= square;
            }
            square *= square;
        }
        return result;
    }
}
