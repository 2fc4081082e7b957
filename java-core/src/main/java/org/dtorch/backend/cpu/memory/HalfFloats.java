package org.dtorch.backend.cpu.memory;

/** The 16-bit floats as bits: float16 and bfloat16 to float32 and back, rounded half to even. */
public final class HalfFloats {
    private HalfFloats() {}

    public static float fromFloat16(short bits) {
        return Float.float16ToFloat(bits);
    }

    public static short toFloat16(float value) {
        return Float.floatToFloat16(value);
    }

    public static float fromBfloat16(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /** NaN becomes the quiet NaN 0x7FC0, as in PyTorch. */
    public static short toBfloat16(float value) {
        if (Float.isNaN(value)) {
            return 0x7FC0;
        }
        int bits = Float.floatToRawIntBits(value);
        return (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16);
    }
}
