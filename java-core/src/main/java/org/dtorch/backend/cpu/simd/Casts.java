package org.dtorch.backend.cpu.simd;

/**
 * Floating point to integer as the x86 instructions do it, which is what PyTorch shows: what does not fit, and NaN, becomes
 * the smallest integer. Narrower integers take the low bits of the int32.
 */
public final class Casts {
    private Casts() {}

    public static int toInt(double value) {
        return value > -2147483649.0 && value < 2147483648.0 ? (int) value : Integer.MIN_VALUE;
    }

    public static long toLong(double value) {
        return value >= -0x1p63 && value < 0x1p63 ? (long) value : Long.MIN_VALUE;
    }
}
