package org.dtorch.nn;

import org.dtorch.api.DTorch;

/** A linear layer that is never split. */
public final class ReplicateParallelLinear extends Linear {
    /** With bias and with the context's defaults. */
    public ReplicateParallelLinear(DTorch owner, long inFeatures, long outFeatures) {
        this(TensorOptions.of(owner), inFeatures, outFeatures, true);
    }

    public ReplicateParallelLinear(TensorOptions options, long inFeatures, long outFeatures, boolean bias) {
        super(options, inFeatures, outFeatures, bias, MeshDim.NONE, null);
    }
}
