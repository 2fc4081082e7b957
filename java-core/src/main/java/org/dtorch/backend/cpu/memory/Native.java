package org.dtorch.backend.cpu.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.dtorch.backend.Operand;
import org.dtorch.values.DTorchError;

/**
 * Native memory by address: what the CPU kernels read and write.
 *
 * <p>One segment spans the address space, so that a kernel passes plain addresses and its loops need no check per access.
 * {@link #address(Operand)} makes that safe: it checks once that every element of an operand lies in its block.
 */
public final class Native {
    /** The whole address space; an offset in it is an address. */
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private Native() {}

    /**
     * The address of an operand's first element.
     *
     * @throws DTorchError of kind RUNTIME when an element lies outside the operand's block
     */
    public static long address(Operand operand) {
        long first = operand.offset();
        long last = first;
        long[] sizes = operand.sizes();
        long[] strides = operand.strides();
        for (int d = 0; d < sizes.length; d++) {
            if (sizes[d] == 0) {
                return operand.memory().segment().address();
            }
            long reach = (sizes[d] - 1) * strides[d];
            if (reach < 0) {
                first += reach;
            } else {
                last += reach;
            }
        }
        MemorySegment segment = operand.memory().segment();
        int bytes = operand.dtype().bytes();
        if (first < 0 || (last + 1) * bytes > segment.byteSize()) {
            throw DTorchError.runtime(
                    "operand %s reaches elements %d to %d of a block of %d bytes",
                    operand.dtype(), first, last, segment.byteSize());
        }
        return segment.address() + operand.offset() * bytes;
    }

    public static byte getByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    public static short getShort(long address) {
        return ALL.get(SHORT, address);
    }

    public static int getInt(long address) {
        return ALL.get(INT, address);
    }

    public static long getLong(long address) {
        return ALL.get(LONG, address);
    }

    public static float getFloat(long address) {
        return ALL.get(FLOAT, address);
    }

    public static double getDouble(long address) {
        return ALL.get(DOUBLE, address);
    }

    public static void putByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    public static void putShort(long address, short value) {
        ALL.set(SHORT, address, value);
    }

    public static void putInt(long address, int value) {
        ALL.set(INT, address, value);
    }

    public static void putLong(long address, long value) {
        ALL.set(LONG, address, value);
    }

    public static void putFloat(long address, float value) {
        ALL.set(FLOAT, address, value);
    }

    public static void putDouble(long address, double value) {
        ALL.set(DOUBLE, address, value);
    }

    public static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }
}
