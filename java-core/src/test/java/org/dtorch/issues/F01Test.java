package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.checkpoint.SafetensorsFile;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hostile safetensors files are refused with a format error. */
class F01Test {
    @TempDir
    private Path folder;

    @Test
    void aLengthPrefixThatCannotBe() throws IOException {
        refused(file(-1, "{}"), "18446744073709551615 bytes is longer than");
        refused(file(1_000_000, "{}"), "1000000 bytes does not fit into a file of 10 bytes");
    }

    @Test
    void offsetsThatCannotBe() throws IOException {
        refused(file(tensor("[1]", "[8,4]")), "end before they begin");
        refused(file(tensor("[1]", "[-4,0]")), "negative offset");
    }

    @Test
    void aShapeThatCannotBe() throws IOException {
        refused(file(tensor("[4611686018427387904,8]", "[0,8]")), "has too many elements");
    }

    private static void refused(Path path, String message) {
        assertThatThrownBy(() -> SafetensorsFile.open(path))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE))
                .hasMessageContaining(path.toString())
                .hasMessageContaining(message);
    }

    private static String tensor(String shape, String offsets) {
        return "{\"t\":{\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}";
    }

    private Path file(String header) throws IOException {
        return file(header.length(), header);
    }

    private Path file(long prefix, String header) throws IOException {
        Path path = Files.createTempFile(folder, "hostile", ".safetensors");
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(8 + text.length).order(ByteOrder.LITTLE_ENDIAN);
        Files.write(path, bytes.putLong(prefix).put(text).array());
        return path;
    }
}
