package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.checkpoint.SafetensorsFile;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Empty tensors and a scalar load from a file without metadata. */
class F03Test {
    @TempDir
    private Path folder;

    @Test
    void emptyTensorsAndAScalarLoad() throws IOException {
        String header = "{\"e\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[0,0]},"
                + "\"s\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                + "\"f\":{\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[4,4]}}";
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(12 + text.length).order(ByteOrder.LITTLE_ENDIAN);
        Path path = folder.resolve("f03.safetensors");
        Files.write(path, bytes.putLong(text.length).put(text).putFloat(2.5f).array());
        try (SafetensorsFile file = SafetensorsFile.open(path)) {
            assertThat(file.names()).containsExactly("e", "s", "f");
            assertThat(file.metadata()).isEmpty();
            assertThat(file.entry("e").shape()).isEqualTo(Shape.of(0, 3));
            assertThat(file.entry("e").data().byteSize()).isZero();
            assertThat(file.entry("f").shape()).isEqualTo(Shape.of(2, 0));
            assertThat(file.entry("s").shape()).isEqualTo(Shape.SCALAR);
            assertThat(file.entry("s").data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0))
                    .isEqualTo(2.5f);
        }
    }
}
