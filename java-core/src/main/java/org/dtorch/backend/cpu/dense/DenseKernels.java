package org.dtorch.backend.cpu.dense;

import java.util.Map;
import org.dtorch.backend.Kernel;

/** Matrix products, normalisations, attention and what goes with them, by the names of {@code docs/kernels.md}. */
public final class DenseKernels {
    public static final Map<String, Kernel> TABLE =
            Map.ofEntries(Map.entry("matmul", new MatmulKernel()), Map.entry("linear", new LinearKernel()));

    private DenseKernels() {}
}
