package org.dtorch.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.dtorch.placement.ReduceOp;
import org.dtorch.values.DType;

/**
 * A few thousand accumulators on the Java heap: float32 for the 16- and 32-bit floats, float64 for float64, int64 for bool
 * and the integers.
 */
sealed interface Tile {
    /** Sets the accumulators to {@code count} elements that lie {@code step} elements apart from byte {@code at}. */
    void load(MemorySegment segment, long at, long step, int count);

    /** Joins the accumulators with those of {@code other}, a tile of the same kind. */
    void join(ReduceOp op, Tile other, int count);

    /** Divides by the number of members, for an average. */
    void divide(int members, int count);

    void store(MemorySegment segment, long at, long step, int count);

    static Tile of(DType dtype, int capacity) {
        return switch (dtype) {
            case FLOAT16, BFLOAT16, FLOAT32 -> new Floats(dtype, new float[capacity]);
            case FLOAT64 -> new Doubles(new double[capacity]);
            case BOOL, UINT8, INT8, INT16, INT32, INT64 -> new Longs(dtype, new long[capacity]);
        };
    }

    record Floats(DType dtype, float[] values) implements Tile {
        @Override
        public void load(MemorySegment segment, long at, long step, int count) {
            long bytes = step * dtype.bytes();
            switch (dtype) {
                case FLOAT32 -> {
                    if (step == 1) {
                        MemorySegment.copy(segment, JAVA_FLOAT_UNALIGNED, at, values, 0, count);
                    } else {
                        for (int i = 0; i < count; i++) {
                            values[i] = segment.get(JAVA_FLOAT_UNALIGNED, at + i * bytes);
                        }
                    }
                }
                case FLOAT16 -> {
                    for (int i = 0; i < count; i++) {
                        values[i] = Float.float16ToFloat(segment.get(JAVA_SHORT_UNALIGNED, at + i * bytes));
                    }
                }
                default -> {
                    for (int i = 0; i < count; i++) {
                        values[i] = Float.intBitsToFloat(segment.get(JAVA_SHORT_UNALIGNED, at + i * bytes) << 16);
                    }
                }
            }
        }

        @Override
        public void join(ReduceOp op, Tile other, int count) {
            float[] left = values;
            float[] right = ((Floats) other).values;
            switch (op) {
                case SUM, AVG -> {
                    for (int i = 0; i < count; i++) {
                        left[i] += right[i];
                    }
                }
                case PRODUCT -> {
                    for (int i = 0; i < count; i++) {
                        left[i] *= right[i];
                    }
                }
                case MAX -> {
                    for (int i = 0; i < count; i++) {
                        left[i] = Math.max(left[i], right[i]);
                    }
                }
                case MIN -> {
                    for (int i = 0; i < count; i++) {
                        left[i] = Math.min(left[i], right[i]);
                    }
                }
            }
        }

        @Override
        public void divide(int members, int count) {
            for (int i = 0; i < count; i++) {
                values[i] /= members;
            }
        }

        @Override
        public void store(MemorySegment segment, long at, long step, int count) {
            long bytes = step * dtype.bytes();
            switch (dtype) {
                case FLOAT32 -> {
                    if (step == 1) {
                        MemorySegment.copy(values, 0, segment, JAVA_FLOAT_UNALIGNED, at, count);
                    } else {
                        for (int i = 0; i < count; i++) {
                            segment.set(JAVA_FLOAT_UNALIGNED, at + i * bytes, values[i]);
                        }
                    }
                }
                case FLOAT16 -> {
                    for (int i = 0; i < count; i++) {
                        segment.set(JAVA_SHORT_UNALIGNED, at + i * bytes, Float.floatToFloat16(values[i]));
                    }
                }
                default -> {
                    for (int i = 0; i < count; i++) {
                        segment.set(JAVA_SHORT_UNALIGNED, at + i * bytes, bfloat16(values[i]));
                    }
                }
            }
        }

        /** Rounds half to even, as PyTorch does. */
        private static short bfloat16(float value) {
            if (Float.isNaN(value)) {
                return (short) 0x7FC0;
            }
            int bits = Float.floatToRawIntBits(value);
            return (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16);
        }
    }

    record Doubles(double[] values) implements Tile {
        @Override
        public void load(MemorySegment segment, long at, long step, int count) {
            for (int i = 0; i < count; i++) {
                values[i] = segment.get(JAVA_DOUBLE_UNALIGNED, at + i * step * Double.BYTES);
            }
        }

        @Override
        public void join(ReduceOp op, Tile other, int count) {
            double[] right = ((Doubles) other).values;
            for (int i = 0; i < count; i++) {
                values[i] = switch (op) {
                    case SUM, AVG -> values[i] + right[i];
                    case PRODUCT -> values[i] * right[i];
                    case MAX -> Math.max(values[i], right[i]);
                    case MIN -> Math.min(values[i], right[i]);
                };
            }
        }

        @Override
        public void divide(int members, int count) {
            for (int i = 0; i < count; i++) {
                values[i] /= members;
            }
        }

        @Override
        public void store(MemorySegment segment, long at, long step, int count) {
            for (int i = 0; i < count; i++) {
                segment.set(JAVA_DOUBLE_UNALIGNED, at + i * step * Double.BYTES, values[i]);
            }
        }
    }

    record Longs(DType dtype, long[] values) implements Tile {
        @Override
        public void load(MemorySegment segment, long at, long step, int count) {
            long bytes = step * dtype.bytes();
            for (int i = 0; i < count; i++) {
                long byteAt = at + i * bytes;
                values[i] = switch (dtype) {
                    case BOOL -> segment.get(JAVA_BYTE, byteAt) != 0 ? 1 : 0;
                    case UINT8 -> segment.get(JAVA_BYTE, byteAt) & 0xFF;
                    case INT8 -> segment.get(JAVA_BYTE, byteAt);
                    case INT16 -> segment.get(JAVA_SHORT_UNALIGNED, byteAt);
                    case INT32 -> segment.get(JAVA_INT_UNALIGNED, byteAt);
                    default -> segment.get(JAVA_LONG_UNALIGNED, byteAt);
                };
            }
        }

        @Override
        public void join(ReduceOp op, Tile other, int count) {
            long[] right = ((Longs) other).values;
            for (int i = 0; i < count; i++) {
                values[i] = switch (op) {
                    case SUM, AVG -> values[i] + right[i];
                    case PRODUCT -> values[i] * right[i];
                    case MAX -> Math.max(values[i], right[i]);
                    case MIN -> Math.min(values[i], right[i]);
                };
            }
        }

        @Override
        public void divide(int members, int count) {
            throw new IllegalStateException("an average of integers is refused before");
        }

        /** Sums wrap to the dtype; any non-zero bool is true. */
        @Override
        public void store(MemorySegment segment, long at, long step, int count) {
            long bytes = step * dtype.bytes();
            for (int i = 0; i < count; i++) {
                long byteAt = at + i * bytes;
                switch (dtype) {
                    case BOOL -> segment.set(JAVA_BYTE, byteAt, (byte) (values[i] != 0 ? 1 : 0));
                    case UINT8, INT8 -> segment.set(JAVA_BYTE, byteAt, (byte) values[i]);
                    case INT16 -> segment.set(JAVA_SHORT_UNALIGNED, byteAt, (short) values[i]);
                    case INT32 -> segment.set(JAVA_INT_UNALIGNED, byteAt, (int) values[i]);
                    default -> segment.set(JAVA_LONG_UNALIGNED, byteAt, values[i]);
                }
            }
        }
    }
}
