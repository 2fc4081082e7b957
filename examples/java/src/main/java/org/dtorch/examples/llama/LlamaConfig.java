package org.dtorch.examples.llama;

import org.dtorch.checkpoint.ModelConfig;

/** The fields of a Hugging Face config.json that decide the computation. */
public record LlamaConfig(
        int vocabSize,
        int hiddenSize,
        int intermediateSize,
        int layers,
        int heads,
        int keyValueHeads,
        int headDim,
        int maxPositions,
        double normEps,
        double ropeTheta,
        boolean tiedEmbeddings,
        int bosId,
        int eosId) {

    public static LlamaConfig of(ModelConfig json) {
        int hiddenSize = json.intValue("hidden_size");
        int heads = json.intValue("num_attention_heads");
        return new LlamaConfig(
                json.intValue("vocab_size"),
                hiddenSize,
                json.intValue("intermediate_size"),
                json.intValue("num_hidden_layers"),
                heads,
                json.intValue("num_key_value_heads", heads),
                json.intValue("head_dim", hiddenSize / heads),
                json.intValue("max_position_embeddings"),
                json.doubleValue("rms_norm_eps"),
                json.doubleValue("rope_theta", 10000),
                json.booleanValue("tie_word_embeddings", false),
                json.intValue("bos_token_id", 1),
                json.intValue("eos_token_id", 2));
    }
}
