package org.dtorch.backend.cpu.simd;

import org.dtorch.recipe.Recipe.Combine;

/** What float32 and float64 share: accumulators are float64. */
abstract class RealBlocks implements BlockMath {
    @Override
    public final long neutral(Combine combine) {
        return Double.doubleToRawLongBits(neutralValue(combine));
    }

    @Override
    public final long join(Combine combine, long a, long b) {
        double value = combine(combine, Double.longBitsToDouble(a), Double.longBitsToDouble(b));
        return Double.doubleToRawLongBits(value);
    }

    static double neutralValue(Combine combine) {
        return switch (combine) {
            case SUM, ANY -> 0;
            case PROD, ALL -> 1;
            case MAX -> Double.NEGATIVE_INFINITY;
            case MIN -> Double.POSITIVE_INFINITY;
        };
    }

    static double combine(Combine combine, double a, double b) {
        return switch (combine) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case ANY -> a != 0 || b != 0 ? 1 : 0;
            case ALL -> a != 0 && b != 0 ? 1 : 0;
        };
    }
}
