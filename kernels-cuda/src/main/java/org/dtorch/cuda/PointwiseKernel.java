package org.dtorch.cuda;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.values.DType;

/** Starts the kernel of {@code pointwise.cu} that computes in {@code compute}; returns before it is done. */
record PointwiseKernel(PointwiseForm form, DType compute) implements Kernel {
    @Override
    public void run(Launch launch) {
        Operand out = launch.outputs()[0];
        if (out.numel() == 0) {
            return;
        }
        CudaDevice device = Discovery.ofThisMachine().device(out.memory().device());
        device.launch(
                entry(compute),
                LaunchGeometry.of(out.numel(), device.multiprocessors()),
                PointwiseArguments.pack(form, compute, launch));
    }

    /** The kernel's name in the PTX. */
    static String entry(DType compute) {
        return "dtorch_pointwise_" + compute.torchName();
    }
}
