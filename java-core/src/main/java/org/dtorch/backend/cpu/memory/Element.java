package org.dtorch.backend.cpu.memory;

import org.dtorch.values.DType;

/** One element of any dtype by its address, for kernels that move values one at a time. */
public final class Element {
    private Element() {}

    /** The element as a real number; of an int64 beyond 2^53 the nearest one. */
    public static double real(DType dtype, long address) {
        return switch (dtype) {
            case FLOAT32 -> Native.getFloat(address);
            case FLOAT64 -> Native.getDouble(address);
            case FLOAT16 -> HalfFloats.fromFloat16(Native.getShort(address));
            case BFLOAT16 -> HalfFloats.fromBfloat16(Native.getShort(address));
            case BOOL, UINT8, INT8, INT16, INT32, INT64 -> integer(dtype, address);
        };
    }

    /** The element of a bool or integer dtype. */
    public static long integer(DType dtype, long address) {
        return switch (dtype) {
            case INT64 -> Native.getLong(address);
            case INT32 -> Native.getInt(address);
            case INT16 -> Native.getShort(address);
            case INT8 -> Native.getByte(address);
            case UINT8 -> Native.getByte(address) & 0xFF;
            case BOOL -> Native.getByte(address) != 0 ? 1 : 0;
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> (long) real(dtype, address);
        };
    }

    public static boolean isNonZero(DType dtype, long address) {
        return dtype.isFloating() ? real(dtype, address) != 0 : integer(dtype, address) != 0;
    }

    /** Stores a real number in a floating dtype. */
    public static void putReal(DType dtype, long address, double value) {
        switch (dtype) {
            case FLOAT32 -> Native.putFloat(address, (float) value);
            case FLOAT64 -> Native.putDouble(address, value);
            case FLOAT16 -> Native.putShort(address, HalfFloats.toFloat16((float) value));
            case BFLOAT16 -> Native.putShort(address, HalfFloats.toBfloat16((float) value));
            case BOOL -> Native.putByte(address, (byte) (value != 0 ? 1 : 0));
            case UINT8, INT8, INT16, INT32, INT64 -> putInteger(dtype, address, (long) value);
        }
    }

    /** Stores an integer; what does not fit an integer dtype wraps. */
    public static void putInteger(DType dtype, long address, long value) {
        switch (dtype) {
            case INT64 -> Native.putLong(address, value);
            case INT32 -> Native.putInt(address, (int) value);
            case INT16 -> Native.putShort(address, (short) value);
            case INT8, UINT8 -> Native.putByte(address, (byte) value);
            case BOOL -> Native.putByte(address, (byte) (value != 0 ? 1 : 0));
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> putReal(dtype, address, value);
        }
    }

    /** Adds one element to another of its dtype; integers wrap, bools are joined by or. */
    public static void add(DType dtype, long to, long from) {
        if (dtype.isFloating()) {
            putReal(dtype, to, real(dtype, to) + real(dtype, from));
        } else {
            putInteger(dtype, to, integer(dtype, to) + integer(dtype, from));
        }
    }

    /** Copies {@code n} elements of {@code bytes} bytes between two step widths, in bytes. */
    public static void copy(int bytes, long from, long fromStep, long to, long toStep, long n) {
        if (fromStep == bytes && toStep == bytes) {
            Native.copy(from, to, n * bytes);
            return;
        }
        switch (bytes) {
            case 1 -> {
                for (long i = 0; i < n; i++) {
                    Native.putByte(to + i * toStep, Native.getByte(from + i * fromStep));
                }
            }
            case 2 -> {
                for (long i = 0; i < n; i++) {
                    Native.putShort(to + i * toStep, Native.getShort(from + i * fromStep));
                }
            }
            case 4 -> {
                for (long i = 0; i < n; i++) {
                    Native.putInt(to + i * toStep, Native.getInt(from + i * fromStep));
                }
            }
            default -> {
                for (long i = 0; i < n; i++) {
                    Native.putLong(to + i * toStep, Native.getLong(from + i * fromStep));
                }
            }
        }
    }

    /** Sets {@code n} elements to 0. */
    public static void clear(DType dtype, long to, long step, long n) {
        if (step == dtype.bytes()) {
            Native.ALL.asSlice(to, n * step).fill((byte) 0);
            return;
        }
        for (long i = 0; i < n; i++) {
            putInteger(dtype, to + i * step, 0);
        }
    }
}
