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

    /** {@code operand} seen with other sizes and strides. */
    static Operand as(Operand operand, long[] sizes, long[] strides) {
        return new Operand(operand.memory(), operand.offset(), operand.dtype(), sizes, strides);
    }
}
