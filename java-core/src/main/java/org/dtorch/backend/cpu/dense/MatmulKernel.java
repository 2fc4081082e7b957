package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;

/** {@code matmul}: a[b,m,k], b[b,k,n] → c[b,m,n], a batch of products; a batch stride may be 0. */
final class MatmulKernel implements Kernel {
    @Override
    public void run(Launch launch) {
        Operand a = launch.inputs()[0];
        Operand b = launch.inputs()[1];
        Operand c = launch.outputs()[0];
        if (c.numel() == 0) {
            return;
        }
        Product.requireNumbers("matmul", c.dtype());
        long batch = c.sizes()[0];
        if (batch > 1 && folds(a, c, 1) && b.strides()[0] == 0) {
            Product.compute(foldRows(a), first(b), foldRows(c), null);
            return;
        }
        if (batch > 1 && folds(b, c, 2) && a.strides()[0] == 0) {
            Product.compute(first(a), foldCols(b), foldCols(c), null);
            return;
        }
        double work = (double) c.sizes()[1] * c.sizes()[2] * a.sizes()[2];
        if (batch < Workers.shared().count() && MatrixProduct.isLarge(work)) {
            products(a, b, c, 0, batch);
        } else {
            Workers.shared().forRange(batch, MatrixProduct.grain(work), (from, to) -> products(a, b, c, from, to));
        }
    }

    private static void products(Operand a, Operand b, Operand c, long from, long to) {
        Matrix firstA = first(a);
        Matrix firstB = first(b);
        Matrix firstC = first(c);
        for (long i = from; i < to; i++) {
            Product.compute(shifted(firstA, a, i), shifted(firstB, b, i), shifted(firstC, c, i), null);
        }
    }

    /** Whether the batch of x and of c is one with their dimension {@code dim}, so that one product does all. */
    private static boolean folds(Operand x, Operand c, int dim) {
        return x.strides()[0] == x.sizes()[dim] * x.strides()[dim]
                && c.strides()[0] == c.sizes()[dim] * c.strides()[dim];
    }

    private static Matrix foldRows(Operand x) {
        long[] sizes = x.sizes();
        long[] strides = x.strides();
        return new Matrix(Native.address(x), x.dtype(), sizes[0] * sizes[1], sizes[2], strides[1], strides[2]);
    }

    private static Matrix foldCols(Operand x) {
        long[] sizes = x.sizes();
        long[] strides = x.strides();
        return new Matrix(Native.address(x), x.dtype(), sizes[1], sizes[0] * sizes[2], strides[1], strides[2]);
    }

    private static Matrix first(Operand x) {
        long[] sizes = x.sizes();
        long[] strides = x.strides();
        return new Matrix(Native.address(x), x.dtype(), sizes[1], sizes[2], strides[1], strides[2]);
    }

    private static Matrix shifted(Matrix first, Operand x, long index) {
        long address = first.address() + index * x.strides()[0] * x.dtype().bytes();
        return new Matrix(address, first.dtype(), first.rows(), first.cols(), first.rowStep(), first.colStep());
    }
}
