package org.dtorch.backend.cpu.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;

/** The dense kernels against PyTorch 2.13, recorded by {@code conformance/record/dense_kernels.py}. */
class DenseGoldensTest {

    @Test
    void equalPyTorch() throws IOException {
        JsonNode goldens;
        try (InputStream in = DenseGoldensTest.class.getResourceAsStream("/goldens/dense_kernels.json")) {
            goldens = new ObjectMapper().readTree(in);
        }
        assertThat(goldens.get("cases")).hasSizeGreaterThan(40);
        for (JsonNode golden : goldens.get("cases")) {
            check(golden);
        }
    }

    private static void check(JsonNode golden) {
        DType dtype = DType.of(golden.get("dtype").asText());
        String kernel = golden.get("kernel").asText();
        Operand[] inputs = new Operand[golden.get("inputs").size()];
        for (int seed = 0; seed < inputs.length; seed++) {
            inputs[seed] = data(dtype, seed, longs(golden.get("inputs").get(seed)));
        }
        Operand y = Operands.contiguous(dtype, longs(golden.get("shape")));
        Operand[] outputs = {y};
        List<Object> args = new ArrayList<>();
        for (JsonNode arg : golden.get("args")) {
            args.add(
                    arg.isBoolean()
                            ? arg.asBoolean()
                            : arg.isIntegralNumber() ? (Object) arg.asLong() : arg.asDouble());
        }
        if (kernel.equals("attention")) {
            inputs = new Operand[] {inputs[0], inputs[1], inputs[2], null};
            long[] s = y.sizes();
            DType lse = dtype == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
            outputs = new Operand[] {y, Operands.contiguous(lse, s[0], s[1], s[2])};
            args.add(0, 0.125);
            args.add(LongStream.range(0, s[2]).toArray());
            args.add(LongStream.range(0, inputs[1].sizes()[2]).toArray());
        }
        DenseKernels.TABLE.get(kernel).run(new Launch(inputs, outputs, args.toArray(), null));
        // PyTorch rounds the weights of 16-bit attention before it multiplies the values, which reach 3.125; we do not.
        double least = kernel.equals("attention") && dtype.bytes() == 2 ? 3.125 : 0.25;
        double[] actual = Operands.reals(y);
        for (int i = 0; i < actual.length; i++) {
            double wanted = golden.get("values").get(i).asDouble();
            if (!(Math.abs(actual[i] - wanted) <= tolerance(dtype) * Math.max(Math.abs(wanted), least))) {
                fail("%s %s %s at %d: %s instead of %s", kernel, dtype, golden.get("inputs"), i, actual[i], wanted);
            }
        }
    }

    /** A few units in the last place, since sums run in another order; 16-bit floats round once here, more often there. */
    private static double tolerance(DType dtype) {
        return switch (dtype) {
            case FLOAT64 -> 1e-13;
            case BFLOAT16 -> 0x1p-7;
            case FLOAT16 -> 0x1p-10;
            default -> 4e-6;
        };
    }

    private static Operand data(DType dtype, int seed, long[] shape) {
        Operand operand = Operands.contiguous(dtype, shape);
        int[] next = {0};
        Reference.forEach(shape, at -> {
            Elements.setReal(operand, ((37L * next[0] + 11L * seed) % 101 - 50) / 16.0, at);
            next[0]++;
        });
        return operand;
    }

    private static long[] longs(JsonNode array) {
        long[] result = new long[array.size()];
        for (int i = 0; i < result.length; i++) {
            result[i] = array.get(i).asLong();
        }
        return result;
    }
}
