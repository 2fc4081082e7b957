package org.dtorch.backend.cpu.vector;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.IS_NAN;
import static jdk.incubator.vector.VectorOperators.IS_NEGATIVE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.XOR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Functions of float32 vectors that the Vector API lacks or computes less well.
 *
 * <p>Constants are vectors made once: a broadcast inside costs the compiler so many nodes that it would stop inlining.
 */
final class FloatFunctions {
    private static final VectorSpecies<Float> SPECIES = VectorWidth.shape().withLanes(float.class);

    /** Adding and subtracting it rounds what is smaller than 2^22 half to even; the sum's low bits are the integer. */
    private static final FloatVector ROUNDER = constant(0x1.8p23);

    private static final FloatVector INTEGRAL = constant(0x1p23);
    private static final FloatVector LOG2_E = constant(1 / Math.log(2));
    private static final FloatVector MINUS_LN2_HIGH = constant(-0.693359375);
    private static final FloatVector MINUS_LN2_LOW = constant(0.693359375 - Math.log(2));
    private static final FloatVector ONE = constant(1);
    private static final FloatVector E2 = constant(1 / 2.0);
    private static final FloatVector E3 = constant(1 / 6.0);
    private static final FloatVector E4 = constant(1 / 24.0);
    private static final FloatVector E5 = constant(1 / 120.0);
    private static final FloatVector E6 = constant(1 / 720.0);
    private static final FloatVector E7 = constant(1 / 5040.0);
    private static final FloatVector SMALL1 = constant(2 / Math.sqrt(Math.PI) - 1);
    private static final FloatVector SMALL3 = constant(-3.7612638552783706e-1);
    private static final FloatVector SMALL5 = constant(1.1283783443477044e-1);
    private static final FloatVector SMALL7 = constant(-2.6865475497620493e-2);
    private static final FloatVector SMALL9 = constant(5.221138657422737e-3);
    private static final FloatVector SMALL11 = constant(-8.485438444539811e-4);
    private static final FloatVector SMALL13 = constant(1.1274734964952914e-4);
    private static final FloatVector SMALL15 = constant(-9.689733528116262e-06);
    private static final FloatVector LARGE1 = constant(-1.128549598196468);
    private static final FloatVector LARGE2 = constant(-6.35633543789135e-1);
    private static final FloatVector LARGE3 = constant(-1.0524998634072458e-1);
    private static final FloatVector LARGE4 = constant(2.266431674859427e-2);
    private static final FloatVector LARGE5 = constant(-2.926320369174185e-3);
    private static final FloatVector LARGE6 = constant(4.900655775112759e-05);
    private static final FloatVector LARGE7 = constant(4.553715793343352e-05);
    private static final FloatVector LARGE8 = constant(-4.921785416057182e-06);

    private static final FloatVector TWO = constant(2);
    private static final FloatVector TANH3 = constant(-0.3333326444566355);
    private static final FloatVector TANH5 = constant(0.13330921276054072);
    private static final FloatVector TANH7 = constant(-0.05369389858008667);
    private static final FloatVector TANH9 = constant(0.02048480368013024);
    private static final FloatVector TANH11 = constant(-0.00552929288300865);
    private static final FloatVector LN2_HIGH = constant(0.693359375);
    private static final FloatVector LN2_LOW = constant(Math.log(2) - 0.693359375);
    private static final FloatVector MINUS_HALF = constant(-0.5);
    private static final FloatVector LOG3 = constant(0.33333354047279196);
    private static final FloatVector LOG4 = constant(-0.25000851943542873);
    private static final FloatVector LOG5 = constant(0.19999826572956259);
    private static final FloatVector LOG6 = constant(-0.16621369910240844);
    private static final FloatVector LOG7 = constant(0.14227114035865265);
    private static final FloatVector LOG8 = constant(-0.1320210420890212);
    private static final FloatVector LOG9 = constant(0.12620327489033797);
    private static final FloatVector LOG10 = constant(-0.07362867871611047);
    private static final FloatVector TWO_OVER_PI = constant(2 / Math.PI);
    private static final FloatVector MINUS_HALF_PI_HIGH = constant(-1.5707963705062866);
    private static final FloatVector MINUS_HALF_PI_MIDDLE = constant(4.371138828673793e-08);
    private static final FloatVector MINUS_HALF_PI_LOW = constant(1.7151245100058819e-15);
    private static final FloatVector SIN3 = constant(-0.16666655054654922);
    private static final FloatVector SIN5 = constant(0.008332180826166567);
    private static final FloatVector SIN7 = constant(-0.0001951734659852997);
    private static final FloatVector COS4 = constant(0.041666645427986454);
    private static final FloatVector COS6 = constant(-0.0013887304755147139);
    private static final FloatVector COS8 = constant(2.44319036777966e-05);
    private static final int SQRT_HALF_BITS = 0x3F3504F3;

    private FloatFunctions() {}

    private static FloatVector constant(double value) {
        return FloatVector.broadcast(SPECIES, (float) value);
    }

    /**
     * e^x within 1 ulp: {@code 2^n e^r} with {@code |r| <= ln(2)/2} and the Taylor polynomial of degree 7. The power of two
     * is applied in two halves, so that subnormal results and those just below infinity are right.
     */
    static FloatVector exp(FloatVector x) {
        FloatVector shifted = x.fma(LOG2_E, ROUNDER);
        FloatVector n = shifted.sub(ROUNDER);
        FloatVector r = n.fma(MINUS_LN2_LOW, n.fma(MINUS_LN2_HIGH, x));
        FloatVector p = E7.fma(r, E6)
                .fma(r, E5)
                .fma(r, E4)
                .fma(r, E3)
                .fma(r, E2)
                .fma(r, ONE)
                .fma(r, ONE);
        IntVector power = shifted.reinterpretAsInts().sub(ROUNDER.reinterpretAsInts());
        IntVector half = power.lanewise(ASHR, 1);
        FloatVector result = p.mul(powerOfTwo(half)).mul(powerOfTwo(power.sub(half)));
        return result.blend(0, x.compare(LT, -104)).blend(Float.POSITIVE_INFINITY, x.compare(GT, 89));
    }

    /** e^x within 1 ulp, for x from -80 to 80 only. */
    private static FloatVector expOfModerate(FloatVector x) {
        FloatVector shifted = x.fma(LOG2_E, ROUNDER);
        FloatVector n = shifted.sub(ROUNDER);
        FloatVector r = n.fma(MINUS_LN2_LOW, n.fma(MINUS_LN2_HIGH, x));
        FloatVector p = E7.fma(r, E6)
                .fma(r, E5)
                .fma(r, E4)
                .fma(r, E3)
                .fma(r, E2)
                .fma(r, ONE)
                .fma(r, ONE);
        return p.mul(powerOfTwo(shifted.reinterpretAsInts().sub(ROUNDER.reinterpretAsInts())));
    }

    private static FloatVector powerOfTwo(IntVector exponent) {
        return exponent.add(127).lanewise(LSHL, 23).reinterpretAsFloats();
    }

    /** The error function within 3 ulp: a polynomial below 0.9, above it {@code 1 - e^(-x p(x))}, from 4 on 1. */
    static FloatVector erf(FloatVector x) {
        FloatVector a = x.abs();
        FloatVector tail = LARGE8.fma(a, LARGE7)
                .fma(a, LARGE6)
                .fma(a, LARGE5)
                .fma(a, LARGE4)
                .fma(a, LARGE3)
                .fma(a, LARGE2)
                .fma(a, LARGE1)
                .mul(a);
        FloatVector large = ONE.sub(expOfModerate(tail)).blend(ONE, a.compare(GT, 4));
        FloatVector s = x.mul(x);
        FloatVector small = SMALL15.fma(s, SMALL13)
                .fma(s, SMALL11)
                .fma(s, SMALL9)
                .fma(s, SMALL7)
                .fma(s, SMALL5)
                .fma(s, SMALL3)
                .fma(s, SMALL1)
                .fma(x, x);
        return small.blend(withSign(large, x), a.compare(GT, 0.9f));
    }

    /** The hyperbolic tangent within 2 ulp: a polynomial below 0.625, above it {@code 1 - 2 / (e^(2x) + 1)}. */
    static FloatVector tanh(FloatVector x) {
        FloatVector a = x.abs();
        FloatVector bounded = a.blend(10, a.compare(GT, 10));
        FloatVector large = ONE.sub(TWO.div(expOfModerate(bounded.add(bounded)).add(ONE)));
        FloatVector s = x.mul(x);
        FloatVector p =
                TANH11.fma(s, TANH9).fma(s, TANH7).fma(s, TANH5).fma(s, TANH3).mul(s);
        return p.fma(x, x).blend(withSign(large, x), a.compare(GT, 0.625f)).blend(x, x.compare(EQ, 0)); // keeps -0
    }

    /**
     * The natural logarithm within 1 ulp: {@code x = 2^e (1 + f)} with {@code 1 + f} between the square roots of 1/2 and 2,
     * and {@code ln(1 + f) = f - f²/2 + f³ p(f)}.
     */
    static FloatVector log(FloatVector x) {
        VectorMask<Float> subnormal = x.compare(LT, Float.MIN_NORMAL);
        IntVector bits = x.blend(x.mul(0x1p23f), subnormal).reinterpretAsInts();
        IntVector exponent = bits.sub(SQRT_HALF_BITS).lanewise(ASHR, 23);
        FloatVector e =
                exponent.add(ROUNDER.reinterpretAsInts()).reinterpretAsFloats().sub(ROUNDER);
        e = e.blend(e.sub(23), subnormal);
        FloatVector f =
                bits.sub(exponent.lanewise(LSHL, 23)).reinterpretAsFloats().sub(ONE);
        FloatVector p = LOG10.fma(f, LOG9)
                .fma(f, LOG8)
                .fma(f, LOG7)
                .fma(f, LOG6)
                .fma(f, LOG5)
                .fma(f, LOG4)
                .fma(f, LOG3)
                .fma(f, MINUS_HALF)
                .mul(f.mul(f));
        FloatVector result = e.fma(LN2_HIGH, f.add(e.fma(LN2_LOW, p)));
        return atTheEdge(result, x);
    }

    private static FloatVector atTheEdge(FloatVector logarithm, FloatVector x) {
        return logarithm
                .blend(x, x.compare(EQ, Float.POSITIVE_INFINITY).or(x.test(IS_NAN)))
                .blend(Float.NaN, x.compare(LT, 0))
                .blend(Float.NEGATIVE_INFINITY, x.compare(EQ, 0));
    }

    /** The sine within 2 ulp, of angles up to {@link org.dtorch.backend.cpu.simd.FloatMath#GREATEST_ANGLE}. */
    static FloatVector sin(FloatVector x) {
        return turned(x, 0).blend(x, x.compare(EQ, 0)); // keeps -0
    }

    /** The cosine within 2 ulp, of angles up to {@link org.dtorch.backend.cpu.simd.FloatMath#GREATEST_ANGLE}. */
    static FloatVector cos(FloatVector x) {
        return turned(x, 1);
    }

    /** The sine of {@code x} plus a number of right angles. */
    private static FloatVector turned(FloatVector x, int rightAngles) {
        FloatVector shifted = x.fma(TWO_OVER_PI, ROUNDER);
        FloatVector q = shifted.sub(ROUNDER);
        FloatVector r = q.fma(MINUS_HALF_PI_LOW, q.fma(MINUS_HALF_PI_MIDDLE, q.fma(MINUS_HALF_PI_HIGH, x)));
        FloatVector s = r.mul(r);
        FloatVector sine = SIN7.fma(s, SIN5).fma(s, SIN3).mul(s).fma(r, r);
        FloatVector cosine = COS8.fma(s, COS6).fma(s, COS4).fma(s, MINUS_HALF).fma(s, ONE);
        IntVector quadrant = shifted.reinterpretAsInts().add(rightAngles);
        VectorMask<Float> odd =
                quadrant.lanewise(LSHL, 31).reinterpretAsFloats().test(IS_NEGATIVE);
        IntVector sign = quadrant.lanewise(LSHL, 30).and(Integer.MIN_VALUE);
        return sine.blend(cosine, odd).reinterpretAsInts().lanewise(XOR, sign).reinterpretAsFloats();
    }

    static FloatVector trunc(FloatVector x) {
        FloatVector a = x.abs();
        FloatVector near = a.add(INTEGRAL).sub(INTEGRAL);
        return integral(near.blend(near.sub(ONE), near.compare(GT, a)), a, x);
    }

    static FloatVector floor(FloatVector x) {
        FloatVector cut = trunc(x);
        return cut.blend(cut.sub(ONE), cut.compare(GT, x));
    }

    /** Half to even. */
    static FloatVector round(FloatVector x) {
        FloatVector a = x.abs();
        return integral(a.add(INTEGRAL).sub(INTEGRAL), a, x);
    }

    /** {@code magnitude} with the sign of x; x itself where it has no fraction or is NaN. */
    private static FloatVector integral(FloatVector magnitude, FloatVector a, FloatVector x) {
        return x.blend(withSign(magnitude, x), a.compare(LT, INTEGRAL));
    }

    private static FloatVector withSign(FloatVector magnitude, FloatVector x) {
        IntVector sign = x.reinterpretAsInts().and(Integer.MIN_VALUE);
        return magnitude.reinterpretAsInts().or(sign).reinterpretAsFloats();
    }
}
