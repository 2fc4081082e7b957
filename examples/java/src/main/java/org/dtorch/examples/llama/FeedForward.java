package org.dtorch.examples.llama;

import org.dtorch.api.Tensor;
import org.dtorch.nn.ColumnParallelLinear;
import org.dtorch.nn.Layer;
import org.dtorch.nn.MeshDim;
import org.dtorch.nn.Module;
import org.dtorch.nn.RowParallelLinearWithReplicateOutput;
import org.dtorch.nn.TensorOptions;

/** SwiGLU: [N, L, hidden] to the same. */
final class FeedForward extends Layer {
    private final Module w1;
    private final Module w3;
    private final Module w2;

    FeedForward(TensorOptions options, LlamaConfig config) {
        long hidden = config.hiddenSize();
        long wide = config.intermediateSize();
        w1 = child("w1", new ColumnParallelLinear(options, hidden, wide, false, MeshDim.TP));
        w3 = child("w3", new ColumnParallelLinear(options, hidden, wide, false, MeshDim.TP));
        w2 = child("w2", new RowParallelLinearWithReplicateOutput(options, wide, hidden, false, MeshDim.TP));
    }

    @Override
    public Tensor forward(Tensor x) {
        return w2.call(w1.call(x).silu().mul(w3.call(x)));
    }
}
