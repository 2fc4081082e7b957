package org.dtorch.backend.cpu.dense;

import java.util.Map;
import org.dtorch.backend.Kernel;

/** Matrix products, normalisations, attention and what goes with them, by the names of {@code docs/kernels.md}. */
public final class DenseKernels {
    public static final Map<String, Kernel> TABLE = Map.ofEntries(
            Map.entry("matmul", new MatmulKernel()),
            Map.entry("linear", new LinearKernel()),
            Map.entry("softmax", new SoftmaxKernel(false)),
            Map.entry("log_softmax", new SoftmaxKernel(true)),
            Map.entry("layer_norm", new NormKernel(true)),
            Map.entry("rms_norm", new NormKernel(false)),
            Map.entry("group_norm", new GroupNormKernel()),
            Map.entry("embedding", new EmbeddingKernel()),
            Map.entry("attention", new AttentionKernel()),
            Map.entry("attention_merge", new AttentionMergeKernel()),
            Map.entry("rotary", new RotaryKernel()));

    private DenseKernels() {}
}
