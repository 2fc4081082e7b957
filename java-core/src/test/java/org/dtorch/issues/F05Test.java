package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.dtorch.checkpoint.Checkpoint;
import org.dtorch.checkpoint.SafetensorsWriter;
import org.dtorch.checkpoint.SafetensorsWriter.Declaration;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index whose file is absent, or lacks a tensor, names what is missing. */
class F05Test {
    @TempDir
    private Path folder;

    @Test
    void anAbsentFileAndAnAbsentTensorAreNamed() throws IOException {
        Files.writeString(
                folder.resolve("model.safetensors.index.json"),
                "{\"weight_map\":{\"a\":\"first.safetensors\",\"b\":\"second.safetensors\"}}");
        write(folder.resolve("first.safetensors"), "a");
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThat(checkpoint.entry("a").shape()).isEqualTo(Shape.of(1));
            assertThatThrownBy(() -> checkpoint.entry("b"))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.IO))
                    .hasMessageContaining("second.safetensors")
                    .hasMessageContaining("'b' does not exist");
        }
        write(folder.resolve("second.safetensors"), "c");
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThatThrownBy(() -> checkpoint.entry("b"))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY))
                    .hasMessageContaining("tensor 'b' is not in")
                    .hasMessageContaining("second.safetensors");
        }
    }

    private static void write(Path path, String name) {
        Declaration tensor = new Declaration(name, DType.FLOAT32, Shape.of(1));
        try (SafetensorsWriter writer = new SafetensorsWriter(path, List.of(tensor), Map.of())) {
            writer.write(name, MemorySegment.ofArray(new float[] {1}));
            writer.finish();
        }
    }
}
