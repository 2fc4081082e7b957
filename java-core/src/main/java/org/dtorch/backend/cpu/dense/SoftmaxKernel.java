package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.values.DType;

/**
 * {@code softmax} and {@code log_softmax}: x → y along dim; floats. The greatest element is taken off first, so nothing
 * overflows; a row of −inf gives NaN.
 */
final class SoftmaxKernel implements Kernel {
    private final boolean log;

    SoftmaxKernel(boolean log) {
        this.log = log;
    }

    @Override
    public void run(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        int dim = (int) (long) launch.args()[0];
        DType compute = RowKernels.compute(x.dtype(), y.dtype());
        Strips strips = Strips.of(x, y, dim);
        if (strips != null) {
            strips.softmax(log, compute);
        } else {
            RowKernels.run(
                    RowSet.along(x, dim),
                    RowSet.along(y, dim),
                    compute,
                    log ? SoftmaxKernel::logSoftmax : SoftmaxKernel::softmax);
        }
    }

    private static void softmax(RowMath math, long x, long y, int n) {
        double sum = math.exp(x, y, n, math.max(x, n));
        math.scale(y, n, 1 / sum);
    }

    private static void logSoftmax(RowMath math, long x, long y, int n) {
        double max = math.max(x, n);
        // Two subtractions: their sum, rounded to float32, would lose the logarithm beside a large maximum.
        math.affine(x, y, n, max, 1, -Math.log(math.sumOfExp(x, n, max)));
    }
}
