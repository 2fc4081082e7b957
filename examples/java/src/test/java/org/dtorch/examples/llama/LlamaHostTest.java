package org.dtorch.examples.llama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceType;
import org.dtorch.tokenizer.Tokenizer;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LlamaHostTest {
    private static final int NEW_TOKENS = 12;
    private static final int THREADS = 8;

    private static Llama load(DTorch dt, String mesh) {
        return Llama.fromPretrained(dt, Stories.folder(), MeshDims.parse(mesh, DeviceType.CPU));
    }

    private static double[] lastLogits(DTorch dt, Llama model, long... ids) {
        Tensor logits = model.logits(dt.tensor(ids, 1, ids.length));
        return logits.select(1, ids.length - 1L).toDoubles();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tp=2", "pp=2,tp=2", "dp=2", "ulysess_cp=2", "ring_cp=2,tp=2"})
    void givesTheTokensOfHuggingFace(String mesh) throws IOException {
        try (DTorch dt = DTorch.open();
                Tokenizer tokenizer = Tokenizer.open(Stories.folder())) {
            Llama model = load(dt, mesh);
            for (Stories.Case expected : Stories.cases()) {
                long[] prompt = tokenizer.encodePrompt(expected.prompt());
                assertThat(prompt).containsExactly(expected.promptIds());
                assertThat(Arrays.copyOf(lastLogits(dt, model, prompt), expected.lastLogits().length))
                        .containsExactly(expected.lastLogits(), within(1e-3));
                int length = Math.min(prompt.length + NEW_TOKENS, expected.ids().length);
                assertThat(LlamaHost.generate(dt, model, prompt, length))
                        .containsExactly(Arrays.copyOf(expected.ids(), length));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tp=2"})
    void oneModelIsCalledFromManyThreads(String mesh) throws InterruptedException, ExecutionException {
        try (DTorch dt = DTorch.open();
                ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            Llama model = load(dt, mesh);
            List<double[]> alone = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                alone.add(lastLogits(dt, model, 1, 400 + i, 261, 300 - i));
            }
            List<Future<List<double[]>>> together = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int own = i;
                together.add(pool.submit(() -> {
                    List<double[]> results = new ArrayList<>();
                    for (int call = 0; call < 5; call++) {
                        results.add(lastLogits(dt, model, 1, 400 + own, 261, 300 - own));
                    }
                    return results;
                }));
            }
            for (int i = 0; i < THREADS; i++) {
                for (double[] result : together.get(i).get()) {
                    assertThat(result).containsExactly(alone.get(i));
                }
            }
        }
    }

    @Test
    void runsFromTheCommandLine() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] args = {
            "--weights",
            Stories.folder().toString(),
            "--prompt",
            "Once upon a time",
            "--mesh",
            "tp=2",
            "--max-tokens",
            "8"
        };
        int code = LlamaHost.run(args, print(out), print(err));
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(code).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("Once upon a time, ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--mesh tp=2", "--weights DIR --mesh xp=2", "--weights DIR --mesh tp=0", "--weights", "--wide 1"
            })
    void namesOptionsThatMakeNoSense(String args) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(LlamaHost.run(args.split(" "), print(new ByteArrayOutputStream()), print(err)))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).containsPattern("--weights|xp=2|tp=0|--wide");
    }

    @Test
    void saysWhichHeadsCannotBeSplit() {
        try (DTorch dt = DTorch.open()) {
            assertThatThrownBy(() -> load(dt, "tp=3"))
                    .isInstanceOf(DTorchError.class)
                    .hasMessageContaining("num_attention_heads=8 heads cannot be split over tp=3");
        }
    }

    private static PrintStream print(ByteArrayOutputStream stream) {
        return new PrintStream(stream, true, StandardCharsets.UTF_8);
    }
}
