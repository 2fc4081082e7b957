package org.dtorch.nn;

import org.dtorch.api.DTorch;

/** A linear layer split by input features: an input sharded on its last dimension gives partial sums. */
public final class RowParallelLinear extends Linear {
    /** With bias and with the context's defaults. */
    public RowParallelLinear(DTorch owner, long inFeatures, long outFeatures) {
        this(TensorOptions.of(owner), inFeatures, outFeatures, true, MeshDim.TP);
    }

    public RowParallelLinear(TensorOptions options, long inFeatures, long outFeatures, boolean bias, MeshDim tpDim) {
        super(options, inFeatures, outFeatures, bias, tpDim, TpShardType.ROW);
    }
}
