package org.dtorch.backend.cpu;

import java.util.HashMap;
import java.util.Map;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.cpu.dense.DenseKernels;
import org.dtorch.backend.cpu.index.IndexKernels;
import org.dtorch.values.DTorchError;

/** The kernels of {@code docs/kernels.md} by their names: one table for each family. */
final class NamedKernels {
    private static final Map<String, Kernel> ALL = new HashMap<>();

    static {
        ALL.putAll(DenseKernels.TABLE);
        ALL.putAll(IndexKernels.TABLE);
    }

    private NamedKernels() {}

    static Kernel of(String name) {
        Kernel kernel = ALL.get(name);
        if (kernel == null) {
            throw DTorchError.notImplemented("kernel '%s' on the cpu backend", name);
        }
        return kernel;
    }
}
