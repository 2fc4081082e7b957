package org.dtorch.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.dtorch.values.DTorchError;

/** What the files of a model say about its vocabulary beyond the text of the tokens. */
record SpecialTokens(int vocabularySize, OptionalLong bos, OptionalLong eos) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Reads {@code tokenizer.json}, and the two configuration files beside it where they exist. */
    static SpecialTokens read(Path file, byte[] tokenizerJson) {
        JsonNode tokenizer = parse(file, tokenizerJson);
        JsonNode vocabulary = tokenizer.path("model").path("vocab");
        Map<String, Long> added = new HashMap<>();
        int size = vocabulary.size();
        for (JsonNode token : tokenizer.path("added_tokens")) {
            String content = token.path("content").asText();
            added.put(content, token.path("id").asLong());
            if (!contains(vocabulary, content)) {
                size++;
            }
        }
        JsonNode tokenizerConfig = beside(file, "tokenizer_config.json");
        JsonNode config = beside(file, "config.json");
        return new SpecialTokens(
                size,
                id("bos_token", tokenizerConfig, config, added, vocabulary),
                id("eos_token", tokenizerConfig, config, added, vocabulary));
    }

    /** A vocabulary is an object from token to id, or in unigram models a list of pairs of token and score. */
    private static boolean contains(JsonNode vocabulary, String content) {
        if (vocabulary.isObject()) {
            return vocabulary.has(content);
        }
        for (JsonNode pair : vocabulary) {
            if (pair.path(0).asText().equals(content)) {
                return true;
            }
        }
        return false;
    }

    private static OptionalLong id(
            String key, JsonNode tokenizerConfig, JsonNode config, Map<String, Long> added, JsonNode vocabulary) {
        JsonNode token = tokenizerConfig.path(key);
        String content = token.isObject() ? token.path("content").asText() : token.asText();
        if (added.containsKey(content)) {
            return OptionalLong.of(added.get(content));
        }
        if (vocabulary.path(content).isIntegralNumber()) {
            return OptionalLong.of(vocabulary.get(content).asLong());
        }
        JsonNode id = config.path(key + "_id");
        JsonNode first = id.isArray() ? id.path(0) : id; // models with several end tokens list them
        return first.isIntegralNumber() ? OptionalLong.of(first.asLong()) : OptionalLong.empty();
    }

    private static JsonNode beside(Path file, String name) {
        Path path = file.resolveSibling(name);
        try {
            return Files.exists(path) ? parse(path, Files.readAllBytes(path)) : JSON.createObjectNode();
        } catch (IOException e) {
            throw new DTorchError(DTorchError.Kind.IO, path + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static JsonNode parse(Path path, byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new DTorchError(DTorchError.Kind.VALUE, path + ": not valid JSON", e);
        }
    }
}
