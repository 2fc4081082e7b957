package org.dtorch.backend.cpu.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Runs of native memory as arrays, and back.
 *
 * <p>The plain loops work on arrays: before it is compiled, an access to native memory costs ten times what one to an array
 * does, and a script that computes little never gets further.
 */
public final class Runs {
    private Runs() {}

    /** The {@code n} values that lie {@code step} bytes apart. */
    public static byte[] bytes(long from, long step, int n) {
        byte[] values = new byte[n];
        if (step == 1) {
            MemorySegment.copy(Native.ALL, ValueLayout.JAVA_BYTE, from, values, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                values[i] = Native.getByte(from + step * i);
            }
        }
        return values;
    }

    /** Writes the first {@code n} values {@code step} bytes apart. */
    public static void put(byte[] values, long to, long step, int n) {
        if (step == 1) {
            MemorySegment.copy(values, 0, Native.ALL, ValueLayout.JAVA_BYTE, to, n);
        } else {
            for (int i = 0; i < n; i++) {
                Native.putByte(to + step * i, values[i]);
            }
        }
    }

    /** The {@code n} values that lie {@code step} bytes apart. */
    public static short[] shorts(long from, long step, int n) {
        short[] values = new short[n];
        if (step == 2) {
            MemorySegment.copy(Native.ALL, ValueLayout.JAVA_SHORT_UNALIGNED, from, values, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                values[i] = Native.getShort(from + step * i);
            }
        }
        return values;
    }

    /** Writes the first {@code n} values {@code step} bytes apart. */
    public static void put(short[] values, long to, long step, int n) {
        if (step == 2) {
            MemorySegment.copy(values, 0, Native.ALL, ValueLayout.JAVA_SHORT_UNALIGNED, to, n);
        } else {
            for (int i = 0; i < n; i++) {
                Native.putShort(to + step * i, values[i]);
            }
        }
    }

    /** The {@code n} values that lie {@code step} bytes apart. */
    public static int[] ints(long from, long step, int n) {
        int[] values = new int[n];
        if (step == 4) {
            MemorySegment.copy(Native.ALL, ValueLayout.JAVA_INT_UNALIGNED, from, values, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                values[i] = Native.getInt(from + step * i);
            }
        }
        return values;
    }

    /** Writes the first {@code n} values {@code step} bytes apart. */
    public static void put(int[] values, long to, long step, int n) {
        if (step == 4) {
            MemorySegment.copy(values, 0, Native.ALL, ValueLayout.JAVA_INT_UNALIGNED, to, n);
        } else {
            for (int i = 0; i < n; i++) {
                Native.putInt(to + step * i, values[i]);
            }
        }
    }

    /** The {@code n} values that lie {@code step} bytes apart. */
    public static long[] longs(long from, long step, int n) {
        long[] values = new long[n];
        if (step == 8) {
            MemorySegment.copy(Native.ALL, ValueLayout.JAVA_LONG_UNALIGNED, from, values, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                values[i] = Native.getLong(from + step * i);
            }
        }
        return values;
    }

    /** Writes the first {@code n} values {@code step} bytes apart. */
    public static void put(long[] values, long to, long step, int n) {
        if (step == 8) {
            MemorySegment.copy(values, 0, Native.ALL, ValueLayout.JAVA_LONG_UNALIGNED, to, n);
        } else {
            for (int i = 0; i < n; i++) {
                Native.putLong(to + step * i, values[i]);
            }
        }
    }

    /** The {@code n} values that lie {@code step} bytes apart. */
    public static float[] floats(long from, long step, int n) {
        float[] values = new float[n];
        if (step == 4) {
            MemorySegment.copy(Native.ALL, ValueLayout.JAVA_FLOAT_UNALIGNED, from, values, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                values[i] = Native.getFloat(from + step * i);
            }
        }
        return values;
    }

    /** Writes the first {@code n} values {@code step} bytes apart. */
    public static void put(float[] values, long to, long step, int n) {
        if (step == 4) {
            MemorySegment.copy(values, 0, Native.ALL, ValueLayout.JAVA_FLOAT_UNALIGNED, to, n);
        } else {
            for (int i = 0; i < n; i++) {
                Native.putFloat(to + step * i, values[i]);
            }
        }
    }

    /** The {@code n} values that lie {@code step} bytes apart. */
    public static double[] doubles(long from, long step, int n) {
        double[] values = new double[n];
        if (step == 8) {
            MemorySegment.copy(Native.ALL, ValueLayout.JAVA_DOUBLE_UNALIGNED, from, values, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                values[i] = Native.getDouble(from + step * i);
            }
        }
        return values;
    }

    /** Writes the first {@code n} values {@code step} bytes apart. */
    public static void put(double[] values, long to, long step, int n) {
        if (step == 8) {
            MemorySegment.copy(values, 0, Native.ALL, ValueLayout.JAVA_DOUBLE_UNALIGNED, to, n);
        } else {
            for (int i = 0; i < n; i++) {
                Native.putDouble(to + step * i, values[i]);
            }
        }
    }
}
