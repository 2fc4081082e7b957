package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;

/**
 * Rows of a table by their numbers: integers of any shape to [..., embedding_dim].
 *
 * <p>On a mesh that has the tensor-parallel dimension the table [num_embeddings, embedding_dim] is split along
 * embedding_dim, the numbers must be replicated, and the output is sharded on its last dimension. Initial values are
 * PyTorch's.
 */
public class Embedding extends Layer {
    private final long numEmbeddings;
    private final long embeddingDim;
    private final int tpDim;

    /** With the context's defaults. */
    public Embedding(DTorch owner, long numEmbeddings, long embeddingDim) {
        this(TensorOptions.of(owner), numEmbeddings, embeddingDim, MeshDim.TP);
    }

    /**
     * @param tpDim the mesh dimension to split along
     */
    public Embedding(TensorOptions options, long numEmbeddings, long embeddingDim, MeshDim tpDim) {
        TensorOptions resolved = options.resolved();
        DeviceMesh mesh = resolved.mesh();
        int found = tpDim.on(mesh);
        this.numEmbeddings = numEmbeddings;
        this.embeddingDim = embeddingDim;
        this.tpDim = found >= 0 && mesh.dimSize(found) > 1 ? found : -1;
        Layout layout = Layout.replicated(mesh);
        registerParameter(
                "weight",
                Init.normal(
                        resolved.empty(
                                this.tpDim < 0 ? layout : layout.with(this.tpDim, Placement.shard(1)),
                                numEmbeddings,
                                embeddingDim),
                        0,
                        1));
    }

    public long numEmbeddings() {
        return numEmbeddings;
    }

    public long embeddingDim() {
        return embeddingDim;
    }

    /** The index of the mesh dimension that splits the table, or -1. */
    public int tpDim() {
        return tpDim;
    }

    public Parameter weight() {
        return parameter("weight");
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.embedding(weight());
    }

    /**
     * Checks that the numbers are replicated on the tensor-parallel dimension.
     *
     * @throws DTorchError of kind ASSERTION if they are not
     */
    @Override
    public Tensor redistributeInput(Tensor input) {
        if (tpDim >= 0) {
            TensorParallel.check(this, input, tpDim, Placement.replicate());
        }
        return input;
    }

    @Override
    public String extraRepr() {
        return numEmbeddings + ", " + embeddingDim;
    }
}
