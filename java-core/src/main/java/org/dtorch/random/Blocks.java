package org.dtorch.random;

import java.lang.foreign.MemorySegment;
import org.dtorch.random.TorchRandom.BlockSink;
import org.dtorch.values.DType;

/** Walks a tensor in blocks, fills each in the type that the draws have, and hands it on in the tensor's dtype. */
final class Blocks {
    private Blocks() {}

    interface Floats {
        /** Fills {@code block[0, count)}. */
        void fill(float[] block, int count, boolean last);
    }

    interface Doubles {
        void fill(double[] block, int count, boolean last);
    }

    interface Longs {
        void fill(long[] block, int count);
    }

    static void floats(DType dtype, long numel, Floats source, BlockSink sink) {
        float[] block = new float[capacity(numel)];
        Object out = dtype == DType.FLOAT32 ? block : array(dtype, block.length);
        for (long start = 0; start < numel; ) {
            int count = count(start, numel);
            source.fill(block, count, start + count == numel);
            if (out != block) {
                for (int i = 0; i < count; i++) {
                    put(dtype, out, i, block[i]);
                }
            }
            sink.accept(start, segment(out, (long) count * dtype.bytes()));
            start += count;
        }
    }

    static void doubles(DType dtype, long numel, Doubles source, BlockSink sink) {
        double[] block = new double[capacity(numel)];
        Object out = dtype == DType.FLOAT64 ? block : array(dtype, block.length);
        for (long start = 0; start < numel; ) {
            int count = count(start, numel);
            source.fill(block, count, start + count == numel);
            if (out != block) {
                for (int i = 0; i < count; i++) {
                    put(dtype, out, i, block[i]);
                }
            }
            sink.accept(start, segment(out, (long) count * dtype.bytes()));
            start += count;
        }
    }

    static void longs(DType dtype, long numel, Longs source, BlockSink sink) {
        long[] block = new long[capacity(numel)];
        Object out = dtype == DType.INT64 ? block : array(dtype, block.length);
        for (long start = 0; start < numel; ) {
            int count = count(start, numel);
            source.fill(block, count);
            if (out != block) {
                for (int i = 0; i < count; i++) {
                    put(dtype, out, i, block[i]);
                }
            }
            sink.accept(start, segment(out, (long) count * dtype.bytes()));
            start += count;
        }
    }

    /** The last block takes up to 15 elements more, so that it never has fewer than 16 where the tensor has as many. */
    private static int count(long start, long numel) {
        long left = numel - start;
        return left < TorchRandom.BLOCK_ELEMENTS + 16 ? (int) left : TorchRandom.BLOCK_ELEMENTS;
    }

    private static int capacity(long numel) {
        return (int) Math.min(numel, TorchRandom.BLOCK_ELEMENTS + 15);
    }

    private static Object array(DType dtype, int length) {
        return switch (dtype) {
            case BOOL, UINT8, INT8 -> new byte[length];
            case INT16, FLOAT16, BFLOAT16 -> new short[length];
            case INT32 -> new int[length];
            case INT64 -> new long[length];
            case FLOAT32 -> new float[length];
            case FLOAT64 -> new double[length];
        };
    }

    private static MemorySegment segment(Object array, long bytes) {
        MemorySegment all = switch (array) {
            case byte[] a -> MemorySegment.ofArray(a);
            case short[] a -> MemorySegment.ofArray(a);
            case int[] a -> MemorySegment.ofArray(a);
            case long[] a -> MemorySegment.ofArray(a);
            case float[] a -> MemorySegment.ofArray(a);
            case double[] a -> MemorySegment.ofArray(a);
            default -> throw new IllegalArgumentException("no block of " + array.getClass());
        };
        return all.asSlice(0, bytes);
    }

    /** Casts as C++ does: halves by way of float32, integers by cutting. */
    private static void put(DType dtype, Object out, int i, double value) {
        switch (dtype) {
            case FLOAT64 -> ((double[]) out)[i] = value;
            case FLOAT32 -> ((float[]) out)[i] = (float) value;
            case FLOAT16 -> ((short[]) out)[i] = Float.floatToFloat16((float) value);
            case BFLOAT16 -> ((short[]) out)[i] = toBfloat16((float) value);
            case INT64, INT32, INT16, INT8, UINT8, BOOL -> put(dtype, out, i, (long) value);
        }
    }

    private static void put(DType dtype, Object out, int i, long value) {
        switch (dtype) {
            case INT64 -> ((long[]) out)[i] = value;
            case INT32 -> ((int[]) out)[i] = (int) value;
            case INT16 -> ((short[]) out)[i] = (short) value;
            case INT8, UINT8 -> ((byte[]) out)[i] = (byte) value;
            case BOOL -> ((byte[]) out)[i] = (byte) (value != 0 ? 1 : 0);
            case FLOAT64 -> ((double[]) out)[i] = value;
            case FLOAT32 -> ((float[]) out)[i] = value;
            case FLOAT16 -> ((short[]) out)[i] = Float.floatToFloat16(value);
            case BFLOAT16 -> ((short[]) out)[i] = toBfloat16(value);
        }
    }

    /** Rounds a finite number to the nearest bfloat16, ties to even. */
    static short toBfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }

    static float fromBfloat16(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }
}
