package org.dtorch.examples.llama;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/** The model stories260K and what Hugging Face's Llama computes with it, from {@code shared} beside the project. */
final class Stories {
    /**
     * One recorded continuation.
     *
     * @param ids of prompt and continuation
     */
    record Case(String prompt, long[] promptIds, double[] lastLogits, long[] ids) {}

    private Stories() {}

    /** The model's folder; without it tests are skipped, and fail where {@code CI} is set to true. */
    static Path folder() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path folder = at.resolve("shared/data/stories260K");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        String message = "no shared/data/stories260K beside the project or above it";
        return "true".equals(System.getenv("CI")) ? fail(message) : abort(message);
    }

    static List<Case> cases() throws IOException {
        List<Case> cases = new ArrayList<>();
        JsonNode expected =
                new ObjectMapper().readTree(folder().resolve("expected.json").toFile());
        for (JsonNode node : expected.get("cases")) {
            cases.add(new Case(
                    node.get("prompt").asText(),
                    longs(node.get("prompt_ids")),
                    StreamSupport.stream(node.get("last_logits_first8").spliterator(), false)
                            .mapToDouble(JsonNode::asDouble)
                            .toArray(),
                    longs(node.get("ids"))));
        }
        return cases;
    }

    private static long[] longs(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .mapToLong(JsonNode::asLong)
                .toArray();
    }
}
