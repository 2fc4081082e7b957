package org.dtorch.backend.cpu.vector;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/** Functions of float64 vectors that the Vector API lacks. */
final class DoubleFunctions {
    private static final VectorSpecies<Double> SPECIES = VectorWidth.shape().withLanes(double.class);

    /** Adding and subtracting it rounds what is smaller than 2^51 half to even; the sum's low bits are the integer. */
    private static final DoubleVector ROUNDER = constant(0x1.8p52);

    private static final DoubleVector INTEGRAL = constant(0x1p52);
    private static final DoubleVector LOG2_E = constant(1 / Math.log(2));
    private static final DoubleVector MINUS_LN2_HIGH = constant(-0x1.62e42fee00000p-1);
    private static final DoubleVector MINUS_LN2_LOW = constant(-0x1.a39ef35793c76p-33);
    private static final DoubleVector ONE = constant(1);
    private static final DoubleVector E2 = constant(1 / 2.0);
    private static final DoubleVector E3 = constant(1 / 6.0);
    private static final DoubleVector E4 = constant(1 / 24.0);
    private static final DoubleVector E5 = constant(1 / 120.0);
    private static final DoubleVector E6 = constant(1 / 720.0);
    private static final DoubleVector E7 = constant(1 / 5040.0);
    private static final DoubleVector E8 = constant(1 / 40320.0);
    private static final DoubleVector E9 = constant(1 / 362880.0);
    private static final DoubleVector E10 = constant(1 / 3628800.0);
    private static final DoubleVector E11 = constant(1 / 39916800.0);
    private static final DoubleVector E12 = constant(1 / 479001600.0);
    private static final DoubleVector E13 = constant(1 / 6227020800.0);

    private DoubleFunctions() {}

    private static DoubleVector constant(double value) {
        return DoubleVector.broadcast(SPECIES, value);
    }

    /** e^x within 1 ulp, as {@link FloatFunctions#exp}, with the Taylor polynomial of degree 13. */
    static DoubleVector exp(DoubleVector x) {
        DoubleVector shifted = x.fma(LOG2_E, ROUNDER);
        DoubleVector n = shifted.sub(ROUNDER);
        DoubleVector r = n.fma(MINUS_LN2_LOW, n.fma(MINUS_LN2_HIGH, x));
        DoubleVector p = E13.fma(r, E12)
                .fma(r, E11)
                .fma(r, E10)
                .fma(r, E9)
                .fma(r, E8)
                .fma(r, E7)
                .fma(r, E6);
        p = p.fma(r, E5).fma(r, E4).fma(r, E3).fma(r, E2).fma(r, ONE).fma(r, ONE);
        LongVector power = shifted.reinterpretAsLongs().sub(ROUNDER.reinterpretAsLongs());
        LongVector half = power.lanewise(ASHR, 1);
        DoubleVector result = p.mul(powerOfTwo(half)).mul(powerOfTwo(power.sub(half)));
        return result.blend(0, x.compare(LT, -746)).blend(Double.POSITIVE_INFINITY, x.compare(GT, 710));
    }

    private static DoubleVector powerOfTwo(LongVector exponent) {
        return exponent.add(1023).lanewise(LSHL, 52).reinterpretAsDoubles();
    }

    static DoubleVector trunc(DoubleVector x) {
        DoubleVector a = x.abs();
        DoubleVector near = a.add(INTEGRAL).sub(INTEGRAL);
        return integral(near.blend(near.sub(ONE), near.compare(GT, a)), a, x);
    }

    static DoubleVector floor(DoubleVector x) {
        DoubleVector cut = trunc(x);
        return cut.blend(cut.sub(ONE), cut.compare(GT, x));
    }

    /** Half to even. */
    static DoubleVector round(DoubleVector x) {
        DoubleVector a = x.abs();
        return integral(a.add(INTEGRAL).sub(INTEGRAL), a, x);
    }

    /** {@code magnitude} with the sign of x; x itself where it has no fraction or is NaN. */
    private static DoubleVector integral(DoubleVector magnitude, DoubleVector a, DoubleVector x) {
        LongVector sign = x.reinterpretAsLongs().and(Long.MIN_VALUE);
        DoubleVector signed = magnitude.reinterpretAsLongs().or(sign).reinterpretAsDoubles();
        return x.blend(signed, a.compare(LT, INTEGRAL));
    }
}
