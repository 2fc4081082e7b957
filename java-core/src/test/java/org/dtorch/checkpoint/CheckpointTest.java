package org.dtorch.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.dtorch.checkpoint.SafetensorsWriter.Declaration;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointTest {
    @TempDir
    private Path folder;

    @Test
    void aFolderAFileAndAnIndexOpen() throws IOException {
        write(folder.resolve("one.safetensors"), "a", 1f);
        write(folder.resolve("two.safetensors"), "b", 2f);
        index("{\"weight_map\":{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"}}");
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThat(checkpoint.names()).containsExactly("a", "b");
            assertThat(value(checkpoint, "b")).isEqualTo(2f);
            assertThat(value(checkpoint, "a")).isEqualTo(1f);
            assertThat(checkpoint.contains("c")).isFalse();
        }
        try (Checkpoint checkpoint = Checkpoint.open(folder.resolve(Checkpoint.INDEX))) {
            assertThat(value(checkpoint, "a")).isEqualTo(1f);
        }
        try (Checkpoint checkpoint = Checkpoint.open(folder.resolve("two.safetensors"))) {
            assertThat(checkpoint.names()).containsExactly("b");
        }
        write(folder.resolve(Checkpoint.SINGLE), "whole", 3f);
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThat(checkpoint.names()).containsExactly("whole");
        }
    }

    @Test
    void filesAreOpenedWhenTheyAreNeeded() throws IOException {
        write(folder.resolve("one.safetensors"), "a", 1f);
        Files.writeString(folder.resolve("two.safetensors"), "this is no safetensors file");
        index("{\"weight_map\":{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"}}");
        try (Checkpoint checkpoint = Checkpoint.open(folder)) {
            assertThat(value(checkpoint, "a")).isEqualTo(1f);
            assertThatThrownBy(() -> checkpoint.entry("b"))
                    .isInstanceOf(DTorchError.class)
                    .hasMessageContaining("two.safetensors");
        }
    }

    @Test
    void anEmptyFolderIsAnIoError() {
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.IO))
                .hasMessage(folder + " holds neither model.safetensors nor model.safetensors.index.json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"weight_map\":[]}",
                "{\"weight_map\":{\"a\":1}}",
                "{\"weight_map\":{\"a\":\"\"}}",
                "{\"weight_map\":{\"a\":\"..\"}}",
                "{\"weight_map\":{\"a\":\"../x.safetensors\"}}",
                "{\"weight_map\":{\"a\":\"/etc/passwd\"}}",
                "{\"weight_map\":{\"a\":\"\\u0000\"}}",
                "{\"weight_map\":{\"a\":\"x\",\"a\":\"y\"}}",
                "{\"weight_map\":{}} {}"
            })
    void aBrokenIndexIsRefused(String json) throws IOException {
        index(json);
        assertThatThrownBy(() -> Checkpoint.open(folder))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE))
                .hasMessageContaining(Checkpoint.INDEX);
    }

    private void index(String json) throws IOException {
        Files.writeString(folder.resolve(Checkpoint.INDEX), json);
    }

    private static float value(Checkpoint checkpoint, String name) {
        return checkpoint.entry(name).data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0);
    }

    /** Writes a file with one tensor that holds one number. */
    private static void write(Path path, String name, float value) {
        Declaration tensor = new Declaration(name, DType.FLOAT32, Shape.of(1));
        try (SafetensorsWriter writer = new SafetensorsWriter(path, List.of(tensor), Map.of())) {
            writer.write(name, MemorySegment.ofArray(new float[] {value}));
            writer.finish();
        }
    }
}
