package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Single elements of host memory. */
public final class HostElements {
    private HostElements() {}

    /** The element at {@code index} of a dense segment. */
    public static Scalar get(MemorySegment segment, long index, DType dtype) {
        return switch (dtype) {
            case BOOL -> Scalar.of(segment.get(ValueLayout.JAVA_BYTE, index) != 0);
            case UINT8 -> Scalar.of((long) Byte.toUnsignedInt(segment.get(ValueLayout.JAVA_BYTE, index)));
            case INT8 -> Scalar.of((long) segment.get(ValueLayout.JAVA_BYTE, index));
            case INT16 -> Scalar.of((long) segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2));
            case INT32 -> Scalar.of((long) segment.get(ValueLayout.JAVA_INT_UNALIGNED, index * 4));
            case INT64 -> Scalar.of(segment.get(ValueLayout.JAVA_LONG_UNALIGNED, index * 8));
            case FLOAT16 ->
                Scalar.of((double) Float.float16ToFloat(segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2)));
            case BFLOAT16 ->
                Scalar.of(
                        (double) Float.intBitsToFloat(segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2) << 16));
            case FLOAT32 -> Scalar.of((double) segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, index * 4));
            case FLOAT64 -> Scalar.of(segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, index * 8));
        };
    }

    /** Writes an element of a dense segment; numbers out of range wrap, as a cast does. */
    public static void set(MemorySegment segment, long index, DType dtype, Scalar value) {
        switch (dtype) {
            case BOOL -> segment.set(ValueLayout.JAVA_BYTE, index, (byte) (value.toDouble() != 0 ? 1 : 0));
            case UINT8, INT8 -> segment.set(ValueLayout.JAVA_BYTE, index, (byte) value.toLong());
            case INT16 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, (short) value.toLong());
            case INT32 -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, index * 4, (int) value.toLong());
            case INT64 -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, index * 8, value.toLong());
            case FLOAT16 ->
                segment.set(
                        ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, Float.floatToFloat16((float) value.toDouble()));
            case BFLOAT16 ->
                segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, toBfloat16((float) value.toDouble()));
            case FLOAT32 -> segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, index * 4, (float) value.toDouble());
            case FLOAT64 -> segment.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, index * 8, value.toDouble());
        }
    }

    /** Rounds to nearest, ties to even. */
    private static short toBfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) 0x7fc0;
        }
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }
}
