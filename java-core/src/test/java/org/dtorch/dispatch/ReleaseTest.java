package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.dtorch.api.Attention;
import org.dtorch.api.DTorch;
import org.dtorch.api.SdpaOptions;
import org.dtorch.api.Tensor;
import org.dtorch.fixtures.Array;
import org.dtorch.fixtures.PlainAttention;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.Op;
import org.dtorch.op.OpTable;
import org.dtorch.op.Sample;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators make on the way is gone when they return, also when they raise. */
class ReleaseTest {
    private static final DeviceMesh TWO = DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of("tp"));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noRowLeavesAnythingBehind(boolean isolated) {
        List<String> faults = new ArrayList<>();
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(isolated), () -> "")) {
            for (Op op : OpTable.all()) {
                for (Sample sample : op.samples()) {
                    SampleCall call = new SampleCall(op, sample);
                    for (String placement : new String[] {"S0", "S(-1)", "P"}) {
                        Arrangement arrangement = Arrangement.of(new int[] {2}, placement);
                        try {
                            LiveBytes.unchangedBy(dt, () -> call(dt, call, arrangement));
                        } catch (AssertionError e) {
                            faults.add(call + " " + arrangement + ": " + e.getMessage());
                        }
                    }
                }
            }
        }
        assertThat(faults).isEmpty();
    }

    private static void call(DTorch dt, SampleCall call, Arrangement arrangement) {
        Layout created = call.isCreation() ? Layout.replicated(arrangement.mesh()) : null;
        Object[] args = call.args(
                dt,
                i -> arrangement.of(
                        call.inputs().get(i).rank(), call.inputs().get(i).dtype()),
                created,
                new Random(1));
        Tensor[] results = {};
        try {
            results = dt.call(call.op(), args);
        } catch (DTorchError e) {
            assertThat(e.getMessage()).containsAnyOf("in place", "would not reach");
        } finally {
            RowSweep.close(results, args);
        }
    }

    /** Made without an intermediate handle, which the collector would release at some time. */
    private static Tensor rows(DTorch dt, long... shape) {
        Layout rows = Layout.of(TWO, Placement.shard(0));
        return Parts.laidOut(dt, PlainAttention.normal(new Random(1), shape), DType.FLOAT32, rows, new Random(2));
    }

    @Test
    void aCompositeThatRaisesHalfwayReleasesWhatItMade() {
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "")) {
            Tensor a = rows(dt, 4, 6);
            Tensor b = rows(dt, 6, 5);
            Tensor self = rows(dt, 3, 3);
            Op addmm = OpTable.get("addmm");
            assertThatThrownBy(() -> LiveBytes.unchangedBy(dt, () -> dt.call(addmm, self, a, b)))
                    .isInstanceOf(DTorchError.class);
        }
    }

    @Test
    void anInPlaceCallThatIsRefusedReleasesItsOperands() {
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "")) {
            Tensor rows = rows(dt, 4, 6);
            Tensor columns = rows(dt, 6);
            try (Tensor copied = dt.call(OpTable.get("select"), rows, 0L, 1L)[0]) {
                assertThatThrownBy(() -> LiveBytes.unchangedBy(dt, () -> copied.add_(columns)))
                        .hasMessageContaining("would not reach");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ulysess_cp", "ring_cp"})
    void contextAttentionLeavesItsResultOnly(String dim) {
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {3}, List.of(dim));
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(true), () -> "")) {
            Array values = PlainAttention.normal(new Random(1), 2, 3, 7, 4);
            Layout layout = Layout.of(mesh, Placement.shard(2));
            Tensor q = Parts.laidOut(dt, values, DType.FLOAT32, layout, new Random(2));
            Tensor mask = Parts.laidOut(
                    dt,
                    PlainAttention.normal(new Random(1), 7, 7),
                    DType.FLOAT32,
                    Layout.replicated(mesh),
                    new Random(2));
            for (Tensor m : new Tensor[] {null, mask}) {
                LiveBytes.unchangedBy(
                        dt,
                        () -> Attention.scaledDotProduct(q, q, q, m, 0, m == null, null, false, SdpaOptions.DEFAULT)
                                .close());
            }
            Tensor twoHeads = Parts.laidOut(
                    dt, PlainAttention.normal(new Random(1), 2, 2, 7, 4), DType.FLOAT32, layout, new Random(2));
            if (dim.equals("ulysess_cp")) {
                assertThatThrownBy(() -> LiveBytes.unchangedBy(
                                dt,
                                () -> Attention.scaledDotProduct(
                                        twoHeads, twoHeads, twoHeads, null, 0, true, null, false, SdpaOptions.DEFAULT)))
                        .hasMessageContaining("multiple of 3");
            }
        }
    }
}
