package org.dtorch.examples.llama;

import java.util.Map;
import org.dtorch.api.Tensor;
import org.dtorch.nn.Module;
import org.dtorch.nn.RMSNorm;
import org.dtorch.nn.TensorOptions;

/** One layer: activations [N, L, hidden] and a {@link Step} to [N, L, hidden]. */
final class TransformerBlock extends Module {
    private final Module attentionNorm;
    private final Module attention;
    private final Module ffnNorm;
    private final Module feedForward;

    TransformerBlock(TensorOptions options, LlamaConfig config) {
        attentionNorm = child("attention_norm", norm(options, config));
        attention = child("attention", new SelfAttention(options, config));
        ffnNorm = child("ffn_norm", norm(options, config));
        feedForward = child("feed_forward", new FeedForward(options, config));
    }

    static RMSNorm norm(TensorOptions options, LlamaConfig config) {
        return new RMSNorm(options, new long[] {config.hiddenSize()}, config.normEps(), true);
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        Tensor x = (Tensor) args[0];
        Tensor attended = x.add((Tensor) attention.call(attentionNorm.call(x), args[1]));
        return attended.add(feedForward.call(ffnNorm.call(attended)));
    }
}
