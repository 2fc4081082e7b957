package org.dtorch.backend.cpu.vector;

import static jdk.incubator.vector.VectorOperators.EXP;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;

/** Functions of float64 vectors that the Vector API lacks. */
final class DoubleFunctions {
    private static final double INTEGRAL = 0x1p52;

    private DoubleFunctions() {}

    static DoubleVector exp(DoubleVector x) {
        return x.lanewise(EXP);
    }

    static DoubleVector trunc(DoubleVector x) {
        DoubleVector a = x.abs();
        DoubleVector near = a.add(INTEGRAL).sub(INTEGRAL);
        return integral(near.blend(near.sub(1), near.compare(GT, a)), a, x);
    }

    static DoubleVector floor(DoubleVector x) {
        DoubleVector cut = trunc(x);
        return cut.blend(cut.sub(1), cut.compare(GT, x));
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
