package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.placement.Placement;

/** A linear layer split by input features whose partial sums are added. */
public final class RowParallelLinearWithReplicateOutput extends Linear {
    /** With bias and with the context's defaults. */
    public RowParallelLinearWithReplicateOutput(DTorch owner, long inFeatures, long outFeatures) {
        this(TensorOptions.of(owner), inFeatures, outFeatures, true, MeshDim.TP);
    }

    public RowParallelLinearWithReplicateOutput(
            TensorOptions options, long inFeatures, long outFeatures, boolean bias, MeshDim tpDim) {
        super(options, inFeatures, outFeatures, bias, tpDim, TpShardType.ROW);
    }

    @Override
    public Tensor redistributeOutput(Tensor output) {
        return redistributeOutput(output, Placement.replicate());
    }
}
