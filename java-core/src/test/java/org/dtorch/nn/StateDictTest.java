package org.dtorch.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StateDictTest {
    private final DTorch dt = DTorch.open();

    @AfterEach
    void close() {
        dt.close();
    }

    private Sequential model(TensorOptions options) {
        return new Sequential(
                new Linear(options, 2, 3, true, MeshDim.TP, null),
                new ReLU(),
                new LayerNorm(options, new long[] {3}, 1e-5, true, true));
    }

    private Map<String, Object> state() {
        return new LinkedHashMap<>(model(TensorOptions.of(dt)).stateDict());
    }

    private String message(Map<String, Object> state) {
        Module module = model(TensorOptions.of(dt));
        try {
            module.loadStateDict(state);
            return "<All keys matched successfully>";
        } catch (DTorchError e) {
            assertThat(e.kind()).isEqualTo(DTorchError.Kind.RUNTIME);
            return e.getMessage();
        }
    }

    @Test
    void textsArePytorchs() {
        assertThat(message(state())).isEqualTo(Goldens.text("all"));
        Map<String, Object> less = state();
        less.remove("0.bias");
        less.remove("2.weight");
        assertThat(message(less)).isEqualTo(Goldens.text("missing"));
        Map<String, Object> more = state();
        more.put("3.weight", dt.tensor(new float[1], 1));
        more.put("x", dt.tensor(new float[1], 1));
        more.put("0.extra", dt.tensor(new float[1], 1));
        assertThat(message(more)).isEqualTo(Goldens.text("unexpected"));
        Map<String, Object> wrong = new LinkedHashMap<>(less);
        wrong.put("0.weight", dt.tensor(new float[12], 3, 4));
        wrong.put("y", dt.tensor(new float[1], 1));
        assertThat(message(wrong)).isEqualTo(Goldens.text("everything"));
        less.put("z", dt.tensor(new float[1], 1));
        LoadResult result = model(TensorOptions.of(dt)).loadStateDict(less, false, false);
        assertThat(result.missingKeys()).containsExactly("0.bias", "2.weight");
        assertThat(result.unexpectedKeys()).containsExactly("z");
        Map<String, Object> odd = state();
        odd.put("0.bias", "text");
        assertThat(message(odd))
                .contains("While copying the parameter named \"0.bias\", expected torch.Tensor")
                .contains("received String");
    }

    @Test
    void orderAndSharing() {
        Module module = model(TensorOptions.of(dt));
        module.registerBuffer("kept", dt.tensor(new float[] {1}, 1), true);
        module.registerBuffer("lost", dt.tensor(new float[] {1}, 1), false);
        Map<String, Tensor> state = module.stateDict("p.", false);
        assertThat(state.keySet()).containsExactly("p.kept", "p.0.weight", "p.0.bias", "p.2.weight", "p.2.bias");
        Init.constant(state.get("p.0.bias"), 7);
        assertThat(module.getParameter("0.bias").toDoubles()).containsExactly(7, 7, 7);
        assertThat(module.stateDict("", true).get("0.bias")).isSameAs(module.getParameter("0.bias"));
    }

    @Test
    void everyLayoutLoadsIntoEveryLayout() {
        for (DTorch context : Goldens.contexts()) {
            try (context) {
                DeviceMesh two = Goldens.mesh("tp", 2);
                DeviceMesh four = Goldens.mesh("dp,tp", 2, 2);
                double[] weight = new double[7 * 5];
                double[] bias = new double[5];
                for (int i = 0; i < weight.length; i++) {
                    weight[i] = i - 9;
                }
                for (int i = 0; i < bias.length; i++) {
                    bias[i] = 100 + i;
                }
                List<Map<String, Tensor>> states = new ArrayList<>();
                Map<String, Tensor> first =
                        Map.of("weight", context.tensor(weight, 5, 7), "bias", context.tensor(bias, 5));
                states.add(first);
                for (DeviceMesh mesh : List.of(context.defaultMesh(), two, four)) {
                    for (TpShardType type : TpShardType.values()) {
                        for (int s = 0; s < states.size(); s++) {
                            Linear target = new Linear(
                                    new TensorOptions(context, DType.FLOAT32, mesh), 7, 5, true, MeshDim.TP, type);
                            Parameter before = target.bias();
                            List<Placement> placements = before.placements();
                            target.loadStateDict(states.get(s));
                            assertThat(target.bias()).isSameAs(before);
                            assertThat(before.placements()).isEqualTo(placements);
                            assertThat(before.dtype()).isEqualTo(DType.FLOAT32);
                            assertThat(target.weight().toDoubles()).containsExactly(weight);
                            assertThat(before.toDoubles()).containsExactly(bias);
                            if (s == 0) {
                                assertThat(target.stateDict()
                                                .get("bias")
                                                .layout()
                                                .hasPartial())
                                        .isFalse();
                                assertThat(target.stateDict().get("bias").toDoubles())
                                        .containsExactly(bias);
                            }
                        }
                        Linear source = new Linear(
                                new TensorOptions(context, DType.FLOAT64, mesh), 7, 5, true, MeshDim.TP, type);
                        source.loadStateDict(first);
                        states.add(source.stateDict("", true));
                    }
                }
                assertThat(states).hasSize(7);
            }
        }
    }

    @Test
    void theValueOfAPartialParameterLiesOnTheFirstDevice() {
        DeviceMesh mesh = Goldens.mesh("tp", 2);
        Linear row = new RowParallelLinear(TensorOptions.of(dt, mesh), 4, 2, true, MeshDim.TP);
        row.loadStateDict(Map.of("weight", dt.tensor(new float[8], 2, 4), "bias", dt.tensor(new float[] {3, 4}, 2)));
        Tensor x = dt.tensor(new float[4], 1, 4).redistribute(Layout.of(mesh, Placement.shard(1)));
        Tensor out = row.call(x);
        assertThat(out.placements()).containsExactly(Placement.partial());
        assertThat(out.toDoubles()).containsExactly(3, 4);
    }

    /** Counts the largest part that was asked for. */
    private static final class Ramp implements ValueSource {
        private final Shape shape;
        private final DType dtype;
        private long largest;
        private long read;

        Ramp(DType dtype, long... shape) {
            this.shape = Shape.of(shape);
            this.dtype = dtype;
        }

        @Override
        public Shape shape() {
            return shape;
        }

        @Override
        public DType dtype() {
            return dtype;
        }

        @Override
        public void copyPart(long[] offsets, long[] sizes, MemorySegment destination) {
            long numel = Shape.of(sizes).numel();
            largest = Math.max(largest, numel);
            read += numel;
            float[] all = new float[Math.toIntExact(shape.numel())];
            for (int i = 0; i < all.length; i++) {
                all[i] = i % 1000;
            }
            new HostValue(shape, DType.FLOAT32, MemorySegment.ofArray(all)).copyPart(offsets, sizes, destination);
        }
    }

    @Test
    void sourcesAreReadOnceInBoundedBlocks() {
        for (long[] sizes : List.of(new long[] {300, 700}, new long[] {3, 100_000}, new long[] {5, 7})) {
            Ramp source = new Ramp(DType.FLOAT32, sizes);
            Linear linear = new ColumnParallelLinear(
                    TensorOptions.of(dt, Goldens.mesh("tp", 4)), sizes[1], sizes[0], false, MeshDim.TP);
            linear.loadStateDict(Map.of("weight", source));
            assertThat(source.read).isEqualTo(source.shape().numel());
            assertThat(source.largest).isLessThanOrEqualTo(ShardLoading.BLOCK_ELEMENTS);
            double[] loaded = linear.weight().toDoubles();
            for (int i = 0; i < loaded.length; i += 997) {
                assertThat(loaded[i]).isEqualTo(i % 1000);
            }
            assertThat(loaded[loaded.length - 1]).isEqualTo((loaded.length - 1) % 1000);
        }
    }

    @Test
    void aScalarTakesASingleElement() {
        Module module = new Identity();
        module.registerParameter("s", new Parameter(dt.tensor(new float[] {1})));
        module.loadStateDict(Map.of("s", dt.tensor(new float[] {5}, 1)));
        assertThat(module.getParameter("s").item().toDouble()).isEqualTo(5);
        module.loadStateDict(
                Map.of("s", new HostValue(Shape.of(1), DType.FLOAT32, MemorySegment.ofArray(new float[] {6}))));
        assertThat(module.getParameter("s").item().toDouble()).isEqualTo(6);
    }

    @Test
    void halfPrecisionSourcesAreConverted() {
        Module module = new Identity();
        module.registerParameter("p", new Parameter(dt.tensor(new float[3], 3)));
        short[] bf16 = {(short) 0x3f80, (short) 0xc000, (short) 0x7f80};
        short[] f16 = {Float.floatToFloat16(1.5f), Float.floatToFloat16(-2f), Float.floatToFloat16(0)};
        module.loadStateDict(Map.of("p", new HostValue(Shape.of(3), DType.BFLOAT16, MemorySegment.ofArray(bf16))));
        assertThat(module.getParameter("p").toDoubles()).containsExactly(1, -2, Double.POSITIVE_INFINITY);
        module.loadStateDict(Map.of("p", new HostValue(Shape.of(3), DType.FLOAT16, MemorySegment.ofArray(f16))));
        assertThat(module.getParameter("p").toDoubles()).containsExactly(1.5, -2, 0);
        assertThat(module.getParameter("p").dtype()).isEqualTo(DType.FLOAT32);
        module.loadStateDict(Map.of(
                "p", new HostValue(Shape.of(3), DType.INT64, MemorySegment.ofArray(new long[] {1, 2, 3}))));
        assertThat(module.getParameter("p").toDoubles()).containsExactly(1, 2, 3);
    }

    @Test
    void assignedTensorsKeepTheirDtypeAndLayout() {
        DeviceMesh mesh = Goldens.mesh("tp", 2);
        Linear linear = new Linear(dt, 2, 2);
        Parameter weight = linear.weight();
        Tensor given = dt.tensor(new double[] {1, 2, 3, 4}, 2, 2).redistribute(Layout.of(mesh, Placement.shard(0)));
        linear.loadStateDict(Map.of("weight", given), false, true);
        assertThat(linear.weight()).isSameAs(weight);
        assertThat(weight.dtype()).isEqualTo(DType.FLOAT64);
        assertThat(weight.placements()).containsExactly(Placement.shard(0));
    }

    @Test
    void aSourceThatFailsNamesTheParameter() {
        Linear linear = new Linear(dt, 2, 2);
        ValueSource broken = ValueSource.of(Shape.of(2, 2), DType.FLOAT32, (offsets, sizes, destination) -> {
            throw DTorchError.value("the file is gone");
        });
        assertThatThrownBy(() -> linear.loadStateDict(Map.of("weight", broken), false, false))
                .hasMessageContaining("While copying the parameter named \"weight\"")
                .hasMessageContaining("the file is gone");
        assertThat(linear.bias().toDoubles()).hasSize(2);
    }
}
