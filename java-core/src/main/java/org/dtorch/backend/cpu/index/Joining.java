package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.pointwise.CopyKernel;
import org.dtorch.values.DTorchError;

/** Kernels that copy whole operands to parts of others: cat and repeat_interleave. */
final class Joining {
    private Joining() {}

    static void cat(Launch launch) {
        Operand y = launch.outputs()[0];
        int dim = (int) (long) (Long) launch.args()[0];
        long at = 0;
        for (Operand x : launch.inputs()) {
            if (x.numel() == 0) {
                continue;
            }
            if (x.dtype() != y.dtype()) {
                throw DTorchError.type("cat of %s into %s", x.dtype(), y.dtype());
            }
            long offset = y.offset() + at * y.strides()[dim];
            CopyKernel.copy(x, new Operand(y.memory(), offset, y.dtype(), x.sizes(), y.strides()));
            at += x.sizes()[dim];
        }
    }

    /** The output is seen with one dimension more, along which the input is broadcast. */
    static void repeatInterleave(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        int dim = (int) (long) (Long) launch.args()[0];
        long repeats = (Long) launch.args()[1];
        if (y.numel() == 0) {
            return;
        }
        int rank = x.rank();
        long[] sizes = new long[rank + 1];
        long[] fromStrides = new long[rank + 1];
        long[] toStrides = new long[rank + 1];
        for (int d = 0; d < rank; d++) {
            int at = d <= dim ? d : d + 1;
            sizes[at] = x.sizes()[d];
            fromStrides[at] = x.strides()[d];
            toStrides[at] = y.strides()[d] * (d == dim ? repeats : 1);
        }
        sizes[dim + 1] = repeats;
        toStrides[dim + 1] = y.strides()[dim];
        CopyKernel.copy(
                new Operand(x.memory(), x.offset(), x.dtype(), sizes, fromStrides),
                new Operand(y.memory(), y.offset(), y.dtype(), sizes, toStrides));
    }
}
