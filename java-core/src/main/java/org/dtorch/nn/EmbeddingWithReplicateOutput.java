package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.placement.Placement;

/** An embedding whose output is gathered on the tensor-parallel dimension. */
public final class EmbeddingWithReplicateOutput extends Embedding {
    /** With the context's defaults. */
    public EmbeddingWithReplicateOutput(DTorch owner, long numEmbeddings, long embeddingDim) {
        super(owner, numEmbeddings, embeddingDim);
    }

    public EmbeddingWithReplicateOutput(TensorOptions options, long numEmbeddings, long embeddingDim, MeshDim tpDim) {
        super(options, numEmbeddings, embeddingDim, tpDim);
    }

    @Override
    public Tensor redistributeOutput(Tensor output) {
        return tpDim() < 0 ? output : TensorParallel.redistribute(output, tpDim(), Placement.replicate());
    }
}
