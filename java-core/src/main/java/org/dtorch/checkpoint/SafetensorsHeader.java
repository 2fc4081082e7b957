package org.dtorch.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * The table of contents of a safetensors file, checked against the bytes that follow it.
 *
 * @param tensors in the order of the header
 * @param metadata the free texts of the header; empty where it has none
 */
record SafetensorsHeader(Map<String, Slot> tensors, Map<String, String> metadata) {

    /** Where a tensor lies: the range {@code [begin, end)} of bytes behind the header. */
    record Slot(String name, DType dtype, Shape shape, long begin, long end) {}

    static final String METADATA = "__metadata__";

    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(4)
                    .maxNumberLength(24)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
            .configure(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES, false)
            .build();

    /**
     * Reads and checks a header.
     *
     * @param dataBytes how many bytes follow the header in the file
     * @throws DTorchError of kind VALUE for a header that is not one, IO for a file that ends too early
     */
    static SafetensorsHeader parse(Path file, byte[] json, long dataBytes) {
        if (json.length == 0 || json[0] != '{') {
            throw DTorchError.value("%s: the safetensors header does not begin with '{'", file);
        }
        var characters = new InputStreamReader(
                new ByteArrayInputStream(json), StandardCharsets.UTF_8.newDecoder()); // refuses malformed text
        try (JsonParser parser = JSON.createParser(characters)) {
            SafetensorsHeader header = new Reader(file, parser).header();
            header.checkLayout(file, dataBytes);
            return header;
        } catch (IOException e) {
            throw new DTorchError(
                    DTorchError.Kind.VALUE,
                    "%s: the safetensors header is not valid JSON: %s".formatted(file, firstLine(e)),
                    e);
        }
    }

    static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** The tensors must cover the bytes behind the header without holes or overlaps. */
    private void checkLayout(Path file, long dataBytes) {
        List<Slot> slots = new ArrayList<>(tensors.values());
        slots.sort(Comparator.comparingLong(Slot::begin).thenComparingLong(Slot::end));
        long end = 0;
        String before = null;
        for (Slot slot : slots) {
            if (slot.end > dataBytes) {
                throw new DTorchError(
                        DTorchError.Kind.IO,
                        "%s: tensor '%s' ends at byte %d of the data, but the file has only %d: truncated?"
                                .formatted(file, slot.name, slot.end, dataBytes));
            }
            if (slot.begin < end) {
                throw DTorchError.value(
                        "%s: tensor '%s' at bytes [%d, %d) overlaps tensor '%s', which ends at %d",
                        file, slot.name, slot.begin, slot.end, before, end);
            }
            if (slot.begin > end) {
                throw DTorchError.value(
                        "%s: bytes [%d, %d) before tensor '%s' belong to no tensor", file, end, slot.begin, slot.name);
            }
            end = slot.end;
            before = slot.name;
        }
        if (end != dataBytes) {
            throw DTorchError.value(
                    "%s: bytes [%d, %d) behind the last tensor belong to no tensor", file, end, dataBytes);
        }
    }

    /** Walks the tokens of one header; every method leaves the parser on the last token it took. */
    private static final class Reader {
        private final Path file;
        private final JsonParser parser;
        private final Map<String, Slot> tensors = new LinkedHashMap<>();
        private Map<String, String> metadata;

        Reader(Path file, JsonParser parser) {
            this.file = file;
            this.parser = parser;
        }

        SafetensorsHeader header() throws IOException {
            require(parser.nextToken() == JsonToken.START_OBJECT, "the header is not a JSON object");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (name.equals(METADATA)) {
                    metadata = texts();
                } else {
                    tensors.put(name, slot(name));
                }
            }
            require(parser.nextToken() == null, "text follows the header's JSON object");
            return new SafetensorsHeader(tensors, metadata == null ? Map.of() : metadata);
        }

        private Map<String, String> texts() throws IOException {
            require(parser.nextToken() == JsonToken.START_OBJECT, METADATA + " is not a JSON object");
            Map<String, String> texts = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                require(parser.nextToken() == JsonToken.VALUE_STRING, METADATA + " '" + key + "' is not a string");
                texts.put(key, parser.getText());
            }
            return texts;
        }

        private Slot slot(String name) throws IOException {
            String tensor = "tensor '" + name + "'";
            require(parser.nextToken() == JsonToken.START_OBJECT, tensor + ": its entry is not a JSON object");
            String dtype = null;
            long[] shape = null;
            long[] offsets = null;
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                switch (key) {
                    case "dtype" -> {
                        require(parser.nextToken() == JsonToken.VALUE_STRING, tensor + ": dtype is not a string");
                        dtype = parser.getText();
                    }
                    case "shape" -> shape = integers(tensor, key);
                    case "data_offsets" -> offsets = integers(tensor, key);
                    default -> throw invalid(tensor + ": unknown key '" + key + "'");
                }
            }
            require(dtype != null, tensor + " has no dtype");
            require(shape != null, tensor + " has no shape");
            require(offsets != null && offsets.length == 2, tensor + " has no pair of data_offsets");
            return slot(name, tensor, dtype, shape, offsets);
        }

        private Slot slot(String name, String tensor, String stored, long[] sizes, long[] offsets) {
            DType dtype = StoredDType.of(stored);
            require(
                    dtype != null,
                    tensor + ": dtype '" + stored + "' is not one of " + String.join(", ", StoredDType.legalNames()));
            long bytes = dtype.bytes();
            try {
                for (long size : sizes) {
                    require(size >= 0, tensor + ": negative size in shape " + Arrays.toString(sizes));
                    bytes = Math.multiplyExact(bytes, size);
                }
            } catch (ArithmeticException e) {
                throw invalid(tensor + ": shape " + Arrays.toString(sizes) + " has too many elements");
            }
            long begin = offsets[0];
            long end = offsets[1];
            require(begin >= 0, tensor + ": negative offset in data_offsets " + Arrays.toString(offsets));
            require(end >= begin, tensor + ": data_offsets " + Arrays.toString(offsets) + " end before they begin");
            require(
                    end - begin == bytes,
                    "%s: data_offsets %s hold %d bytes, but dtype %s and shape %s need %d"
                            .formatted(
                                    tensor,
                                    Arrays.toString(offsets),
                                    end - begin,
                                    stored,
                                    Arrays.toString(sizes),
                                    bytes));
            return new Slot(name, dtype, Shape.of(sizes), begin, end);
        }

        private long[] integers(String tensor, String key) throws IOException {
            require(parser.nextToken() == JsonToken.START_ARRAY, tensor + ": " + key + " is not a list");
            long[] values = new long[4];
            int count = 0;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                boolean fits = parser.currentToken() == JsonToken.VALUE_NUMBER_INT
                        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
                require(fits, tensor + ": " + key + " holds something that is not a 64-bit integer");
                if (count == values.length) {
                    values = Arrays.copyOf(values, 2 * count);
                }
                values[count++] = parser.getLongValue();
            }
            return Arrays.copyOf(values, count);
        }

        private void require(boolean holds, String problem) {
            if (!holds) {
                throw invalid(problem);
            }
        }

        private DTorchError invalid(String problem) {
            return new DTorchError(DTorchError.Kind.VALUE, file + ": " + problem);
        }
    }
}
