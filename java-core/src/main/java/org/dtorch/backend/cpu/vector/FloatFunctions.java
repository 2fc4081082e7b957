package org.dtorch.backend.cpu.vector;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
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
        FloatVector p = E7.fma(r, E6).fma(r, E5).fma(r, E4).fma(r, E3).fma(r, E2).fma(r, ONE).fma(r, ONE);
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
        FloatVector p = E7.fma(r, E6).fma(r, E5).fma(r, E4).fma(r, E3).fma(r, E2).fma(r, ONE).fma(r, ONE);
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
