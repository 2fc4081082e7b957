package org.dtorch.backend.cpu.simd;

import org.dtorch.backend.cpu.reference.Reals;
import org.dtorch.recipe.Expr.UnaryFunction;

/** float64 functions of one value, as {@link FloatMath}: step for step what the vector loops do. */
final class DoubleMath {
    private static final double ROUNDER = 0x1.8p52;
    private static final double LOG2_E = 1 / Math.log(2);
    private static final double MINUS_LN2_HIGH = -0x1.62e42fee00000p-1;
    private static final double MINUS_LN2_LOW = -0x1.a39ef35793c76p-33;

    /** 1/k!, from k = 13 down to 2. */
    private static final double[] TAYLOR = {
        1 / 6227020800.0,
        1 / 479001600.0,
        1 / 39916800.0,
        1 / 3628800.0,
        1 / 362880.0,
        1 / 40320.0,
        1 / 5040.0,
        1 / 720.0,
        1 / 120.0,
        1 / 24.0,
        1 / 6.0,
        1 / 2.0
    };

    private DoubleMath() {}

    static double apply(UnaryFunction function, double x) {
        return switch (function) {
            case EXP -> exp(x);
            case SIGMOID -> 1 / (1 + exp(-x));
            default -> Reals.apply(function, x);
        };
    }

    private static double exp(double x) {
        double shifted = Math.fma(x, LOG2_E, ROUNDER);
        double n = shifted - ROUNDER;
        double r = Math.fma(n, MINUS_LN2_LOW, Math.fma(n, MINUS_LN2_HIGH, x));
        double p = TAYLOR[0];
        for (int k = 1; k < TAYLOR.length; k++) {
            p = Math.fma(p, r, TAYLOR[k]);
        }
        p = Math.fma(Math.fma(p, r, 1), r, 1);
        long power = Double.doubleToRawLongBits(shifted) - Double.doubleToRawLongBits(ROUNDER);
        long half = power >> 1;
        double result = p * powerOfTwo(half) * powerOfTwo(power - half);
        return x < -746 ? 0 : x > 710 ? Double.POSITIVE_INFINITY : result;
    }

    private static double powerOfTwo(long exponent) {
        return Double.longBitsToDouble((exponent + 1023) << 52);
    }
}
