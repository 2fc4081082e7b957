package org.dtorch.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafetensorsFileTest {
    @TempDir
    private Path folder;

    @Test
    void aFileOfTheOriginalWriterIsRead() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(golden(folder))) {
            assertThat(file.metadata()).isEqualTo(Map.of("format", "pt"));
            assertThat(file.names()).hasSize(12).contains("näme \"quoted\"");
            SafetensorsFile.Entry weight = file.entry("layer.weight");
            assertThat(weight.dtype()).isEqualTo(DType.FLOAT32);
            assertThat(weight.shape()).isEqualTo(Shape.of(2, 3));
            assertThat(weight.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED))
                    .containsExactly(0f, 0.25f, 0.5f, 0.75f, 1f, 1.25f);
            assertThat(file.entry("ids").data().toArray(ValueLayout.JAVA_LONG_UNALIGNED))
                    .containsExactly(1, -2, 1L << 40);
            assertThat(file.entry("layer.bias").data().toArray(ValueLayout.JAVA_SHORT_UNALIGNED))
                    .containsExactly((short) 0xbfc0, (short) 0x4000, (short) 0x3e80);
            assertThat(file.entry("double").shape()).isEqualTo(Shape.SCALAR);
            assertThat(file.entry("mask").dtype()).isEqualTo(DType.BOOL);
            assertThat(file.entry("mask").data().toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 0, 1);
            assertThat(file.entry("empty").shape()).isEqualTo(Shape.of(0, 3));
        }
    }

    @Test
    void aPartIsCopiedDense() throws IOException {
        byte[] data = new byte[2 * 3 * 4];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) i;
        }
        Path path = file("{\"t\":{\"dtype\":\"U8\",\"shape\":[2,3,4],\"data_offsets\":[0,24]}}", data);
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            SafetensorsFile.Entry entry = file.entry("t");
            assertThat(part(entry, new long[] {0, 0, 0}, new long[] {2, 3, 4})).isEqualTo(data);
            assertThat(part(entry, new long[] {1, 0, 0}, new long[] {1, 3, 4})).containsExactly(range(12, 24));
            assertThat(part(entry, new long[] {0, 1, 0}, new long[] {2, 2, 4}))
                    .containsExactly(4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23);
            assertThat(part(entry, new long[] {0, 1, 1}, new long[] {2, 2, 2}))
                    .containsExactly(5, 6, 9, 10, 17, 18, 21, 22);
            assertThat(part(entry, new long[] {0, 0, 3}, new long[] {2, 3, 1})).containsExactly(3, 7, 11, 15, 19, 23);
            assertThat(part(entry, new long[] {2, 0, 0}, new long[] {0, 3, 4})).isEmpty();
        }
    }

    @Test
    void aPartOutsideOfTheTensorIsRefused() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(golden(folder))) {
            SafetensorsFile.Entry entry = file.entry("layer.weight");
            MemorySegment room = MemorySegment.ofArray(new byte[64]);
            assertThatThrownBy(() -> entry.copyPart(new long[] {1, 0}, new long[] {2, 3}, room))
                    .isInstanceOf(DTorchError.class)
                    .hasMessage(
                            "tensor 'layer.weight': the part at [1, 0] of sizes [2, 3] does not lie within shape [2,"
                                    + " 3]");
            assertThatThrownBy(() -> entry.copyPart(new long[] {-1, 0}, new long[] {1, 3}, room))
                    .isInstanceOf(DTorchError.class);
            assertThatThrownBy(() -> entry.copyPart(new long[] {Long.MAX_VALUE, 0}, new long[] {1, 3}, room))
                    .isInstanceOf(DTorchError.class);
            assertThatThrownBy(() -> entry.copyPart(new long[] {0}, new long[] {1}, room))
                    .isInstanceOf(DTorchError.class);
            assertThatThrownBy(
                            () -> entry.copyPart(new long[2], new long[] {2, 3}, MemorySegment.ofArray(new byte[23])))
                    .hasMessage("tensor 'layer.weight': a part of 24 bytes does not fit into 23 bytes");
        }
    }

    /** The header of a file with eight bytes of data, and what the message must say. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]                                                          | does not begin with '{'",
                "{\"a\":1}                                                   | tensor 'a': its entry is not a JSON"
                        + " object",
                "{                                                           | not valid JSON",
                "{} x                                                        | not valid JSON",
                "{} {}                                                       | text follows",
                "{\"a\":@F32 [2] [0,8]@,\"a\":@F32 [2] [0,8]@}               | Duplicate field 'a'",
                "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}               | Duplicate field 'dtype'",
                "{\"a\":@F8_E4M3 [8] [0,8]@}                                 | 'F8_E4M3' is not one of I64, F64, F32",
                "{\"a\":@F32 [-2] [0,8]@}                                    | tensor 'a': negative size in shape [-2]",
                "{\"a\":@F32 [4294967296,4294967296] [0,8]@}                 | has too many elements",
                "{\"a\":@F32 [99999999999999999999] [0,8]@}                  | shape holds something that is not a"
                        + " 64-bit",
                "{\"a\":@F32 [2.0] [0,8]@}                                   | shape holds something that is not a"
                        + " 64-bit",
                "{\"a\":@F32 [[2]] [0,8]@}                                   | shape holds something that is not a"
                        + " 64-bit",
                "{\"a\":@F32 [2] [8,0]@}                                     | [8, 0] end before they begin",
                "{\"a\":@F32 [2] [-8,0]@}                                    | negative offset",
                "{\"a\":@F32 [2] [0]@}                                       | has no pair of data_offsets",
                "{\"a\":@F32 [2] [0,4]@}                                     | hold 4 bytes, but dtype F32 and shape"
                        + " [2] need 8",
                "{\"a\":@F32 [3] [0,12]@}                                    | but the file has only 8: truncated?",
                "{\"a\":@F32 [2] [0,8]@,\"b\":@F32 [1] [4,8]@}               | tensor 'b' at bytes [4, 8) overlaps"
                        + " tensor 'a'",
                "{\"a\":@F32 [1] [4,8]@}                                     | bytes [0, 4) before tensor 'a' belong"
                        + " to no",
                "{\"a\":@F32 [1] [0,4]@}                                     | bytes [4, 8) behind the last tensor",
                "{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}              | tensor 'a' has no dtype",
                "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}          | tensor 'a' has no shape",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"extra\":[0]}}     | unknown key 'extra'",
                "{\"__metadata__\":{\"k\":1},\"a\":@F32 [2] [0,8]@}          | __metadata__ 'k' is not a string",
            })
    void aBrokenHeaderIsNamed(String header, String message) throws IOException {
        String json = header.replaceAll(
                "@([^@ ]+) ([^@ ]+) ([^@ ]+)@", "{\"dtype\":\"$1\",\"shape\":$2,\"data_offsets\":$3}");
        Path path = file(json, new byte[8]);
        assertThatThrownBy(() -> SafetensorsFile.open(path))
                .isInstanceOf(DTorchError.class)
                .hasMessageStartingWith(path.toString())
                .hasMessageContaining(message);
    }

    @Test
    void textThatIsNotUtf8IsRefused() throws IOException {
        Path path = bytes(header(13), "{\"\u00ff\u00fe\":{}}  ".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> SafetensorsFile.open(path)).isInstanceOf(DTorchError.class);
        byte[] wide = "{}".getBytes(StandardCharsets.UTF_16LE);
        Path utf16 = bytes(header(wide.length), wide);
        assertThatThrownBy(() -> SafetensorsFile.open(utf16)).isInstanceOf(DTorchError.class);
    }

    @Test
    void whatIsNotAFileIsAnIoError() throws IOException {
        Path absent = folder.resolve("absent.safetensors");
        assertThatThrownBy(() -> SafetensorsFile.open(absent))
                .hasMessage(absent + ": no such file")
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.IO));
        assertThatThrownBy(() -> SafetensorsFile.open(folder))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.IO));
        Path tiny = bytes(new byte[7], new byte[0]);
        assertThatThrownBy(() -> SafetensorsFile.open(tiny)).hasMessageContaining("7 bytes are too few");
    }

    @Test
    void anUnknownTensorIsAKeyError() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(golden(folder))) {
            assertThatThrownBy(() -> file.entry("nothing"))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY))
                    .hasMessageContaining("'nothing'");
            file.close();
            file.close();
            assertThatThrownBy(() -> file.entry("ids").data().get(ValueLayout.JAVA_BYTE, 0))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    static Path golden(Path folder) throws IOException {
        Path path = folder.resolve("small.safetensors");
        try (InputStream in = SafetensorsFileTest.class.getResourceAsStream("/goldens/small.safetensors")) {
            Files.copy(in, path);
        }
        return path;
    }

    private Path file(String json, byte[] data) throws IOException {
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        return bytes(header(text.length), text, data);
    }

    private Path bytes(byte[]... pieces) throws IOException {
        Path path = Files.createTempFile(folder, "case", ".safetensors");
        try (var out = Files.newOutputStream(path)) {
            for (byte[] piece : pieces) {
                out.write(piece);
            }
        }
        return path;
    }

    private static byte[] header(long length) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(length)
                .array();
    }

    private static byte[] part(SafetensorsFile.Entry entry, long[] offsets, long[] sizes) {
        long numel = 1;
        for (long size : sizes) {
            numel *= size;
        }
        byte[] out = new byte[(int) numel];
        entry.copyPart(offsets, sizes, MemorySegment.ofArray(out));
        return out;
    }

    private static byte[] range(int from, int to) {
        byte[] values = new byte[to - from];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (from + i);
        }
        return values;
    }
}
