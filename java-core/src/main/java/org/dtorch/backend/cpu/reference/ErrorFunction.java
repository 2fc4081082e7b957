package org.dtorch.backend.cpu.reference;

/** The error function and its complement, to about 1e-15 of their size. */
final class ErrorFunction {
    private static final double TWO_OVER_SQRT_PI = 2 / Math.sqrt(Math.PI);

    private ErrorFunction() {}

    static double erf(double x) {
        double a = Math.abs(x);
        if (Double.isNaN(a)) {
            return x;
        }
        return a < 2 ? series(x) : Math.copySign(a > 6 ? 1 : 1 - tail(a), x);
    }

    static double erfc(double x) {
        if (Double.isNaN(x)) {
            return x;
        }
        if (x < 0.7) {
            return x < -6 ? 2 : 1 - erf(x);
        }
        return x > 28 ? 0 : tail(x);
    }

    /** {@code 2/sqrt(pi) e^(-x²) Σ 2^k x^(2k+1) / (1·3·…·(2k+1))}: all terms have one sign, so nothing cancels. */
    private static double series(double x) {
        double square = x * x;
        double term = x;
        double sum = x;
        for (int k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
            term *= 2 * square / (2 * k + 1);
            sum += term;
        }
        return TWO_OVER_SQRT_PI * gaussian(x) * sum;
    }

    /** erfc by its continued fraction, for {@code x >= 0.7}. */
    private static double tail(double x) {
        double denominator = x;
        for (int k = (int) (200 / (x * x)) + 12; k >= 1; k--) {
            denominator = x + 0.5 * k / denominator;
        }
        return gaussian(x) / (Math.sqrt(Math.PI) * denominator);
    }

    /** {@code e^(-x²)}; the square of the float32 part is exact, so the exponential keeps its relative accuracy. */
    private static double gaussian(double x) {
        double high = (float) x;
        return Math.exp(-high * high) * Math.exp((high - x) * (high + x));
    }
}
