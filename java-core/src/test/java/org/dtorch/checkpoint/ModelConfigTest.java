package org.dtorch.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelConfigTest {
    @TempDir
    private Path folder;

    @Test
    void valuesAreReadByType() throws IOException {
        ModelConfig config = config("""
            {"hidden_size": 64, "rope_theta": 10000.0, "rms_norm_eps": 1e-05, "tie_word_embeddings": true,
             "torch_dtype": "float32", "head_dim": null, "vocab": 9000000000, "rope_scaling": {"factor": 8}}
            """);
        assertThat(config.intValue("hidden_size")).isEqualTo(64);
        assertThat(config.doubleValue("rope_theta")).isEqualTo(10000.0);
        assertThat(config.doubleValue("hidden_size")).isEqualTo(64.0);
        assertThat(config.doubleValue("rms_norm_eps")).isEqualTo(1e-5);
        assertThat(config.booleanValue("tie_word_embeddings")).isTrue();
        assertThat(config.text("torch_dtype")).isEqualTo("float32");
        assertThat(config.longValue("vocab")).isEqualTo(9_000_000_000L);
        assertThat(config.nested("rope_scaling").intValue("factor")).isEqualTo(8);
        assertThat(config.intValue("head_dim", 8)).isEqualTo(8);
        assertThat(config.text("absent", "x")).isEqualTo("x");
        assertThat(config.keys()).contains("hidden_size").doesNotContain("head_dim");
    }

    @Test
    void errorsNameKeyAndFile() throws IOException {
        ModelConfig config = config("{\"hidden_size\": \"64\", \"layers\": 2.5, \"big\": 9000000000}");
        Path file = folder.resolve("config.json");
        assertThatThrownBy(() -> config.intValue("vocab_size"))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY))
                .hasMessage("'vocab_size' is missing in " + file);
        assertThatThrownBy(() -> config.intValue("hidden_size", 3))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.TYPE))
                .hasMessage("'hidden_size' in " + file + " must be an integer, but is \"64\"");
        assertThatThrownBy(() -> config.intValue("layers")).hasMessageContaining("must be an integer, but is 2.5");
        assertThatThrownBy(() -> config.intValue("big")).hasMessageContaining("must be an integer");
        assertThatThrownBy(() -> config("[1]")).hasMessageContaining("expected a JSON object");
        assertThatThrownBy(() -> config("{")).hasMessageContaining("not valid JSON");
    }

    private ModelConfig config(String json) throws IOException {
        Files.writeString(folder.resolve("config.json"), json);
        return ModelConfig.read(folder);
    }
}
