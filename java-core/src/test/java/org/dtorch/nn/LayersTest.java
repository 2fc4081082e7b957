package org.dtorch.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Layers on one device and on meshes against values recorded from PyTorch. */
class LayersTest {
    /** Sums of at most 18 products of float32 numbers around 1. */
    private static final double TOLERANCE = 2e-6;

    private static final List<String> LINEARS = List.of(
            "ColumnParallelLinear",
            "ColumnParallelLinearWithReplicateOutput",
            "ColumnParallelLinearWithReplicateInputOutput",
            "RowParallelLinear",
            "RowParallelLinearWithReplicateOutput",
            "ReplicateParallelLinear");

    @TestFactory
    Stream<DynamicTest> valuesInitialValuesAndTexts() {
        List<DynamicTest> tests = new ArrayList<>();
        for (JsonNode golden : Goldens.ALL.get("layers")) {
            String name = golden.get("repr").asText() + " of " + golden.get("shape");
            tests.add(DynamicTest.dynamicTest(name, () -> replay(golden)));
        }
        assertThat(tests).hasSizeGreaterThan(30);
        return tests.stream();
    }

    private static void replay(JsonNode golden) {
        for (DTorch dt : Goldens.contexts()) {
            try (dt) {
                long[] shape = Goldens.longs(golden.get("shape"));
                for (DeviceMesh mesh : List.of(
                        dt.defaultMesh(),
                        Goldens.mesh("tp", 2),
                        Goldens.mesh("dp,tp", 2, 2),
                        Goldens.mesh("tp,dp", 4, 1),
                        Goldens.mesh("dp", 3))) {
                    for (String kind : kinds(golden)) {
                        check(dt, golden, kind, shape, mesh);
                    }
                }
            }
        }
    }

    private static List<String> kinds(JsonNode golden) {
        return switch (golden.get("name").asText()) {
            case "Linear" ->
                Stream.concat(Stream.of("Linear"), LINEARS.stream()).toList();
            case "Embedding" -> List.of("Embedding", "EmbeddingWithReplicateOutput");
            default -> List.of(golden.get("name").asText());
        };
    }

    private static void check(DTorch dt, JsonNode golden, String kind, long[] shape, DeviceMesh mesh) {
        dt.manualSeed(Goldens.SEED);
        Module module = build(dt, golden, kind, TensorOptions.of(dt, mesh));
        module.eval();
        assertThat(module.toString()).isEqualTo(golden.get("repr").asText().replaceFirst("^\\w+", kind));
        golden.get("parameters").properties().forEach(p -> {
            if (module.className().endsWith("Norm")) {
                Init.ones(module.getParameter(p.getKey()));
                load(module, p.getKey(), p.getValue());
            }
            assertThat(module.getParameter(p.getKey()).toDoubles())
                    .as("%s on %s", p.getKey(), mesh)
                    .containsExactly(Goldens.doubles(p.getValue()));
        });
        Tensor input = kind.startsWith("Embedding") ? numbers(dt, shape, golden) : Goldens.ramp(dt, shape);
        for (Tensor placed : placedInputs(input, kind, mesh)) {
            Tensor output = module.call(placed);
            double[] expected = Goldens.doubles(golden.get("output"));
            assertThat(output.toDoubles())
                    .as("%s of %s on %s", kind, placed.placements(), mesh)
                    .containsExactly(expected, within(TOLERANCE));
            Tensor viaMap = (Tensor) module.call(new Object[0], Map.of("input", placed));
            assertThat(viaMap.placements()).isEqualTo(output.placements());
        }
    }

    private static void load(Module module, String key, JsonNode values) {
        Parameter parameter = module.getParameter(key);
        double[] numbers = Goldens.doubles(values);
        float[] floats = new float[numbers.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) numbers[i];
        }
        try (Tensor value = parameter.owner().tensor(floats, parameter.shape().toArray())) {
            module.loadStateDict(Map.of(key, value), false, false);
        }
    }

    /** The input on one device and as the layer takes it on the mesh, the batch whole and split. */
    private static List<Tensor> placedInputs(Tensor input, String kind, DeviceMesh mesh) {
        List<Tensor> placed = new ArrayList<>();
        int tp = mesh.dimNameIndex("tp");
        int dp = mesh.dimNameIndex("dp");
        boolean row = kind.startsWith("Row") && tp >= 0 && mesh.dimSize(tp) > 1;
        if (!row) {
            placed.add(input);
        }
        Layout layout = Layout.replicated(mesh);
        Layout taken = row ? layout.with(tp, Placement.shard(input.dim() - 1)) : layout;
        placed.add(input.redistribute(taken));
        if (dp >= 0) {
            placed.add(input.redistribute(taken.with(dp, Placement.shard(0))));
        }
        if (kind.equals("ColumnParallelLinearWithReplicateInputOutput") && tp >= 0) {
            placed.add(input.redistribute(layout.with(tp, Placement.shard(0))));
        }
        return placed;
    }

    private static Tensor numbers(DTorch dt, long[] shape, JsonNode golden) {
        long rows = golden.get("args").get(0).asLong();
        long[] numbers = new long[Math.toIntExact(Shape.of(shape).numel())];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i * 3L % rows;
        }
        return dt.tensor(numbers, shape);
    }

    private static Module build(DTorch dt, JsonNode golden, String kind, TensorOptions options) {
        JsonNode args = golden.get("args");
        return switch (kind) {
            case "Linear" ->
                new Linear(options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3, MeshDim.TP, null);
            case "ColumnParallelLinear" ->
                new ColumnParallelLinear(
                        options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3, MeshDim.TP);
            case "ColumnParallelLinearWithReplicateOutput" ->
                new ColumnParallelLinearWithReplicateOutput(
                        options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3, MeshDim.TP);
            case "ColumnParallelLinearWithReplicateInputOutput" ->
                new ColumnParallelLinearWithReplicateInputOutput(
                        options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3, MeshDim.TP);
            case "RowParallelLinear" ->
                new RowParallelLinear(options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3, MeshDim.TP);
            case "RowParallelLinearWithReplicateOutput" ->
                new RowParallelLinearWithReplicateOutput(
                        options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3, MeshDim.TP);
            case "ReplicateParallelLinear" ->
                new ReplicateParallelLinear(
                        options, args.get(0).asLong(), args.get(1).asLong(), args.size() < 3);
            case "Embedding" ->
                new Embedding(options, args.get(0).asLong(), args.get(1).asLong(), MeshDim.TP);
            case "EmbeddingWithReplicateOutput" ->
                new EmbeddingWithReplicateOutput(
                        options, args.get(0).asLong(), args.get(1).asLong(), MeshDim.TP);
            case "LayerNorm" ->
                new LayerNorm(
                        options,
                        Goldens.longs(args.get(0)),
                        args.size() > 1 ? args.get(1).asDouble() : 1e-5,
                        args.size() < 3,
                        golden.get("kwargs").path("bias").asBoolean(true));
            case "RMSNorm" ->
                new RMSNorm(
                        options,
                        Goldens.longs(args.get(0)),
                        args.size() > 1 && !args.get(1).isNull() ? args.get(1).asDouble() : null,
                        args.size() < 3);
            case "GroupNorm" ->
                new GroupNorm(
                        options,
                        args.get(0).asLong(),
                        args.get(1).asLong(),
                        args.size() > 2 ? args.get(2).asDouble() : 1e-5,
                        args.size() < 4);
            case "ReLU" -> new ReLU();
            case "Sigmoid" -> new Sigmoid();
            case "Tanh" -> new Tanh();
            case "SiLU" -> new SiLU();
            case "LeakyReLU" ->
                args.isEmpty() ? new LeakyReLU() : new LeakyReLU(args.get(0).asDouble(), false);
            case "ELU" -> args.isEmpty() ? new ELU() : new ELU(args.get(0).asDouble(), false);
            case "GELU" -> args.isEmpty() ? new GELU() : new GELU(args.get(0).asText());
            case "Softmax" -> new Softmax(args.get(0).asLong());
            case "LogSoftmax" -> new LogSoftmax(args.get(0).asLong());
            case "Dropout" ->
                args.isEmpty() ? new Dropout() : new Dropout(args.get(0).asDouble(), false);
            case "Flatten" ->
                args.isEmpty()
                        ? new Flatten()
                        : new Flatten(args.get(0).asLong(), args.get(1).asLong());
            case "Identity" -> new Identity();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @Test
    void placementsOfParameters() {
        try (DTorch dt = DTorch.open()) {
            TensorOptions options = TensorOptions.of(dt, Goldens.mesh("dp,tp,cp", 2, 2, 2));
            Placement r = Placement.replicate();
            Linear column = new ColumnParallelLinear(options, 8, 6, true, MeshDim.TP);
            assertThat(column.weight().placements()).containsExactly(r, Placement.shard(0), r);
            assertThat(column.bias().placements()).containsExactly(r, Placement.shard(0), r);
            Linear row = new RowParallelLinear(options, 8, 6, true, MeshDim.TP);
            assertThat(row.weight().placements()).containsExactly(r, Placement.shard(1), r);
            assertThat(row.bias().placements()).containsExactly(r, Placement.partial(), r);
            Linear byIndex = new ColumnParallelLinear(options, 8, 6, true, new MeshDim.Index(-1));
            assertThat(byIndex.tpDim()).isEqualTo(2);
            assertThat(byIndex.weight().placements()).containsExactly(r, r, Placement.shard(0));
            Linear plain = new Linear(options, 8, 6, true, MeshDim.TP, null);
            assertThat(plain.weight().placements()).containsExactly(r, r, r);
            assertThat(plain.tpDim()).isEqualTo(1);
            Linear none = new Linear(options, 8, 6, true, MeshDim.NONE, TpShardType.COL);
            assertThat(none.weight().placements()).containsExactly(r, r, r);
            Linear absent = new Linear(options, 8, 6, true, new MeshDim.Name("pp"), TpShardType.ROW);
            assertThat(absent.tpDim()).isEqualTo(-1);
            assertThat(absent.bias().placements()).containsExactly(r, r, r);
            Embedding embedding = new Embedding(options, 8, 6, MeshDim.TP);
            assertThat(embedding.weight().placements()).containsExactly(r, Placement.shard(1), r);
            Linear alone = new RowParallelLinear(TensorOptions.of(dt, Goldens.mesh("tp", 1)), 8, 6, true, MeshDim.TP);
            assertThat(alone.tpDim()).isZero();
            assertThat(alone.weight().placements()).containsExactly(r);
        }
    }

    @Test
    void placementsOfOutputs() {
        try (DTorch dt = DTorch.open()) {
            DeviceMesh mesh = Goldens.mesh("tp", 2);
            TensorOptions options = TensorOptions.of(dt, mesh);
            Tensor whole = Goldens.ramp(dt, 3, 6).redistribute(Layout.replicated(mesh));
            Tensor split = whole.redistribute(Placement.shard(1));
            assertThat(new ColumnParallelLinear(options, 6, 4, true, MeshDim.TP)
                            .call(whole)
                            .placements())
                    .containsExactly(Placement.shard(1));
            assertThat(new RowParallelLinear(options, 6, 4, true, MeshDim.TP)
                            .call(split)
                            .placements())
                    .containsExactly(Placement.partial());
            assertThat(new RowParallelLinearWithReplicateOutput(options, 6, 4, true, MeshDim.TP)
                            .call(split)
                            .placements())
                    .containsExactly(Placement.replicate());
            Tensor ids = dt.tensor(new long[] {1, 2, 3}, 3).redistribute(Layout.replicated(mesh));
            assertThat(new Embedding(options, 5, 4, MeshDim.TP).call(ids).placements())
                    .containsExactly(Placement.shard(1));
        }
    }

    @Test
    void refusedInputs() {
        try (DTorch dt = DTorch.open()) {
            DeviceMesh mesh = Goldens.mesh("dp,tp", 2, 2);
            TensorOptions options = TensorOptions.of(dt, mesh);
            Tensor whole = Goldens.ramp(dt, 4, 6).redistribute(Layout.replicated(mesh));
            Tensor split = whole.redistribute(Placement.replicate(), Placement.shard(1));
            Module column = new ColumnParallelLinear(options, 6, 4, true, MeshDim.TP);
            Module row = new RowParallelLinear(options, 6, 4, true, MeshDim.TP);
            assertThatThrownBy(() -> column.call(split))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.ASSERTION))
                    .hasMessageContaining("ColumnParallelLinear expects its input to be Replicate() on mesh dim 1")
                    .hasMessageContaining("found Shard(1)")
                    .hasMessageContaining("{1: Replicate()}");
            assertThatThrownBy(() -> row.call(whole))
                    .hasMessageContaining(
                            "RowParallelLinear expects its input to be Shard(1) on mesh dim 1, found Replicate()");
            assertThatThrownBy(() -> row.call(Goldens.ramp(dt, 4, 6)))
                    .hasMessageContaining("found a tensor of shape [4, 6] on one device");
            Tensor ids = dt.tensor(new long[] {1, 2}, 2).redistribute(mesh, null);
            Module embedding = new Embedding(options, 5, 4, MeshDim.TP);
            assertThatThrownBy(() -> embedding.call(ids.redistribute(Placement.replicate(), Placement.shard(0))))
                    .hasMessageContaining("Embedding expects its input to be Replicate() on mesh dim 1");
            assertThatThrownBy(() -> column.call("text"))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.TYPE));
            assertThatThrownBy(() -> column.call(new Object[] {whole, whole}, Map.of()))
                    .hasMessageContaining("takes one tensor, input; got 2 positional arguments");
            assertThatThrownBy(() -> TpShardType.of("rows")).hasMessageContaining("\"row\", \"col\" or None");
            assertThatThrownBy(() -> new GroupNorm(dt, 4, 6)).hasMessageContaining("must be divisible");
            assertThatThrownBy(() -> new Dropout(1.5, false)).hasMessageContaining("between 0 and 1, but got 1.5");
        }
    }

    @Test
    void defaultsComeFromTheContext() {
        try (DTorch dt = DTorch.open()) {
            DeviceMesh mesh = Goldens.mesh("tp", 2);
            dt.setDefaultMesh(mesh);
            dt.setDefaultDType(DType.FLOAT64);
            Linear linear = new ColumnParallelLinear(dt, 4, 6);
            assertThat(linear.weight().dtype()).isEqualTo(DType.FLOAT64);
            assertThat(linear.weight().deviceMesh()).isEqualTo(mesh);
            assertThat(new RMSNorm(dt, 4).firstParamDeviceMesh()).isEqualTo(mesh);
            assertThat(new ReLU().firstParamDeviceMesh()).isNull();
        }
    }

    @Test
    void dropoutWhileTraining() {
        try (DTorch dt = DTorch.open()) {
            Dropout dropout = new Dropout(0.5, false);
            Tensor x = Init.ones(Goldens.ramp(dt, 40, 50));
            assertThat(dropout.call(x).toDoubles()).containsOnly(0, 2).contains(0, 2);
            dropout.eval();
            assertThat(dropout.call(x)).isSameAs(x);
        }
    }

    @Test
    void activationsInPlace() {
        try (DTorch dt = DTorch.open()) {
            for (Layer layer : List.of(new ReLU(true), new SiLU(true), new LeakyReLU(0.1, true), new ELU(1.0, true))) {
                Tensor x = dt.tensor(new float[] {-1, 2}, 2);
                assertThat(layer.call(x)).isSameAs(x);
                assertThat(x.toDoubles()).doesNotContain(-1.0);
                assertThat(layer.toString()).contains("inplace=True");
            }
        }
    }
}
