package org.dtorch.op;

import org.dtorch.backend.Operand;

/** Ways to turn local operands into the form that a kernel takes, without moving data. */
final class Fits {
    private Fits() {}

    /** Every input gets the sizes of the output, with stride 0 where it is broadcast. */
    static void broadcast(Operand[] operands, int inputs, Site site) {
        long[] sizes = operands[inputs].sizes();
        for (int i = 0; i < inputs; i++) {
            if (operands[i] != null) {
                operands[i] = broadcast(operands[i], sizes);
            }
        }
    }

    static Operand broadcast(Operand operand, long[] sizes) {
        long[] own = operand.sizes();
        if (java.util.Arrays.equals(own, sizes)) {
            return operand;
        }
        long[] strides = new long[sizes.length];
        int lead = sizes.length - own.length;
        for (int d = 0; d < own.length; d++) {
            strides[d + lead] = own[d] == 1 && sizes[d + lead] != 1 ? 0 : operand.strides()[d];
        }
        return new Operand(operand.memory(), operand.offset(), operand.dtype(), sizes, strides);
    }

    /** A reduction's output with size 1 where {@code in} is reduced. */
    static Operand keepDims(Operand out, Operand in, int[] dims) {
        if (out.rank() == in.rank()) {
            return out;
        }
        long[] sizes = new long[in.rank()];
        long[] strides = new long[in.rank()];
        boolean[] gone = new boolean[in.rank()];
        for (int dim : dims) {
            gone[dim] = true;
        }
        int from = 0;
        for (int d = 0; d < sizes.length; d++) {
            sizes[d] = gone[d] ? 1 : out.sizes()[from];
            strides[d] = gone[d] ? 0 : out.strides()[from++];
        }
        return new Operand(out.memory(), out.offset(), out.dtype(), sizes, strides);
    }

    /** Operands without dimensions get one of size 1. */
    static void atLeastOneDim(Operand[] operands) {
        for (int i = 0; i < operands.length; i++) {
            if (operands[i] != null && operands[i].rank() == 0) {
                operands[i] = as(operands[i], new long[] {1}, new long[] {1});
            }
        }
    }

    /** All dimensions but the last joined into one; the operand is dense along them. */
    static Operand rows(Operand operand) {
        return join(operand, operand.rank() - 1);
    }

    /** A matrix or a stack of matrices as a batch [b, m, n]; the operand is dense along the batch dimensions. */
    static Operand batch(Operand operand) {
        return join(operand, operand.rank() - 2);
    }

    /** The first {@code count} dimensions as one; none give a dimension of size 1. */
    private static Operand join(Operand operand, int count) {
        if (count == 1) {
            return operand;
        }
        int rest = operand.rank() - count;
        long[] sizes = new long[rest + 1];
        long[] strides = new long[rest + 1];
        System.arraycopy(operand.sizes(), count, sizes, 1, rest);
        System.arraycopy(operand.strides(), count, strides, 1, rest);
        sizes[0] = 1;
        long step = 0;
        for (int d = count - 1; d >= 0; d--) {
            long size = operand.sizes()[d];
            if (size != 1 && sizes[0] == 1) {
                step = operand.strides()[d];
            } else if (size != 1 && operand.numel() != 0 && operand.strides()[d] != step * sizes[0]) {
                throw new IllegalStateException("not dense along the first " + count + " dimensions: " + operand);
            }
            sizes[0] *= size;
        }
        strides[0] = step;
        return as(operand, sizes, strides);
    }

    /** {@code operand} seen with other sizes and strides. */
    static Operand as(Operand operand, long[] sizes, long[] strides) {
        return new Operand(operand.memory(), operand.offset(), operand.dtype(), sizes, strides);
    }
}
