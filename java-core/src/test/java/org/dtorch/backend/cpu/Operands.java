package org.dtorch.backend.cpu;

import java.lang.foreign.Arena;
import java.util.Random;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.values.DType;

/** Makes operands for kernel tests. */
public final class Operands {
    private Operands() {}

    /** How the memory of an operand lies. */
    public enum Form {
        CONTIGUOUS,
        /** The last two dimensions exchanged in memory. */
        TRANSPOSED,
        /** Every second element, and an offset. */
        STRIDED,
        /** One element stands for all along the first dimension. */
        BROADCAST_ROWS,
        /** One element stands for all. */
        BROADCAST_ALL,
        /** One element stands for all along the last dimension. */
        BROADCAST_COLUMNS
    }

    public static Operand contiguous(DType dtype, long... sizes) {
        return of(dtype, Form.CONTIGUOUS, sizes);
    }

    public static Operand of(DType dtype, Form form, long... sizes) {
        int rank = sizes.length;
        long[] strides = new long[rank];
        long step = form == Form.STRIDED ? 2 : 1;
        long offset = form == Form.STRIDED ? 3 : 0;
        int[] order = new int[rank];
        for (int d = 0; d < rank; d++) {
            order[d] = rank - 1 - d;
        }
        if (form == Form.TRANSPOSED && rank > 1) {
            order[0] = rank - 2;
            order[1] = rank - 1;
        }
        for (int dim : order) {
            boolean same = form == Form.BROADCAST_ALL
                    || (form == Form.BROADCAST_ROWS && dim == 0)
                    || (form == Form.BROADCAST_COLUMNS && dim == rank - 1);
            strides[dim] = same ? 0 : step;
            step *= same ? 1 : Math.max(1, sizes[dim]);
        }
        long bytes = Math.max(1, (offset + step) * dtype.bytes());
        return new Operand(new Memory(Arena.ofAuto().allocate(bytes, 64), 0), offset, dtype, sizes, strides);
    }

    /** Small numbers that every dtype holds, among them zeros; with {@code specials} also NaN, infinities and -0. */
    public static Operand fill(Operand operand, Random random, boolean specials) {
        double[] odd = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, 0, 1e-39, 3e38, 0.5, 2.5};
        Reference.forEach(operand.sizes(), index -> {
            if (!operand.dtype().isFloating()) {
                Elements.setInteger(operand, random.nextInt(-9, 10), index);
            } else if (specials && random.nextInt(3) == 0) {
                Elements.setReal(operand, odd[random.nextInt(odd.length)], index);
            } else {
                Elements.setReal(operand, random.nextInt(8) == 0 ? 0 : random.nextGaussian() * 2, index);
            }
        });
        return operand;
    }

    /** A float32 tensor of one dimension. */
    public static Operand floats(double... values) {
        return reals(DType.FLOAT32, values);
    }

    public static Operand reals(DType dtype, double... values) {
        Operand operand = contiguous(dtype, values.length);
        for (int i = 0; i < values.length; i++) {
            Elements.setReal(operand, values[i], i);
        }
        return operand;
    }

    public static Operand integers(DType dtype, long... values) {
        Operand operand = contiguous(dtype, values.length);
        for (int i = 0; i < values.length; i++) {
            Elements.setInteger(operand, values[i], i);
        }
        return operand;
    }

    /** The elements in row-major order. */
    public static double[] reals(Operand operand) {
        double[] result = new double[(int) operand.numel()];
        int[] next = {0};
        Reference.forEach(operand.sizes(), index -> result[next[0]++] = Elements.real(operand, index));
        return result;
    }

    /** The elements in row-major order. */
    public static long[] integers(Operand operand) {
        long[] result = new long[(int) operand.numel()];
        int[] next = {0};
        Reference.forEach(operand.sizes(), index -> result[next[0]++] = Elements.integer(operand, index));
        return result;
    }

    /** The same memory with other sizes. */
    public static Operand view(Operand operand, long... sizes) {
        long[] strides = new long[sizes.length];
        long step = 1;
        for (int d = sizes.length - 1; d >= 0; d--) {
            strides[d] = step;
            step *= sizes[d];
        }
        return new Operand(operand.memory(), operand.offset(), operand.dtype(), sizes, strides);
    }
}
