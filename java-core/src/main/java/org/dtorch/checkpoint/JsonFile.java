package org.dtorch.checkpoint;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.dtorch.values.DTorchError;

/** Reads a small file that holds one JSON object. */
final class JsonFile {
    private static final long MAX_BYTES = SafetensorsFile.MAX_HEADER_BYTES;

    private static final ObjectMapper JSON = new ObjectMapper(new JsonFactoryBuilder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private JsonFile() {}

    /**
     * The object in {@code path}.
     *
     * @throws DTorchError of kind IO if the file cannot be read, VALUE if it does not hold one JSON object
     */
    static ObjectNode read(Path path) {
        byte[] bytes;
        try {
            long size = Files.size(path);
            if (size > MAX_BYTES) {
                throw DTorchError.value("%s: %d bytes are more than the %d allowed", path, size, MAX_BYTES);
            }
            bytes = Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            throw new DTorchError(DTorchError.Kind.IO, path + ": no such file", e);
        } catch (IOException e) {
            throw new DTorchError(DTorchError.Kind.IO, path + ": cannot be read: " + e.getMessage(), e);
        }
        try {
            JsonNode node = JSON.readTree(bytes);
            if (node instanceof ObjectNode object) {
                return object;
            }
            throw DTorchError.value("%s: expected a JSON object", path);
        } catch (IOException e) {
            throw new DTorchError(
                    DTorchError.Kind.VALUE,
                    "%s: not valid JSON: %s".formatted(path, SafetensorsHeader.firstLine(e)),
                    e);
        }
    }
}
