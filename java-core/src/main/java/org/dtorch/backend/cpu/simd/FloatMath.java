package org.dtorch.backend.cpu.simd;

import org.dtorch.backend.cpu.reference.Reals;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;

/**
 * float32 functions of one value: step for step the operations that the vector loops do, so that a value does not depend on
 * the width of the vectors or on whether their loops are compiled yet.
 *
 * <p>Functions without a vector loop are the float64 definition, rounded once.
 */
public final class FloatMath {
    private static final float ROUNDER = (float) (0x1.8p23);
    private static final float LOG2_E = (float) (1 / Math.log(2));
    private static final float MINUS_LN2_HIGH = (float) (-0.693359375);
    private static final float MINUS_LN2_LOW = (float) (0.693359375 - Math.log(2));
    private static final float ONE = (float) (1);
    private static final float E2 = (float) (1 / 2.0);
    private static final float E3 = (float) (1 / 6.0);
    private static final float E4 = (float) (1 / 24.0);
    private static final float E5 = (float) (1 / 120.0);
    private static final float E6 = (float) (1 / 720.0);
    private static final float E7 = (float) (1 / 5040.0);
    private static final float SMALL1 = (float) (2 / Math.sqrt(Math.PI) - 1);
    private static final float SMALL3 = (float) (-3.7612638552783706e-1);
    private static final float SMALL5 = (float) (1.1283783443477044e-1);
    private static final float SMALL7 = (float) (-2.6865475497620493e-2);
    private static final float SMALL9 = (float) (5.221138657422737e-3);
    private static final float SMALL11 = (float) (-8.485438444539811e-4);
    private static final float SMALL13 = (float) (1.1274734964952914e-4);
    private static final float SMALL15 = (float) (-9.689733528116262e-06);
    private static final float LARGE1 = (float) (-1.128549598196468);
    private static final float LARGE2 = (float) (-6.35633543789135e-1);
    private static final float LARGE3 = (float) (-1.0524998634072458e-1);
    private static final float LARGE4 = (float) (2.266431674859427e-2);
    private static final float LARGE5 = (float) (-2.926320369174185e-3);
    private static final float LARGE6 = (float) (4.900655775112759e-05);
    private static final float LARGE7 = (float) (4.553715793343352e-05);
    private static final float LARGE8 = (float) (-4.921785416057182e-06);
    private static final float TWO = (float) (2);
    private static final float TANH3 = (float) (-0.3333326444566355);
    private static final float TANH5 = (float) (0.13330921276054072);
    private static final float TANH7 = (float) (-0.05369389858008667);
    private static final float TANH9 = (float) (0.02048480368013024);
    private static final float TANH11 = (float) (-0.00552929288300865);
    private static final float LN2_HIGH = (float) (0.693359375);
    private static final float LN2_LOW = (float) (Math.log(2) - 0.693359375);
    private static final float MINUS_HALF = (float) (-0.5);
    private static final float LOG3 = (float) (0.33333354047279196);
    private static final float LOG4 = (float) (-0.25000851943542873);
    private static final float LOG5 = (float) (0.19999826572956259);
    private static final float LOG6 = (float) (-0.16621369910240844);
    private static final float LOG7 = (float) (0.14227114035865265);
    private static final float LOG8 = (float) (-0.1320210420890212);
    private static final float LOG9 = (float) (0.12620327489033797);
    private static final float LOG10 = (float) (-0.07362867871611047);
    private static final float TWO_OVER_PI = (float) (2 / Math.PI);
    private static final float MINUS_HALF_PI_HIGH = (float) (-1.5707963705062866);
    private static final float MINUS_HALF_PI_MIDDLE = (float) (4.371138828673793e-08);
    private static final float MINUS_HALF_PI_LOW = (float) (1.7151245100058819e-15);
    private static final float SIN3 = (float) (-0.16666655054654922);
    private static final float SIN5 = (float) (0.008332180826166567);
    private static final float SIN7 = (float) (-0.0001951734659852997);
    private static final float COS4 = (float) (0.041666645427986454);
    private static final float COS6 = (float) (-0.0013887304755147139);
    private static final float COS8 = (float) (2.44319036777966e-05);
    private static final int SQRT_HALF_BITS = 0x3F3504F3;

    /** Above it the reduction of an angle would lose digits. */
    public static final float GREATEST_ANGLE = 30_000;

    private FloatMath() {}

    static float apply(UnaryFunction function, float x) {
        return switch (function) {
            case EXP -> exp(x);
            case SIGMOID -> ONE / (ONE + exp(-x));
            case LOG -> log(x);
            case TANH -> tanh(x);
            case ERF -> erf(x);
            case SIN -> Math.abs(x) <= GREATEST_ANGLE ? (x == 0 ? x : turned(x, 0)) : (float) Math.sin(x);
            case COS -> Math.abs(x) <= GREATEST_ANGLE ? turned(x, 1) : (float) Math.cos(x);
            case RSQRT -> ONE / (float) Math.sqrt(x);
            case NEG,
                    ABS,
                    SIGN,
                    EXP2,
                    EXPM1,
                    LOG2,
                    LOG10,
                    LOG1P,
                    SQRT,
                    RECIPROCAL,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    SINH,
                    COSH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    ERFC,
                    FLOOR,
                    CEIL,
                    ROUND,
                    TRUNC,
                    LOGICAL_NOT,
                    BITWISE_NOT,
                    ISNAN,
                    ISINF -> (float) Reals.apply(function, x);
        };
    }

    static float apply(BinaryFunction function, float a, float b) {
        return (float) Reals.apply(function, a, b);
    }

    /** e^x within 1 ulp; the vector form says how. */
    public static float exp(float x) {
        float shifted = Math.fma(x, LOG2_E, ROUNDER);
        float n = shifted - ROUNDER;
        float r = Math.fma(n, MINUS_LN2_LOW, Math.fma(n, MINUS_LN2_HIGH, x));
        int power = Float.floatToRawIntBits(shifted) - Float.floatToRawIntBits(ROUNDER);
        int half = power >> 1;
        float result = exponential(r) * powerOfTwo(half) * powerOfTwo(power - half);
        return x < -104 ? 0 : x > 89 ? Float.POSITIVE_INFINITY : result;
    }

    private static float expOfModerate(float x) {
        float shifted = Math.fma(x, LOG2_E, ROUNDER);
        float n = shifted - ROUNDER;
        float r = Math.fma(n, MINUS_LN2_LOW, Math.fma(n, MINUS_LN2_HIGH, x));
        return exponential(r) * powerOfTwo(Float.floatToRawIntBits(shifted) - Float.floatToRawIntBits(ROUNDER));
    }

    private static float exponential(float r) {
        float p = Math.fma(E7, r, E6);
        p = Math.fma(p, r, E5);
        p = Math.fma(p, r, E4);
        p = Math.fma(p, r, E3);
        p = Math.fma(p, r, E2);
        p = Math.fma(p, r, ONE);
        return Math.fma(p, r, ONE);
    }

    private static float powerOfTwo(int exponent) {
        return Float.intBitsToFloat((exponent + 127) << 23);
    }

    private static float erf(float x) {
        float a = Math.abs(x);
        if (a > 0.9f) {
            float tail = Math.fma(LARGE8, a, LARGE7);
            tail = Math.fma(tail, a, LARGE6);
            tail = Math.fma(tail, a, LARGE5);
            tail = Math.fma(tail, a, LARGE4);
            tail = Math.fma(tail, a, LARGE3);
            tail = Math.fma(tail, a, LARGE2);
            tail = Math.fma(tail, a, LARGE1) * a;
            return Math.copySign(a > 4 ? ONE : ONE - expOfModerate(tail), x);
        }
        float s = x * x;
        float p = Math.fma(SMALL15, s, SMALL13);
        p = Math.fma(p, s, SMALL11);
        p = Math.fma(p, s, SMALL9);
        p = Math.fma(p, s, SMALL7);
        p = Math.fma(p, s, SMALL5);
        p = Math.fma(p, s, SMALL3);
        p = Math.fma(p, s, SMALL1);
        return Math.fma(p, x, x);
    }

    private static float tanh(float x) {
        float a = Math.abs(x);
        if (x == 0) {
            return x;
        }
        if (a > 0.625f) {
            float bounded = a > 10 ? 10 : a;
            return Math.copySign(ONE - TWO / (expOfModerate(bounded + bounded) + ONE), x);
        }
        float s = x * x;
        float p = Math.fma(TANH11, s, TANH9);
        p = Math.fma(p, s, TANH7);
        p = Math.fma(p, s, TANH5);
        p = Math.fma(p, s, TANH3) * s;
        return Math.fma(p, x, x);
    }

    private static float log(float x) {
        if (!(x > 0) || x == Float.POSITIVE_INFINITY) {
            return x == 0 ? Float.NEGATIVE_INFINITY : x < 0 ? Float.NaN : x;
        }
        boolean subnormal = x < Float.MIN_NORMAL;
        int bits = Float.floatToRawIntBits(subnormal ? x * 0x1p23f : x);
        int exponent = (bits - SQRT_HALF_BITS) >> 23;
        float e = subnormal ? exponent - 23 : exponent;
        float f = Float.intBitsToFloat(bits - (exponent << 23)) - ONE;
        float p = Math.fma(LOG10, f, LOG9);
        p = Math.fma(p, f, LOG8);
        p = Math.fma(p, f, LOG7);
        p = Math.fma(p, f, LOG6);
        p = Math.fma(p, f, LOG5);
        p = Math.fma(p, f, LOG4);
        p = Math.fma(p, f, LOG3);
        p = Math.fma(p, f, MINUS_HALF) * (f * f);
        return Math.fma(e, LN2_HIGH, f + Math.fma(e, LN2_LOW, p));
    }

    private static float turned(float x, int rightAngles) {
        float shifted = Math.fma(x, TWO_OVER_PI, ROUNDER);
        float q = shifted - ROUNDER;
        float r = Math.fma(q, MINUS_HALF_PI_HIGH, x);
        r = Math.fma(q, MINUS_HALF_PI_LOW, Math.fma(q, MINUS_HALF_PI_MIDDLE, r));
        float s = r * r;
        int quadrant = Float.floatToRawIntBits(shifted) + rightAngles;
        float value;
        if ((quadrant & 1) == 0) {
            float p = Math.fma(SIN7, s, SIN5);
            p = Math.fma(p, s, SIN3) * s;
            value = Math.fma(p, r, r);
        } else {
            float p = Math.fma(COS8, s, COS6);
            p = Math.fma(p, s, COS4);
            p = Math.fma(p, s, MINUS_HALF);
            value = Math.fma(p, s, ONE);
        }
        return (quadrant & 2) == 0 ? value : -value;
    }
}
