package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.placement.Placement;

/** A linear layer split by output features whose output is gathered. */
public final class ColumnParallelLinearWithReplicateOutput extends Linear {
    /** With bias and with the context's defaults. */
    public ColumnParallelLinearWithReplicateOutput(DTorch owner, long inFeatures, long outFeatures) {
        this(TensorOptions.of(owner), inFeatures, outFeatures, true, MeshDim.TP);
    }

    public ColumnParallelLinearWithReplicateOutput(
            TensorOptions options, long inFeatures, long outFeatures, boolean bias, MeshDim tpDim) {
        super(options, inFeatures, outFeatures, bias, tpDim, TpShardType.COL);
    }

    @Override
    public Tensor redistributeOutput(Tensor output) {
        return redistributeOutput(output, Placement.replicate());
    }
}
