package org.dtorch.random;

/**
 * The float32 logarithm, sine and cosine inside PyTorch's normal fill on x86.
 *
 * <p>The polynomials are those of {@code logf} and {@code sinf} in Moshier's Cephes library. PyTorch's compiler joins
 * products and sums into fused multiply-adds; the same ones are joined here, so that the bits are PyTorch's. Selections
 * are made by masks instead of branches, which lets the JIT compile loops over these functions to vector code.
 */
final class CephesFloat {
    private static final int SQRT_HALF_BITS = Float.floatToRawIntBits(0.707106781186547524f);
    private static final int ONE_BITS = Float.floatToRawIntBits(1f);
    private static final float FOUR_OVER_PI = 1.27323954473516f;
    private static final float LN2_LOW = -2.12194440e-4f;
    private static final float LN2_HIGH = 0.693359375f;

    private CephesFloat() {}

    /** The natural logarithm of a normal number greater than zero. */
    static float log(float value) {
        int bits = Float.floatToRawIntBits(value);
        int mantissa = (bits & 0x007fffff) | 0x3f000000; // of a number in [0.5, 1)
        int below = (mantissa - SQRT_HALF_BITS) >> 31; // all ones where it is less than the root of one half
        float exponent = ((bits >>> 23) - 126) - Float.intBitsToFloat(below & ONE_BITS);
        float x = (Float.intBitsToFloat(mantissa) - 1) + Float.intBitsToFloat(below & mantissa);
        float square = x * x;
        float y = Math.fma(7.0376836292E-2f, x, -1.1514610310E-1f);
        y = Math.fma(y, x, 1.1676998740E-1f);
        y = Math.fma(y, x, -1.2420140846E-1f);
        y = Math.fma(y, x, 1.4249322787E-1f);
        y = Math.fma(y, x, -1.6668057665E-1f);
        y = Math.fma(y, x, 2.0000714765E-1f);
        y = Math.fma(y, x, -2.4999993993E-1f);
        y = Math.fma(y, x, 3.3333331174E-1f);
        y = Math.fma(y * x, square, exponent * LN2_LOW);
        y = Math.fma(-square, 0.5f, y);
        return Math.fma(exponent, LN2_HIGH, x + y);
    }

    /** The sine of an angle in [0, 8192). */
    static float sin(float angle) {
        int octant = octant(angle);
        float x = reduce(angle, octant);
        int swap = (octant << 30) >> 31; // all ones where the cosine's polynomial serves
        return select(swap, cosineNearZero(x), sineNearZero(x), (octant & 4) << 29);
    }

    /** The cosine of an angle in [0, 8192). */
    static float cos(float angle) {
        int octant = octant(angle);
        float x = reduce(angle, octant);
        int swap = (octant << 30) >> 31;
        return select(swap, sineNearZero(x), cosineNearZero(x), (~(octant - 2) & 4) << 29);
    }

    private static float select(int mask, float whereSet, float otherwise, int sign) {
        int bits = (Float.floatToRawIntBits(whereSet) & mask) | (Float.floatToRawIntBits(otherwise) & ~mask);
        return Float.intBitsToFloat(bits ^ sign);
    }

    private static int octant(float angle) {
        return ((int) (angle * FOUR_OVER_PI) + 1) & ~1;
    }

    private static float reduce(float angle, int octant) {
        float steps = octant;
        float x = Math.fma(steps, -0.78515625f, angle);
        x = Math.fma(steps, -2.4187564849853515625e-4f, x);
        return Math.fma(steps, -3.77489497744594108e-8f, x);
    }

    private static float cosineNearZero(float x) {
        float square = x * x;
        float y = Math.fma(2.443315711809948E-005f, square, -1.388731625493765E-003f);
        y = Math.fma(y, square, 4.166664568298827E-002f);
        y = y * square;
        return Math.fma(y, square, -(square * 0.5f)) + 1;
    }

    private static float sineNearZero(float x) {
        float square = x * x;
        float y = Math.fma(-1.9515295891E-4f, square, 8.3321608736E-3f);
        y = Math.fma(y, square, -1.6666654611E-1f);
        return Math.fma(y * square, x, x);
    }
}
