package org.dtorch.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What callers see of the runtime: errors, memory, views, threads. */
class TensorBehaviourTest {
    private static final DeviceMesh TWO = DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of("tp"));

    private static Tensor call(DTorch dt, String op, Object... args) {
        return dt.call(OpTable.get(op), args)[0];
    }

    private static Tensor range(DTorch dt, Placement placement, long... shape) {
        double[] values = new double[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
        Arrays.setAll(values, i -> i);
        return dt.tensor(values, shape).redistribute(TWO, List.of(placement));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 10_000_000})
    void aKernelThatFailsPoisonsItsResultAndNothingElse(long inlineNanos) {
        Settings settings = Settings.defaults().withInlineNanos(inlineNanos);
        try (DTorch dt = DTorch.open(settings, () -> "model.py:12")) {
            Tensor x = range(dt, Placement.shard(1), 3, 4);
            Tensor index = dt.tensor(new long[] {0, 7}, 2).redistribute(TWO, List.of(Placement.replicate()));
            Tensor before = x.add(1);
            Tensor bad = call(dt, "index_select", x, 0L, index);
            Tensor worse = bad.mul(2);
            for (Tensor t : List.of(bad, worse)) {
                assertThatThrownBy(t::toDoubles)
                        .isInstanceOfSatisfying(
                                DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.INDEX))
                        .hasMessageContaining("index_select")
                        .hasMessageContaining("[3, 4]")
                        .hasMessageContaining("S(1)")
                        .hasMessageContaining("model.py:12");
                assertThatThrownBy(t::await).hasMessageContaining("index_select");
            }
            assertThat(before.toDoubles()[11]).isEqualTo(12);
            assertThat(x.mul(3).toDoubles()[11]).isEqualTo(33);
            Tensor good = call(dt, "index_select", x, 0L, dt.tensor(new long[] {2}, 1));
            assertThat(good.toDoubles()).containsExactly(8, 9, 10, 11);
            dt.sync();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 10_000_000})
    void anErrorNamesTheLineThatIssuedTheOperator(long inlineNanos) {
        AtomicReference<String> line = new AtomicReference<>("model.py:1");
        try (DTorch dt = DTorch.open(Settings.defaults().withInlineNanos(inlineNanos), line::get)) {
            Tensor x = range(dt, Placement.shard(1), 3, 4);
            Tensor index = dt.tensor(new long[] {7}, 1).redistribute(TWO, List.of(Placement.replicate()));
            line.set("model.py:2");
            Tensor bad = call(dt, "index_select", x, 0L, index);
            line.set("model.py:3");
            Tensor worse = bad.add(1);
            line.set("model.py:4");
            assertThatThrownBy(worse::toDoubles).hasMessageEndingWith("at model.py:2");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 10_000_000})
    void aFailedWriteInPlacePoisonsWhatItWasWriting(long inlineNanos) {
        try (DTorch dt = DTorch.open(Settings.defaults().withInlineNanos(inlineNanos), () -> "model.py:1")) {
            Tensor x = range(dt, Placement.shard(1), 3, 4);
            Tensor view = call(dt, "select", x, 0L, 0L);
            Tensor other = range(dt, Placement.shard(1), 3, 4);
            Tensor index = dt.tensor(new long[] {7}, 1).redistribute(TWO, List.of(Placement.replicate()));
            call(dt, "index_add_", x, 0L, index, call(dt, "narrow", other, 0L, 0L, 1L));
            assertThatThrownBy(x::toDoubles).hasMessageContaining("index");
            assertThatThrownBy(view::toDoubles).hasMessageContaining("index");
            assertThat(other.toDoubles()[11]).isEqualTo(11);
        }
    }

    @Test
    void handlesThatNobodyHoldsGiveTheirMemoryBack() {
        Settings settings = Settings.defaults().withMemoryLimitBytes(1L << 30);
        try (DTorch dt = DTorch.open(settings, () -> "")) {
            Tensor x = dt.ones(16L << 20);
            for (int i = 0; i < 60; i++) {
                Tensor y = x.mul(2).add(1);
                if (i % 20 == 19) {
                    assertThat(call(dt, "narrow", y, 0L, 5L, 1L).toDoubles()).containsExactly(3);
                }
            }
            Tensor index = dt.tensor(new long[] {1L << 40}, 1);
            for (int i = 0; i < 60; i++) {
                Tensor y = x.mul(2);
                Tensor z = call(dt, "index_select", y.add(1), 0L, index);
                assertThatThrownBy(z::await).hasMessageContaining("index out of range");
            }
            assertThat(dt.dispatcher().session().reclaimStats().reclaims()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writesAreSeenByTheBaseAndItsOtherViews(boolean isolated) {
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(isolated), () -> "")) {
            Tensor x = range(dt, Placement.shard(0), 3, 2);
            Tensor column = call(dt, "select", x, 1L, 0L);
            Tensor turned = call(dt, "transpose", x, 0L, 1L);
            Tensor flat = call(dt, "view", x, new long[] {3, 1, 2});
            assertThat(column.data().storage()).isSameAs(x.data().storage());
            column.add_(10);
            assertThat(x.toDoubles()).containsExactly(10, 1, 12, 3, 14, 5);
            assertThat(turned.toDoubles()).containsExactly(10, 12, 14, 1, 3, 5);
            call(dt, "fill_", call(dt, "select", turned, 0L, 1L), 7);
            assertThat(x.toDoubles()).containsExactly(10, 7, 12, 7, 14, 7);
            assertThat(flat.toDoubles()).containsExactly(10, 7, 12, 7, 14, 7);
            x.mul_(2);
            assertThat(column.toDoubles()).containsExactly(20, 24, 28);
        }
    }

    @Test
    void aCopiedViewIsNotWrittenAndNotReadWhenItsBaseHasChanged() {
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "")) {
            Tensor x = range(dt, Placement.shard(0), 3, 2);
            Tensor row = call(dt, "select", x, 0L, 1L);
            Tensor part = call(dt, "narrow", row, 0L, 1L, 1L);
            assertThat(part.toDoubles()).containsExactly(3);
            assertThatThrownBy(() -> row.add_(1)).hasMessageContaining("would not reach its base");
            assertThat(x.toDoubles()).containsExactly(0, 1, 2, 3, 4, 5);
            x.add_(1);
            for (Tensor stale : List.of(row, part)) {
                assertThatThrownBy(() -> stale.add(1)).hasMessageContaining("has been written since");
                assertThatThrownBy(stale::toDoubles).hasMessageContaining("has been written since");
                assertThatThrownBy(() -> stale.redistribute(Placement.replicate()))
                        .hasMessageContaining("has been written since");
            }
            assertThat(call(dt, "select", x, 0L, 1L).toDoubles()).containsExactly(3, 4);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anExportIsTheValueOfThatMoment(boolean isolated) {
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(isolated), () -> "")) {
            Tensor x = range(dt, Placement.shard(0), 4);
            double[] then = x.toDoubles();
            Tensor copy = x.redistribute(TWO, List.of(Placement.replicate()));
            x.fill_(9.0);
            assertThat(then).containsExactly(0, 1, 2, 3);
            assertThat(copy.toDoubles()).containsExactly(0, 1, 2, 3);
            copy.fill_(5.0);
            assertThat(x.toDoubles()).containsExactly(9, 9, 9, 9);
        }
    }

    @Test
    void manyThreadsGetTheSameValues() throws Exception {
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "");
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            Tensor x = dt.randn(64, 48).redistribute(TWO, List.of(Placement.shard(0)));
            Tensor w = dt.randn(48, 32).redistribute(TWO, List.of(Placement.shard(1)));
            double[] expected = layer(dt, x, w);
            List<Future<double[]>> results = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                results.add(threads.submit(() -> {
                    double[] last = expected;
                    for (int i = 0; i < 40 && Arrays.equals(last, expected); i++) {
                        last = layer(dt, x, w);
                    }
                    return last;
                }));
            }
            for (Future<double[]> result : results) {
                assertThat(result.get()).containsExactly(expected);
            }
        }
    }

    private static double[] layer(DTorch dt, Tensor x, Tensor w) {
        try (Tensor product = call(dt, "mm", x, w);
                Tensor active = call(dt, "relu", product);
                Tensor sum = active.redistribute(Layout.of(TWO, Placement.shard(1)));
                Tensor mean = call(dt, "softmax", sum, -1L)) {
            return mean.toDoubles();
        }
    }
}
