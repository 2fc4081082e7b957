package org.dtorch.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.dtorch.checkpoint.SafetensorsWriter.Declaration;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsWriterTest {
    private static final Declaration GRID = new Declaration("grid", DType.INT32, Shape.of(2, 4));

    @TempDir
    private Path folder;

    @Test
    void theBytesAreThoseOfTheOriginalWriter() throws IOException {
        Path golden = SafetensorsFileTest.golden(folder);
        Path copy = folder.resolve("copy.safetensors");
        try (SafetensorsFile file = SafetensorsFile.open(golden)) {
            List<Declaration> declarations = new ArrayList<>();
            file.names()
                    .forEach(name -> declarations.add(new Declaration(
                            name, file.entry(name).dtype(), file.entry(name).shape())));
            Collections.reverse(declarations);
            try (SafetensorsWriter writer = new SafetensorsWriter(copy, declarations, file.metadata())) {
                declarations.forEach(
                        d -> writer.write(d.name(), file.entry(d.name()).data()));
                writer.finish();
            }
        }
        assertThat(copy).hasSameBinaryContentAs(golden);
    }

    @Test
    void partsMakeTheWhole() {
        Path path = folder.resolve("parts.safetensors");
        try (SafetensorsWriter writer = new SafetensorsWriter(path, List.of(GRID), Map.of())) {
            writer.writePart("grid", new long[] {0, 2}, new long[] {2, 2}, ints(2, 3, 6, 7));
            writer.writePart("grid", new long[] {0, 0}, new long[] {2, 2}, ints(0, 1, 4, 5));
            writer.writePart("grid", new long[] {0, 4}, new long[] {2, 0}, ints());
            writer.finish();
        }
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            assertThat(file.entry("grid").data().toArray(ValueLayout.JAVA_INT_UNALIGNED))
                    .containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        }
    }

    @Test
    void nothingIsLeftOfAFileThatWasNotFinished() throws IOException {
        Path path = folder.resolve("old.safetensors");
        Files.writeString(path, "old");
        try (SafetensorsWriter writer = new SafetensorsWriter(path, List.of(GRID), Map.of())) {
            writer.writePart("grid", new long[] {0, 0}, new long[] {1, 4}, ints(0, 1, 2, 3));
            assertThatThrownBy(writer::finish)
                    .isInstanceOf(DTorchError.class)
                    .hasMessageContaining("'grid' was written incompletely (16 bytes)");
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(path);
        }
        assertThat(path).hasContent("old");
    }

    @Test
    void wrongUseIsNamed() {
        Path path = folder.resolve("wrong.safetensors");
        assertThatThrownBy(() -> new SafetensorsWriter(path, List.of(GRID, GRID), Map.of()))
                .hasMessageContaining("'grid' is reserved or used twice");
        try (SafetensorsWriter writer = new SafetensorsWriter(path, List.of(GRID), Map.of())) {
            assertThatThrownBy(() -> writer.write("other", ints(1))).hasMessageContaining("'other' was not declared");
            assertThatThrownBy(() -> writer.write("grid", ints(1))).hasMessageContaining("32 bytes was given only 4");
            assertThatThrownBy(() -> writer.writePart("grid", new long[] {0, 3}, new long[] {2, 2}, ints(1)))
                    .hasMessageContaining("does not lie within shape [2, 4]");
        }
        Path nowhere = folder.resolve("none").resolve("x.safetensors");
        assertThatThrownBy(() -> new SafetensorsWriter(nowhere, List.of(GRID), Map.of()))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.IO))
                .hasMessageContaining("cannot be written");
    }

    private static MemorySegment ints(int... values) {
        return MemorySegment.ofArray(values);
    }
}
