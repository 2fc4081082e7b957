package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.values.DType;

/**
 * {@code layer_norm}: x, weight?, bias? → y, and {@code rms_norm}: x, weight? → y, over the last dims; args: how many, eps.
 *
 * <p>The variance is taken from the differences to the mean (two passes), so a large common offset does no harm.
 */
final class NormKernel implements Kernel {
    private final boolean centred;

    /** @param centred true for layer norm, false for RMS norm */
    NormKernel(boolean centred) {
        this.centred = centred;
    }

    @Override
    public void run(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand weight = launch.inputs().length > 1 ? launch.inputs()[1] : null;
        Operand bias = launch.inputs().length > 2 ? launch.inputs()[2] : null;
        Operand y = launch.outputs()[0];
        int dims = (int) (long) launch.args()[0];
        double eps = (Double) launch.args()[1];
        DType compute = RowKernels.compute(x.dtype(), y.dtype());
        RowSet from = RowSet.overLast(x, dims);
        try (WorkSpace space = WorkSpace.open()) {
            long w = weight == null && bias != null
                    ? ones(compute, from.length(), space)
                    : dense(weight, compute, space);
            long b = dense(bias, compute, space);
            RowKernels.run(
                    from,
                    RowSet.overLast(y, dims),
                    compute,
                    (math, source, target, n) -> normalize(math, source, target, n, eps, w, b));
        }
    }

    private void normalize(RowMath math, long x, long y, int n, double eps, long w, long b) {
        double mean = centred ? math.sum(x, n) / n : 0;
        double scale = 1 / Math.sqrt(math.sumOfSquares(x, n, mean) / n + eps);
        if (w == 0) {
            math.affine(x, y, n, mean, scale, 0);
        } else {
            math.affine(x, y, n, mean, scale, w, b);
        }
    }

    /** The address of the elements of an operand, dense in the compute dtype; 0 when it is absent. */
    static long dense(Operand operand, DType compute, WorkSpace space) {
        if (operand == null) {
            return 0;
        }
        RowSet one = RowSet.overLast(operand, operand.rank());
        if (one.isDense(compute)) {
            return one.rowAddress(0);
        }
        long copy = space.take((long) one.length() * compute.bytes());
        one.load(Blocks.of(compute), 0, copy);
        return copy;
    }

    private static long ones(DType compute, int n, WorkSpace space) {
        int lanes = Blocks.of(compute).lanes();
        int whole = (n + lanes - 1) / lanes * lanes;
        long address = space.take((long) whole * compute.bytes());
        Blocks.of(compute).fill(address, 1, 1, whole);
        return address;
    }
}
