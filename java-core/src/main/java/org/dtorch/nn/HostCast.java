package org.dtorch.nn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.dtorch.dispatch.HostElements;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Conversion of dense host memory between dtypes, rounding to nearest even. */
final class HostCast {
    private HostCast() {}

    static void convert(MemorySegment from, DType fromType, MemorySegment to, DType toType, long numel) {
        if (fromType.isFloating() && toType == DType.FLOAT32) {
            for (long i = 0; i < numel; i++) {
                to.set(ValueLayout.JAVA_FLOAT_UNALIGNED, i * 4, floatAt(from, fromType, i));
            }
            return;
        }
        for (long i = 0; i < numel; i++) {
            Scalar value = HostElements.get(from, i, fromType);
            HostElements.set(to, i, toType, value);
        }
    }

    private static float floatAt(MemorySegment from, DType type, long i) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat(from.get(ValueLayout.JAVA_SHORT_UNALIGNED, i * 2));
            case BFLOAT16 -> Float.intBitsToFloat(from.get(ValueLayout.JAVA_SHORT_UNALIGNED, i * 2) << 16);
            case FLOAT64 -> (float) from.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * 8);
            default -> from.get(ValueLayout.JAVA_FLOAT_UNALIGNED, i * 4);
        };
    }
}
