package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Native;

/** {@code linear}: x[m,k], w[n,k], bias[n]? → y[m,n], {@code x · wᵀ + bias}; 16-bit results are rounded once, after the bias. */
final class LinearKernel implements Kernel {
    @Override
    public void run(Launch launch) {
        Operand y = launch.outputs()[0];
        if (y.numel() == 0) {
            return;
        }
        Product.requireNumbers("linear", y.dtype());
        Operand bias = launch.inputs()[2];
        Matrix rows = null;
        if (bias != null) {
            rows = new Matrix(Native.address(bias), bias.dtype(), y.sizes()[0], y.sizes()[1], 0, bias.strides()[0]);
        }
        Product.compute(matrix(launch.inputs()[0]), matrix(launch.inputs()[1]).transposed(), matrix(y), rows);
    }

    private static Matrix matrix(Operand x) {
        return new Matrix(Native.address(x), x.dtype(), x.sizes()[0], x.sizes()[1], x.strides()[0], x.strides()[1]);
    }
}
