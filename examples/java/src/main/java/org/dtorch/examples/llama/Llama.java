package org.dtorch.examples.llama;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.checkpoint.Checkpoint;
import org.dtorch.checkpoint.ModelConfig;
import org.dtorch.checkpoint.SafetensorsFile;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.nn.ColumnParallelLinearWithReplicateOutput;
import org.dtorch.nn.EmbeddingWithReplicateOutput;
import org.dtorch.nn.MeshDim;
import org.dtorch.nn.Module;
import org.dtorch.nn.ModuleList;
import org.dtorch.nn.TensorOptions;
import org.dtorch.nn.ValueSource;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * Llama on any mesh: token ids [N, L] to logits [N, L, vocab_size], which lie where and as the ids do.
 *
 * <p>The model is that of one device; named mesh dimensions make it parallel: {@code dp} splits the batch, {@code tp}
 * the heads and hidden features, {@code pp} the layers, {@code ulysess_cp} and {@code ring_cp} the sequence.
 */
public final class Llama extends Module {
    private static final Map<String, String> HUGGING_FACE_NAMES = huggingFaceNames();

    private final LlamaConfig config;
    private final List<DeviceMesh> stageMeshes;
    private final List<Integer> stageOfLayer = new ArrayList<>();
    private final List<RotaryEmbedding> rotaryOfStage = new ArrayList<>();
    private final Module embeddings;
    private final ModuleList layers;
    private final Module norm;
    private final Module output;

    public Llama(DTorch dt, LlamaConfig config, DeviceMesh mesh) {
        requireDivides(config.heads(), "num_attention_heads", mesh);
        requireDivides(config.keyValueHeads(), "num_key_value_heads", mesh);
        this.config = config;

        // 1. One mesh for each pipeline stage. Earlier stages get the surplus of layers.
        stageMeshes = mesh.unbind(List.of("pp"));
        int stages = stageMeshes.size();
        for (int stage = 0; stage < stages; stage++) {
            int count = config.layers() / stages + (stage < config.layers() % stages ? 1 : 0);
            for (int i = 0; i < count; i++) {
                stageOfLayer.add(stage);
            }
        }

        // 2. Every module is built on the devices of its stage.
        TensorOptions first = TensorOptions.of(dt, stageMeshes.getFirst());
        TensorOptions last = TensorOptions.of(dt, stageMeshes.getLast());
        embeddings = child(
                "tok_embeddings",
                new EmbeddingWithReplicateOutput(first, config.vocabSize(), config.hiddenSize(), MeshDim.TP));
        layers = child("layers", new ModuleList());
        for (int stage : stageOfLayer) {
            layers.add(new TransformerBlock(TensorOptions.of(dt, stageMeshes.get(stage)), config));
        }
        norm = child("norm", TransformerBlock.norm(last, config));
        output = child(
                "output",
                new ColumnParallelLinearWithReplicateOutput(
                        last, config.hiddenSize(), config.vocabSize(), false, MeshDim.TP));
        for (DeviceMesh stageMesh : stageMeshes) {
            rotaryOfStage.add(RotaryEmbedding.of(dt, config, stageMesh));
        }
    }

    /** Heads are what tp splits, so it must divide them; attention would fail later with a less helpful message. */
    private static void requireDivides(int heads, String field, DeviceMesh mesh) {
        int tp = MeshDims.size(mesh, "tp");
        if (heads % tp != 0) {
            throw DTorchError.value(
                    "cannot build Llama: %s=%d heads cannot be split over tp=%d devices of %s; tp must divide %d",
                    field, heads, tp, mesh, heads);
        }
    }

    /** Loads a Hugging Face folder: config.json and safetensors. Each device reads only its own shards. */
    public static Llama fromPretrained(DTorch dt, Path folder, DeviceMesh mesh) {
        Llama model = new Llama(dt, LlamaConfig.of(ModelConfig.read(folder)), mesh);
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            Map<String, ValueSource> state = new LinkedHashMap<>();
            for (String name : checkpoint.names()) {
                SafetensorsFile.Entry entry = checkpoint.entry(name);
                state.put(ourName(name), ValueSource.of(entry.shape(), entry.dtype(), entry::copyPart));
            }
            if (model.config.tiedEmbeddings()) {
                state.put("output.weight", state.get("tok_embeddings.weight"));
            }
            model.loadStateDict(state);
        }
        model.eval();
        return model;
    }

    public LlamaConfig config() {
        return config;
    }

    /** An empty cache for one batch of sequences of at most {@code maxLength} tokens. */
    public KeyValueCache newCache(long maxLength) {
        requirePosition(maxLength);
        return new KeyValueCache(config.layers(), maxLength);
    }

    /** Logits of a whole sequence. */
    public Tensor logits(Tensor tokens) {
        return logits(tokens, 0, null);
    }

    /**
     * Logits of the tokens that follow the {@code start} tokens in the cache.
     *
     * @param cache null to compute without one
     * @throws DTorchError of kind VALUE for several tokens at once after the first, or more than the model has positions
     */
    public Tensor logits(Tensor tokens, long start, KeyValueCache cache) {
        return (Tensor) call(new Object[] {tokens, start, cache}, Map.of());
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        return forward((Tensor) args[0], (Long) args[1], (KeyValueCache) args[2]);
    }

    private Tensor forward(Tensor given, long start, KeyValueCache cache) {
        long length = given.size(1);
        if (start > 0 && length > 1) {
            throw DTorchError.value("after the prompt the cache takes one token at a time, not %d", length);
        }
        requirePosition(start + length);
        List<RotaryEmbedding> rotary =
                rotaryOfStage.stream().map(r -> r.at(start, length)).toList();
        Tensor h = embeddings.call(given.redistribute(MeshDims.ofTokens(given, stageMeshes.getFirst())));
        for (int i = 0; i < layers.size(); i++) {
            int stage = stageOfLayer.get(i);
            h = h.redistribute(stageMeshes.get(stage), null); // moves only where the stage changes
            h = (Tensor) layers.get(i).call(h, new Step(i, start, rotary.get(stage), cache));
        }
        // The caller gets the logits where and as the tokens were.
        h = h.redistribute(stageMeshes.getLast(), null);
        return output.call(norm.call(h)).cast(DType.FLOAT32).redistribute(given.layout());
    }

    private void requirePosition(long length) {
        if (length > config.maxPositions()) {
            throw DTorchError.value("position %d exceeds max_position_embeddings=%d", length, config.maxPositions());
        }
    }

    private static Map<String, String> huggingFaceNames() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("model.", "");
        names.put("embed_tokens", "tok_embeddings");
        names.put("input_layernorm", "attention_norm");
        names.put("post_attention_layernorm", "ffn_norm");
        names.put("self_attn", "attention");
        names.put("q_proj", "wq");
        names.put("k_proj", "wk");
        names.put("v_proj", "wv");
        names.put("o_proj", "wo");
        names.put("mlp", "feed_forward");
        names.put("gate_proj", "w1");
        names.put("down_proj", "w2");
        names.put("up_proj", "w3");
        names.put("lm_head", "output");
        return names;
    }

    /** Turns model.layers.0.self_attn.q_proj.weight into layers.0.attention.wq.weight. */
    static String ourName(String name) {
        String ours = name;
        for (Map.Entry<String, String> pair : HUGGING_FACE_NAMES.entrySet()) {
            ours = ours.replace(pair.getKey(), pair.getValue());
        }
        return ours;
    }
}
