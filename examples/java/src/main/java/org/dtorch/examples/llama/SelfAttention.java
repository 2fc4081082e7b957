package org.dtorch.examples.llama;

import java.util.Map;
import org.dtorch.api.Attention;
import org.dtorch.api.SdpaOptions;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.nn.ColumnParallelLinear;
import org.dtorch.nn.MeshDim;
import org.dtorch.nn.Module;
import org.dtorch.nn.RowParallelLinearWithReplicateOutput;
import org.dtorch.nn.TensorOptions;

/** Grouped-query attention with rotary positions: activations [N, L, hidden] and a {@link Step} to [N, L, hidden]. */
final class SelfAttention extends Module {
    private static final SdpaOptions NO_CONTEXT_PARALLEL = new SdpaOptions(null, null, SequenceOrder.CONTIGUOUS);

    private final LlamaConfig config;
    private final Module wq;
    private final Module wk;
    private final Module wv;
    private final Module wo;

    SelfAttention(TensorOptions options, LlamaConfig config) {
        this.config = config;
        long width = (long) config.heads() * config.headDim();
        long narrow = (long) config.keyValueHeads() * config.headDim();
        long hidden = config.hiddenSize();
        wq = child("wq", new ColumnParallelLinear(options, hidden, width, false, MeshDim.TP));
        wk = child("wk", new ColumnParallelLinear(options, hidden, narrow, false, MeshDim.TP));
        wv = child("wv", new ColumnParallelLinear(options, hidden, narrow, false, MeshDim.TP));
        wo = child("wo", new RowParallelLinearWithReplicateOutput(options, width, hidden, false, MeshDim.TP));
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        return forward((Tensor) args[0], (Step) args[1]);
    }

    private Tensor forward(Tensor x, Step step) {
        long length = x.size(1);
        Tensor q = step.rotary().apply(heads(wq.call(x), config.heads()));
        Tensor k = step.rotary().apply(heads(wk.call(x), config.keyValueHeads()));
        Tensor v = heads(wv.call(x), config.keyValueHeads());
        if (step.cache() != null) {
            KeyValueCache.Entry all = step.cache().append(step.layer(), new KeyValueCache.Entry(k, v), step.start());
            if (step.start() > 0) {
                k = all.keys();
                v = all.values();
            }
        }
        // A single token sees all keys there are and has no sequence that could be split.
        Tensor out = Attention.scaledDotProduct(
                q,
                k,
                v,
                null,
                0,
                length > 1,
                null,
                config.keyValueHeads() != config.heads(),
                length > 1 ? SdpaOptions.DEFAULT : NO_CONTEXT_PARALLEL);
        return wo.call(out.transpose(1, 2).reshape(x.size(0), length, (long) config.heads() * config.headDim()));
    }

    /** [N, L, H * E] to [N, H, L, E]. */
    private Tensor heads(Tensor x, int heads) {
        return x.view(x.size(0), x.size(1), heads, config.headDim()).transpose(1, 2);
    }
}
