package org.dtorch.random;

import org.dtorch.random.Distribution.Normal;
import org.dtorch.random.TorchRandom.BlockSink;
import org.dtorch.values.DType;

/**
 * Normal values in the order and with the arithmetic of PyTorch on x86 with AVX2.
 *
 * <p>Fewer than 16 elements are drawn one by one in float64. Larger tensors take 16 uniform values at a time, eight for
 * the radius and eight for the angle; where the size is not a multiple of 16, the last 16 elements are drawn anew. A
 * half-precision tensor leaves the uniform values of an incomplete group undrawn, the others draw and drop them.
 *
 * <p>float32, float16 and bfloat16 are PyTorch's bit for bit. In float64 PyTorch calls the C library's functions, so
 * that its last bits differ between systems; about one value in 300 differs from glibc's by one or two units in the
 * last place.
 */
final class NormalFill {
    private static final int GROUP = 16;
    private static final int HALF = GROUP / 2;
    private static final float TWO_PI = (float) (2 * Math.PI);

    private final float mean;
    private final float std;
    private final boolean drawsRest;
    private final float[] first;
    private final float[] second;

    private NormalFill(Normal normal, boolean drawsRest, int elements) {
        this.mean = (float) normal.mean();
        this.std = (float) normal.std();
        this.drawsRest = drawsRest;
        this.first = new float[elements / 2];
        this.second = new float[elements / 2];
    }

    static void draw(Normal normal, DType dtype, long numel, Generator generator, BlockSink sink) {
        Mt19937 twister = generator.twister();
        if (numel < GROUP) {
            Blocks.doubles(
                    dtype,
                    numel,
                    (block, count, last) -> {
                        for (int i = 0; i < count; i++) {
                            block[i] = Math.fma(generator.nextNormal(), normal.std(), normal.mean());
                        }
                    },
                    sink);
        } else if (dtype == DType.FLOAT64) {
            Blocks.doubles(dtype, numel, (block, count, last) -> fill(normal, twister, block, count), sink);
        } else {
            int elements = (int) Math.min(numel, TorchRandom.BLOCK_ELEMENTS);
            NormalFill fill = new NormalFill(normal, dtype == DType.FLOAT32, elements);
            Blocks.floats(dtype, numel, (block, count, last) -> fill.fill(twister, block, count), sink);
        }
    }

    private void fill(Mt19937 twister, float[] block, int count) {
        int rest = count % GROUP;
        uniform(twister, block, 0, drawsRest ? count : count - rest);
        transform(block, 0, count - rest);
        if (rest != 0) {
            uniform(twister, block, count - GROUP, count);
            transform(block, count - GROUP, GROUP);
        }
    }

    private static void uniform(Mt19937 twister, float[] block, int from, int to) {
        for (int i = from; i < to; i++) {
            block[i] = twister.nextFloat();
        }
    }

    /** Box and Muller on whole groups; the halves of the groups are laid side by side for one long loop. */
    private void transform(float[] block, int from, int count) {
        for (int at = 0; at < count; at += GROUP) {
            System.arraycopy(block, from + at, first, at / 2, HALF);
            System.arraycopy(block, from + at + HALF, second, at / 2, HALF);
        }
        rotate(first, second, count / 2, mean, std);
        for (int at = 0; at < count; at += GROUP) {
            System.arraycopy(first, at / 2, block, from + at, HALF);
            System.arraycopy(second, at / 2, block, from + at + HALF, HALF);
        }
    }

    private static void rotate(float[] first, float[] second, int count, float mean, float std) {
        for (int i = 0; i < count; i++) {
            first[i] = (float) Math.sqrt(-2 * CephesFloat.log(1 - first[i]));
        }
        for (int i = 0; i < count; i++) {
            float radius = first[i];
            float theta = TWO_PI * second[i];
            first[i] = Math.fma(radius * CephesFloat.cos(theta), std, mean);
            second[i] = Math.fma(radius * CephesFloat.sin(theta), std, mean);
        }
    }

    private static void fill(Normal normal, Mt19937 twister, double[] block, int count) {
        uniform(twister, block, 0, count);
        for (int at = 0; at + GROUP <= count; at += GROUP) {
            group(block, at, normal);
        }
        if (count % GROUP != 0) {
            uniform(twister, block, count - GROUP, count);
            group(block, count - GROUP, normal);
        }
    }

    private static void uniform(Mt19937 twister, double[] block, int from, int to) {
        for (int i = from; i < to; i++) {
            block[i] = twister.nextDouble();
        }
    }

    private static void group(double[] block, int at, Normal normal) {
        for (int i = at; i < at + HALF; i++) {
            double radius = Math.sqrt(-2 * Math.log(1 - block[i]));
            double theta = 2 * Math.PI * block[i + HALF];
            block[i] = Math.fma(radius * Math.cos(theta), normal.std(), normal.mean());
            block[i + HALF] = Math.fma(radius * Math.sin(theta), normal.std(), normal.mean());
        }
    }
}
