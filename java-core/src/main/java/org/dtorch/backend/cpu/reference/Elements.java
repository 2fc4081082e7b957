package org.dtorch.backend.cpu.reference;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.dtorch.backend.Operand;

/** Single elements of an operand, by index: the slow way to its memory. */
public final class Elements {
    private Elements() {}

    /** The element at {@code index} as a real number; of an int64 beyond 2^53 the nearest one. */
    public static double real(Operand operand, long... index) {
        MemorySegment memory = operand.memory().segment();
        long at = position(operand, index);
        return switch (operand.dtype()) {
            case FLOAT32 -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at * 4);
            case FLOAT64 -> memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at * 8);
            case FLOAT16 -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at * 2));
            case BFLOAT16 -> Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at * 2) << 16);
            case BOOL, UINT8, INT8, INT16, INT32, INT64 -> integer(operand, index);
        };
    }

    /** The element at {@code index} as an integer; a float is cut as the x86 instruction does it. */
    public static long integer(Operand operand, long... index) {
        MemorySegment memory = operand.memory().segment();
        long at = position(operand, index);
        return switch (operand.dtype()) {
            case BOOL -> memory.get(ValueLayout.JAVA_BYTE, at) != 0 ? 1 : 0;
            case UINT8 -> memory.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
            case INT8 -> memory.get(ValueLayout.JAVA_BYTE, at);
            case INT16 -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at * 2);
            case INT32 -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, at * 4);
            case INT64 -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at * 8);
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> cut(real(operand, index));
        };
    }

    /** Stores a real number with PyTorch's cast to the operand's dtype. */
    public static void setReal(Operand operand, double value, long... index) {
        MemorySegment memory = operand.memory().segment();
        long at = position(operand, index);
        switch (operand.dtype()) {
            case FLOAT32 -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at * 4, (float) value);
            case FLOAT64 -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at * 8, value);
            case FLOAT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at * 2, Float.floatToFloat16((float) value));
            case BFLOAT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at * 2, bfloat16((float) value));
            case BOOL -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) (value != 0 ? 1 : 0));
            case UINT8, INT8, INT16, INT32 ->
                setInteger(
                        operand,
                        value > -2147483649.0 && value < 2147483648.0 ? (int) value : Integer.MIN_VALUE,
                        index);
            case INT64 -> setInteger(operand, cut(value), index);
        }
    }

    /** Stores an integer; what does not fit wraps. */
    public static void setInteger(Operand operand, long value, long... index) {
        MemorySegment memory = operand.memory().segment();
        long at = position(operand, index);
        switch (operand.dtype()) {
            case BOOL -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) (value != 0 ? 1 : 0));
            case UINT8, INT8 -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case INT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at * 2, (short) value);
            case INT32 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, at * 4, (int) value);
            case INT64 -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at * 8, value);
            case FLOAT32 -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at * 4, (float) value);
            case FLOAT16, BFLOAT16 -> setReal(operand, (float) value, index);
            case FLOAT64 -> setReal(operand, value, index);
        }
    }

    private static long position(Operand operand, long[] index) {
        long at = operand.offset();
        for (int d = 0; d < index.length; d++) {
            at += index[d] * operand.strides()[d];
        }
        return at;
    }

    private static long cut(double value) {
        return value >= -0x1p63 && value < 0x1p63 ? (long) value : Long.MIN_VALUE;
    }

    /** The nearest bfloat16, ties to the one whose last bit is 0. */
    private static short bfloat16(float value) {
        if (Float.isNaN(value)) {
            return 0x7FC0;
        }
        int bits = Float.floatToRawIntBits(value);
        int low = bits & 0xFFFF;
        int high = bits >>> 16;
        boolean up = low > 0x8000 || (low == 0x8000 && (high & 1) == 1);
        return (short) (up ? high + 1 : high);
    }
}
