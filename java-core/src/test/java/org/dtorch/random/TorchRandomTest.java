package org.dtorch.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.dtorch.random.Distribution.Bernoulli;
import org.dtorch.random.Distribution.Exponential;
import org.dtorch.random.Distribution.Integers;
import org.dtorch.random.Distribution.Normal;
import org.dtorch.random.Distribution.Uniform;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Streams against those recorded from PyTorch by {@code conformance/record/random_streams.py}. */
class TorchRandomTest {
    private static final int EDGE = 8;

    @TestFactory
    Stream<DynamicTest> streamsArePytorchs() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode sequence : goldens().get("sequences")) {
            JsonNode first = sequence.get("calls").get(0);
            String name = String.join(
                    " ",
                    String.valueOf(tests.size()),
                    first.get("kind").asText(),
                    first.get("dtype").asText(),
                    "seed",
                    sequence.get("seed").asText());
            tests.add(DynamicTest.dynamicTest(name, () -> replay(sequence)));
        }
        assertThat(tests).hasSizeGreaterThan(70);
        return tests.stream();
    }

    @Test
    void blocksAreBoundedAndCoverTheTensorOnce() {
        for (long numel : new long[] {1, 16, 65535, 65536, 65551, 65552, 65553, 200_001}) {
            for (Distribution distribution : List.of(new Normal(0, 1), new Uniform(0, 1), new Bernoulli(0.5))) {
                long[] expectedStart = {0};
                TorchRandom.draw(distribution, DType.FLOAT32, numel, new Generator(1), (start, block) -> {
                    assertThat(start).isEqualTo(expectedStart[0]);
                    assertThat(block.byteSize()).isBetween(4L, 4L * (TorchRandom.BLOCK_ELEMENTS + 15));
                    expectedStart[0] += block.byteSize() / 4;
                });
                assertThat(expectedStart[0]).isEqualTo(numel);
            }
        }
    }

    @Test
    void anEmptyTensorDrawsNothing() {
        Generator generator = new Generator(3);
        TorchRandom.draw(new Normal(0, 1), DType.FLOAT32, 0, generator, (start, block) -> {
            throw new AssertionError("no block was expected");
        });
        assertThat(generator.state()).isEqualTo(new Generator(3).state());
    }

    @Test
    void valuesThatPytorchRefusesAreRefused() {
        assertThatThrownBy(() -> new Uniform(2, 1))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("from=2.0 > to=1.0");
        assertThatThrownBy(() -> new Normal(0, -1)).hasMessageContaining("normal expects std >= 0.0");
        assertThatThrownBy(() -> new Integers(3, 3)).hasMessageContaining("from=3 >= to=3");
        assertThatThrownBy(() -> new Bernoulli(1.5)).hasMessageContaining("p=1.5");
        assertThatThrownBy(() -> new Exponential(0)).hasMessageContaining("lambda=0.0");
        assertThatThrownBy(() -> bytes(new Normal(0, 1), DType.INT64, 3, new Generator()))
                .hasMessage("normal_ draws real numbers: dtype must be floating, but is torch.int64");
        assertThatThrownBy(() -> bytes(new Integers(0, 257), DType.UINT8, 3, new Generator()))
                .hasMessage("to - 1 is out of bounds for torch.uint8: 256");
        assertThatThrownBy(() -> bytes(new Uniform(0, 1e5), DType.FLOAT16, 3, new Generator()))
                .hasMessageContaining("65504");
        assertThatThrownBy(() -> TorchRandom.randperm(-1, new Generator()))
                .hasMessageContaining("non-negative, got -1");
        assertThatThrownBy(() -> TorchRandom.bernoulli(new Generator(), new float[] {Float.NaN}, new float[1]))
                .isInstanceOf(DTorchError.class);
    }

    private static void replay(JsonNode sequence) {
        Generator generator = new Generator(sequence.get("seed").asLong());
        int call = 0;
        for (JsonNode expected : sequence.get("calls")) {
            String what = "call " + call++ + ", size " + expected.get("size");
            byte[] actual = run(expected, generator);
            if (callsTheCLibrary(expected)) {
                assertCloseEdges(what, expected, actual);
            } else {
                assertThat(edge(expected, actual))
                        .as(what)
                        .isEqualTo(expected.get("edge").asText());
                assertThat(sha256(actual))
                        .as(what)
                        .isEqualTo(expected.get("sha256").asText());
            }
        }
        // The digest covers the cached normal value, whose last bits come from the C library.
        if (!generator.hasCachedNormal()) {
            assertThat(sha256(generator.state()))
                    .isEqualTo(sequence.get("state_sha256").asText());
        }
    }

    private static boolean callsTheCLibrary(JsonNode call) {
        String kind = call.get("kind").asText();
        return call.get("dtype").asText().equals("float64") && (kind.equals("normal") || kind.equals("exponential"));
    }

    private static byte[] run(JsonNode call, Generator generator) {
        DType dtype = DType.of(call.get("dtype").asText());
        int size = call.get("size").asInt();
        JsonNode args = call.get("args");
        return switch (call.get("kind").asText()) {
            case "uniform" -> bytes(new Uniform(number(args, 0), number(args, 1)), dtype, size, generator);
            case "normal" -> bytes(new Normal(number(args, 0), number(args, 1)), dtype, size, generator);
            case "integers" ->
                bytes(new Integers(args.get(0).asLong(), args.get(1).asLong()), dtype, size, generator);
            case "bernoulli" -> bytes(new Bernoulli(number(args, 0)), dtype, size, generator);
            case "exponential" -> bytes(new Exponential(number(args, 0)), dtype, size, generator);
            case "randperm" -> bytes(MemorySegment.ofArray(TorchRandom.randperm(size, generator)));
            case "bernoulli_each" -> bernoulliEach(dtype, size, generator);
            default -> throw new AssertionError("unknown kind in the goldens: " + call);
        };
    }

    private static byte[] bernoulliEach(DType dtype, int size, Generator generator) {
        if (dtype == DType.FLOAT32) {
            float[] values = new float[size];
            for (int i = 0; i < size; i++) {
                values[i] = (float) i / size;
            }
            TorchRandom.bernoulli(generator, values, values);
            return bytes(MemorySegment.ofArray(values));
        }
        double[] values = new double[size];
        for (int i = 0; i < size; i++) {
            values[i] = (double) i / size;
        }
        TorchRandom.bernoulli(generator, values, values);
        return bytes(MemorySegment.ofArray(values));
    }

    private static byte[] bytes(Distribution distribution, DType dtype, int numel, Generator generator) {
        byte[] all = new byte[numel * dtype.bytes()];
        TorchRandom.draw(
                distribution,
                dtype,
                numel,
                generator,
                (start, block) -> MemorySegment.ofArray(all)
                        .asSlice(start * dtype.bytes(), block.byteSize())
                        .copyFrom(block));
        return all;
    }

    private static byte[] bytes(MemorySegment values) {
        return values.toArray(ValueLayout.JAVA_BYTE);
    }

    private static String edge(JsonNode call, byte[] values) {
        StringBuilder text = new StringBuilder();
        for (int index : edgeIndices(call.get("size").asInt())) {
            text.append(text.isEmpty() ? "" : " ").append(Long.toHexString(element(call, values, index)));
        }
        return text.toString();
    }

    private static void assertCloseEdges(String what, JsonNode call, byte[] values) {
        String[] expected = call.get("edge").asText().split(" ");
        int[] indices = edgeIndices(call.get("size").asInt());
        assertThat(expected).hasSameSizeAs(indices);
        for (int i = 0; i < indices.length; i++) {
            double want = Double.longBitsToDouble(Long.parseUnsignedLong(expected[i], 16));
            double got = Double.longBitsToDouble(element(call, values, indices[i]));
            assertThat(got).as(what).isCloseTo(want, within(2 * Math.ulp(Math.max(1, Math.abs(want)))));
        }
    }

    private static int[] edgeIndices(int size) {
        int edge = Math.min(EDGE, size);
        int[] indices = new int[2 * edge];
        for (int i = 0; i < edge; i++) {
            indices[i] = i;
            indices[edge + i] = size - edge + i;
        }
        return indices;
    }

    private static long element(JsonNode call, byte[] values, int index) {
        int bytes = DType.of(call.get("dtype").asText()).bytes();
        long bits = 0;
        for (int b = bytes - 1; b >= 0; b--) {
            bits = bits << 8 | values[index * bytes + b] & 0xff;
        }
        return bits;
    }

    private static double number(JsonNode args, int index) {
        return args.get(index).asDouble();
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode goldens() throws IOException {
        try (InputStream in = TorchRandomTest.class.getResourceAsStream("/goldens/random_streams.json")) {
            return new ObjectMapper().readTree(in);
        }
    }
}
