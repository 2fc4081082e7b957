package org.dtorch.nn;

import org.dtorch.api.DTorch;

/** A linear layer split by output features: a replicated input gives an output sharded on its last dimension. */
public final class ColumnParallelLinear extends Linear {
    /** With bias and with the context's defaults. */
    public ColumnParallelLinear(DTorch owner, long inFeatures, long outFeatures) {
        this(TensorOptions.of(owner), inFeatures, outFeatures, true, MeshDim.TP);
    }

    public ColumnParallelLinear(TensorOptions options, long inFeatures, long outFeatures, boolean bias, MeshDim tpDim) {
        super(options, inFeatures, outFeatures, bias, tpDim, TpShardType.COL);
    }
}
