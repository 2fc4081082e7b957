package org.dtorch.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Initial values against those recorded from PyTorch, equal on every layout. */
class InitTest {
    @TestFactory
    Stream<DynamicTest> valuesArePytorchs() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode golden : Goldens.ALL.get("inits")) {
            String name = golden.get("name").asText() + golden.get("args") + " " + golden.get("dtype");
            tests.add(DynamicTest.dynamicTest(name, () -> replay(golden)));
        }
        assertThat(tests).hasSizeGreaterThan(20);
        return tests.stream();
    }

    private static void replay(JsonNode golden) {
        try (DTorch dt = DTorch.open()) {
            DeviceMesh one = dt.defaultMesh();
            DeviceMesh two = Goldens.mesh("tp", 2);
            DeviceMesh four = Goldens.mesh("dp,tp", 2, 2);
            Placement r = Placement.replicate();
            check(dt, golden, one, List.of(r));
            check(dt, golden, two, List.of(Placement.shard(0)));
            check(dt, golden, two, List.of(Placement.shard(1)));
            check(dt, golden, two, List.of(Placement.partial()));
            check(dt, golden, four, List.of(Placement.shard(1), Placement.shard(0)));
            check(dt, golden, four, List.of(Placement.partial(), Placement.shard(0)));
        }
    }

    private static void check(DTorch dt, JsonNode golden, DeviceMesh mesh, List<Placement> placements) {
        dt.manualSeed(Goldens.SEED);
        DType dtype = DType.of(golden.get("dtype").asText());
        Tensor tensor = dt.call(OpTable.get("zeros"), new long[] {5, 7}, dt.options(dtype, mesh, placements))[0];
        assertThat(init(tensor, golden.get("name").asText(), golden.get("args")))
                .isSameAs(tensor);
        assertThat(tensor.placements()).isEqualTo(placements);
        assertThat(tensor.toDoubles())
                .as("%s on %s", placements, mesh)
                .containsExactly(Goldens.doubles(golden.get("values")), within(0.0));
    }

    private static Tensor init(Tensor t, String name, JsonNode args) {
        return switch (name) {
            case "uniform_" -> Init.uniform(t, number(args, 0, 0), number(args, 1, 1));
            case "normal_" -> Init.normal(t, number(args, 0, 0), number(args, 1, 1));
            case "xavier_uniform_" -> Init.xavierUniform(t, number(args, 0, 1), null);
            case "xavier_normal_" -> Init.xavierNormal(t, number(args, 0, 1), null);
            case "kaiming_uniform_" ->
                Init.kaimingUniform(t, number(args, 0, 0), text(args, 1, "fan_in"), text(args, 2, "leaky_relu"), null);
            case "kaiming_normal_" ->
                Init.kaimingNormal(t, number(args, 0, 0), text(args, 1, "fan_in"), text(args, 2, "leaky_relu"), null);
            case "trunc_normal_" ->
                Init.truncNormal(
                        t, number(args, 0, 0), number(args, 1, 1), number(args, 2, -2), number(args, 3, 2), null);
            case "constant_" -> Init.constant(t, number(args, 0, 0));
            case "ones_" -> Init.ones(t);
            case "zeros_" -> Init.zeros(t);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static double number(JsonNode args, int i, double fallback) {
        return args.has(i) ? args.get(i).asDouble() : fallback;
    }

    private static String text(JsonNode args, int i, String fallback) {
        return args.has(i) ? args.get(i).asText() : fallback;
    }

    @Test
    void gainsArePytorchs() {
        assertThat(Init.gain("linear", 0)).isEqualTo(1);
        assertThat(Init.gain("tanh", 0)).isEqualTo(5.0 / 3);
        assertThat(Init.gain("relu", 0)).isEqualTo(Math.sqrt(2));
        assertThat(Init.gain("leaky_relu", 0.2)).isEqualTo(Math.sqrt(2 / 1.04), within(1e-15));
        assertThat(Init.gain("selu", 0)).isEqualTo(0.75);
        assertThatThrownBy(() -> Init.gain("sine", 0)).hasMessage("Unsupported nonlinearity sine");
    }

    @Test
    void refusedTensors() {
        try (DTorch dt = DTorch.open()) {
            Tensor vector = dt.tensor(new float[3], 3);
            assertThatThrownBy(() -> Init.xavierNormal(vector, 1, null))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE))
                    .hasMessageContaining("fewer than 2 dimensions");
            Tensor matrix = dt.tensor(new float[6], 2, 3);
            assertThatThrownBy(() -> Init.kaimingNormal(matrix, 0, "fan", "relu", null))
                    .hasMessageContaining("Mode fan not supported");
        }
    }
}
