package org.dtorch.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ids and texts against those recorded by {@code conformance/record/tokenizer_cases.py}. */
class TokenizerTest {
    @TempDir
    private Path folder;

    private Tokenizer tokenizer;
    private JsonNode expected;

    @BeforeEach
    void open() throws IOException {
        copy("tokenizer.json");
        copy("tokenizer_config.json");
        tokenizer = Tokenizer.open(folder);
        try (InputStream in = resource("expected.json")) {
            expected = new ObjectMapper().readTree(in);
        }
    }

    @AfterEach
    void close() {
        tokenizer.close();
    }

    @Test
    void idsAndTextsAreTheOriginalLibrarys() {
        assertThat(expected.get("cases")).hasSizeGreaterThan(15);
        for (JsonNode each : expected.get("cases")) {
            String text = each.get("text").asText();
            long[] ids = longs(each.get("ids"));
            assertThat(tokenizer.encode(text, true)).as(text).isEqualTo(ids);
            assertThat(tokenizer.encode(text, false)).as(text).isEqualTo(longs(each.get("ids_plain")));
            assertThat(tokenizer.encodePrompt(text)).as(text).isEqualTo(ids);
            assertThat(tokenizer.decode(ids, true))
                    .as(text)
                    .isEqualTo(each.get("decoded").asText());
            assertThat(tokenizer.decode(ids, false))
                    .as(text)
                    .isEqualTo(each.get("decoded_special").asText());
        }
    }

    @Test
    void batchesAreTheSameAsSingleTexts() {
        List<String> texts = new ArrayList<>();
        List<long[]> ids = new ArrayList<>();
        List<String> decoded = new ArrayList<>();
        for (JsonNode each : expected.get("cases")) {
            texts.add(each.get("text").asText());
            ids.add(longs(each.get("ids")));
            decoded.add(each.get("decoded").asText());
        }
        assertThat(tokenizer.encodeBatch(texts, true)).containsExactlyElementsOf(ids);
        assertThat(tokenizer.decodeBatch(ids, true)).isEqualTo(decoded);
        assertThat(tokenizer.encodeBatch(List.of(), true)).isEmpty();
    }

    @Test
    void theVocabularyAndItsSpecialTokensAreKnown() throws IOException {
        assertThat(tokenizer.vocabularySize())
                .isEqualTo(expected.get("vocabulary_size").asInt());
        assertThat(tokenizer.bosId()).hasValue(1);
        assertThat(tokenizer.eosId()).hasValue(2);
        Files.delete(folder.resolve("tokenizer_config.json"));
        Files.writeString(folder.resolve("config.json"), "{\"bos_token_id\": 5, \"eos_token_id\": [7, 8]}");
        try (Tokenizer other = Tokenizer.open(folder.resolve("tokenizer.json"))) {
            assertThat(other.bosId()).hasValue(5);
            assertThat(other.eosId()).hasValue(7);
            assertThat(other.encodePrompt("the")).startsWith(5, 1);
        }
        Files.delete(folder.resolve("config.json"));
        try (Tokenizer other = Tokenizer.open(folder)) {
            assertThat(other.bosId()).isEmpty();
        }
    }

    @Test
    void halfACharacterDoesNotSpoilTheRest() {
        assertThat(tokenizer.encode("the\ud83d cat 😀", false)).isEqualTo(tokenizer.encode("the\ufffd cat 😀", false));
    }

    @Test
    void severalThreadsShareOneTokenizer() throws Exception {
        JsonNode each = expected.get("cases").get(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<long[]>> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                results.add(
                        threads.submit(() -> tokenizer.encode(each.get("text").asText(), true)));
            }
            for (Future<long[]> result : results) {
                assertThat(result.get()).isEqualTo(longs(each.get("ids")));
            }
        }
    }

    @Test
    void whatIsNotATokenizerIsRefused() throws IOException {
        Path absent = folder.resolve("absent.json");
        assertThatThrownBy(() -> Tokenizer.open(absent))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.IO))
                .hasMessage(absent + ": no such file");
        Path broken = folder.resolve("broken.json");
        for (String json : List.of("", "nope", "{}", "[]", "{\"model\":{\"type\":\"None\"}}")) {
            Files.writeString(broken, json);
            assertThatThrownBy(() -> Tokenizer.open(broken))
                    .as(json)
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE))
                    .hasMessageStartingWith(broken + ": not");
        }
        assertThatThrownBy(() -> tokenizer.decode(new long[] {-1}, true))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.INDEX))
                .hasMessageContaining("token id -1");
    }

    private void copy(String name) throws IOException {
        try (InputStream in = resource(name)) {
            Files.copy(in, folder.resolve(name));
        }
    }

    private static InputStream resource(String name) {
        return TokenizerTest.class.getResourceAsStream("/goldens/tokenizer/" + name);
    }

    private static long[] longs(JsonNode list) {
        long[] values = new long[list.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = list.get(i).asLong();
        }
        return values;
    }
}
