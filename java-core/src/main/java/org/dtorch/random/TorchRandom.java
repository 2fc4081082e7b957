package org.dtorch.random;

import java.lang.foreign.MemorySegment;
import org.dtorch.random.Distribution.Bernoulli;
import org.dtorch.random.Distribution.Exponential;
import org.dtorch.random.Distribution.Integers;
import org.dtorch.random.Distribution.Normal;
import org.dtorch.random.Distribution.Uniform;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * Draws what PyTorch's CPU generator would put into a contiguous tensor, block by block.
 *
 * <p>Blocks come in ascending order and together cover the tensor once; none is longer than {@link #BLOCK_ELEMENTS}
 * plus 15 elements, whatever the size of the tensor. Whoever needs a part draws the whole and keeps the part, so that
 * all generators go on alike.
 */
public final class TorchRandom {
    /** The usual length of a block, in elements. */
    public static final int BLOCK_ELEMENTS = 1 << 16;

    /** From this range on, PyTorch takes 64 bits for an integer. */
    private static final long WIDE_RANGE = 1L << 28;

    /** From this size on, PyTorch takes 64 bits for a swap of a permutation. */
    private static final long WIDE_PERMUTATION = 0xffffffffL / 20;

    private TorchRandom() {}

    /** Takes the elements that begin at {@code start} of the tensor in row-major order. */
    @FunctionalInterface
    public interface BlockSink {
        /** The block holds values of the dtype asked for, in native byte order; it is used again after the call. */
        void accept(long start, MemorySegment block);
    }

    /**
     * Draws {@code numel} values of {@code dtype}.
     *
     * @throws DTorchError of kind RUNTIME if the distribution does not fit the dtype, with PyTorch's text
     */
    public static void draw(Distribution distribution, DType dtype, long numel, Generator generator, BlockSink sink) {
        check(distribution, dtype);
        if (numel == 0) {
            return;
        }
        Mt19937 twister = generator.twister();
        switch (distribution) {
            case Uniform uniform -> uniform(uniform, dtype, numel, twister, sink);
            case Normal normal -> NormalFill.draw(normal, dtype, numel, generator, sink);
            case Integers integers -> integers(integers, dtype, numel, twister, sink);
            case Bernoulli(double p) ->
                Blocks.longs(
                        dtype,
                        numel,
                        (block, count) -> {
                            for (int i = 0; i < count; i++) {
                                block[i] = twister.nextDouble() < p ? 1 : 0;
                            }
                        },
                        sink);
            case Exponential(double lambda) -> {
                double scale = -1.0 / lambda;
                Blocks.doubles(
                        dtype,
                        numel,
                        (block, count, last) -> {
                            for (int i = 0; i < count; i++) {
                                block[i] = scale * StrictMath.log1p(-twister.nextDouble());
                            }
                        },
                        sink);
            }
        }
    }

    /** Writes one with the probability given for each element, else zero, as {@code bernoulli} of a float32 tensor. */
    public static void bernoulli(Generator generator, float[] probabilities, float[] out) {
        for (int i = 0; i < probabilities.length; i++) {
            out[i] = generator.twister().nextFloat() < checked(probabilities[i]) ? 1 : 0;
        }
    }

    /** Writes one with the probability given for each element, else zero, as {@code bernoulli} of a float64 tensor. */
    public static void bernoulli(Generator generator, double[] probabilities, double[] out) {
        for (int i = 0; i < probabilities.length; i++) {
            out[i] = generator.twister().nextDouble() < checked(probabilities[i]) ? 1 : 0;
        }
    }

    /**
     * A random order of the numbers 0 to n-1, as {@code randperm}.
     *
     * @throws DTorchError of kind RUNTIME if {@code n} is negative, NOT_IMPLEMENTED beyond the length of an array
     */
    public static long[] randperm(long n, Generator generator) {
        if (n < 0) {
            throw DTorchError.runtime("n must be non-negative, got %d", n);
        }
        if (n > Integer.MAX_VALUE - 8) {
            throw DTorchError.notImplemented("randperm of %d elements (at most %d)", n, Integer.MAX_VALUE - 8);
        }
        Mt19937 twister = generator.twister();
        long[] order = new long[(int) n];
        if (n >= WIDE_PERMUTATION) {
            for (int i = 0; i < n; i++) {
                int other = (int) Long.remainderUnsigned(twister.next64(), i + 1L);
                order[i] = i;
                swap(order, i, other);
            }
            return order;
        }
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        for (int i = 0; i < n - 1; i++) {
            swap(order, i, i + Integer.remainderUnsigned(twister.next32(), (int) n - i));
        }
        return order;
    }

    private static void swap(long[] order, int i, int j) {
        long held = order[i];
        order[i] = order[j];
        order[j] = held;
    }

    private static void uniform(Uniform uniform, DType dtype, long numel, Mt19937 twister, BlockSink sink) {
        if (dtype == DType.FLOAT64) {
            double from = uniform.from();
            double width = uniform.to() - from;
            Blocks.doubles(
                    dtype,
                    numel,
                    (block, count, last) -> {
                        for (int i = 0; i < count; i++) {
                            double value = Math.fma(twister.nextDouble(), width, from);
                            block[i] = value == uniform.to() ? from : value;
                        }
                    },
                    sink);
            return;
        }
        float from = (float) uniform.from();
        float width = (float) uniform.to() - from;
        float end = rounded(dtype, (float) uniform.to());
        float begin = rounded(dtype, from);
        Blocks.floats(
                dtype,
                numel,
                (block, count, last) -> {
                    for (int i = 0; i < count; i++) {
                        float value = Math.fma(twister.nextFloat(), width, from);
                        block[i] = rounded(dtype, value) == end ? begin : value;
                    }
                },
                sink);
    }

    private static void integers(Integers integers, DType dtype, long numel, Mt19937 twister, BlockSink sink) {
        long low = integers.low();
        long range = integers.high() - low; // as unsigned: it may exceed the largest long
        boolean wide = Long.compareUnsigned(range, WIDE_RANGE) >= 0;
        Blocks.longs(
                dtype,
                numel,
                (block, count) -> {
                    for (int i = 0; i < count; i++) {
                        block[i] = low
                                + (wide
                                        ? Long.remainderUnsigned(twister.next64(), range)
                                        : Integer.remainderUnsigned(twister.next32(), (int) range));
                    }
                },
                sink);
    }

    private static void check(Distribution distribution, DType dtype) {
        switch (distribution) {
            case Uniform(double from, double to) -> {
                requireFloating("uniform_", dtype);
                double max = max(dtype);
                if (from < -max || from > max || to < -max || to > max || to - from > max) {
                    throw DTorchError.runtime(
                            "uniform_: from=%s and to=%s must lie within %s of each other and of 0 for %s",
                            from, to, max, dtype);
                }
            }
            case Normal normal -> requireFloating("normal_", dtype);
            case Exponential exponential -> requireFloating("exponential_", dtype);
            case Integers(long low, long high) -> {
                requireFits("from", low, dtype);
                requireFits("to - 1", high - 1, dtype);
            }
            case Bernoulli bernoulli -> {}
        }
    }

    private static void requireFloating(String operator, DType dtype) {
        if (!dtype.isFloating()) {
            throw new DTorchError(
                    DTorchError.Kind.NOT_IMPLEMENTED,
                    operator + " draws real numbers: dtype must be floating, but is " + dtype);
        }
    }

    private static void requireFits(String name, long value, DType dtype) {
        boolean fits = switch (dtype) {
            case BOOL -> value == 0 || value == 1;
            case UINT8 -> value >= 0 && value <= 255;
            case INT8 -> value == (byte) value;
            case INT16 -> value == (short) value;
            case INT32 -> value == (int) value;
            case INT64, FLOAT64, FLOAT32, BFLOAT16 -> true;
            case FLOAT16 -> Math.abs(value) <= 65504;
        };
        if (!fits) {
            throw DTorchError.runtime("%s is out of bounds for %s: %d", name, dtype, value);
        }
    }

    private static double max(DType dtype) {
        return switch (dtype) {
            case FLOAT16 -> 65504;
            case BFLOAT16 -> 0x1.FEp127;
            case FLOAT32 -> Float.MAX_VALUE;
            default -> Double.MAX_VALUE;
        };
    }

    private static float rounded(DType dtype, float value) {
        return switch (dtype) {
            case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16(value));
            case BFLOAT16 -> Blocks.fromBfloat16(Blocks.toBfloat16(value));
            default -> value;
        };
    }

    private static double checked(double p) {
        if (!(p >= 0 && p <= 1)) {
            throw DTorchError.runtime("Expected p_in >= 0 && p_in <= 1 to be true, but got %s", p);
        }
        return p;
    }
}
