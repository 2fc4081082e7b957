package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.data.Offset;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.fixtures.PlainAttention;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Strict mode moves nothing: it says which placements are legal, nearest first, and takes those. */
class StrictModeTest {
    private static final DeviceMesh TWO = DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of("tp"));

    private DTorch dt;

    @BeforeEach
    void open() {
        dt = DTorch.open(Settings.defaults(), () -> "");
        dt.dispatcher().setStrict(true);
    }

    @AfterEach
    void close() {
        dt.close();
    }

    private Tensor laid(Placement placement, long... shape) {
        return Parts.laidOut(
                dt,
                PlainAttention.normal(new Random(1), shape),
                DType.FLOAT32,
                Layout.of(TWO, placement),
                new Random(2));
    }

    private String refusal(String op, Tensor... inputs) {
        try {
            dt.call(OpTable.get(op), (Object[]) inputs);
        } catch (DTorchError e) {
            assertThat(e.kind()).isEqualTo(DTorchError.Kind.LAYOUT);
            return e.getMessage();
        }
        throw new AssertionError(op + " was not refused");
    }

    /** The input placements of the legal combinations in a refusal, in its order. */
    private static List<List<Placement>> legal(String refusal) {
        Matcher found = Pattern.compile("nearest first: tp: (.*)").matcher(refusal);
        assertThat(found.find()).as(refusal).isTrue();
        List<List<Placement>> all = new ArrayList<>();
        for (String strategy : found.group(1).split(" \\| ")) {
            List<Placement> inputs = new ArrayList<>();
            for (String name : strategy.substring(0, strategy.indexOf(" -> ")).split(", ")) {
                inputs.add(Placement.parse(name));
            }
            all.add(inputs);
        }
        return all;
    }

    @Test
    void aNonlinearFunctionOfAPartialSumIsRefusedAndTheFirstLegalPlacementIsTaken() {
        Tensor x = laid(Placement.partial(), 4, 6);
        String refusal = refusal("relu", x);
        assertThat(refusal).contains("relu").contains("P(sum)");
        List<List<Placement>> legal = legal(refusal);
        // scattering moves half of what joining everywhere moves
        assertThat(legal.getFirst().getFirst()).matches(Placement::isShard);
        for (List<Placement> inputs : legal) {
            Tensor placed = laid(inputs.getFirst(), 4, 6);
            assertThat(dt.call(OpTable.get("relu"), placed)[0].placements()).isEqualTo(inputs);
        }
    }

    @Test
    void aProductOfMismatchedShardsListsWhatWouldDo() {
        Tensor a = laid(Placement.shard(1), 4, 6);
        Tensor b = laid(Placement.shard(1), 6, 8);
        String refusal = refusal("mm", a, b);
        List<List<Placement>> legal = legal(refusal);
        assertThat(legal)
                .contains(
                        List.of(Placement.shard(0), Placement.replicate()),
                        List.of(Placement.replicate(), Placement.shard(1)),
                        List.of(Placement.shard(1), Placement.shard(0)),
                        List.of(Placement.replicate(), Placement.replicate()));
        // one tensor moves in the first, two in the last
        assertThat(legal.getFirst()).containsAnyOf(Placement.shard(1));
        assertThat(legal.getLast()).doesNotContain(Placement.shard(1));
        double[] expected = null;
        for (List<Placement> inputs : legal) {
            double[] found = dt.call(OpTable.get("mm"), laid(inputs.get(0), 4, 6), laid(inputs.get(1), 6, 8))[0]
                    .redistribute(Placement.replicate())
                    .toDoubles();
            expected = expected == null ? found : expected;
            for (int i = 0; i < found.length; i++) {
                assertThat(found[i]).isCloseTo(expected[i], Offset.offset(1e-5));
            }
        }
    }

    @Test
    void replicasMayBeCutBecauseNothingMoves() {
        Tensor sum = dt.call(OpTable.get("add"), laid(Placement.shard(0), 4), laid(Placement.replicate(), 4))[0];
        assertThat(sum.placements()).containsExactly(Placement.shard(0));
    }

    @Test
    void aTensorOfOneDeviceDoesNotMeetAMesh() {
        Tensor one = dt.ones(4);
        assertThatThrownBy(() -> dt.call(OpTable.get("add"), laid(Placement.shard(0), 4), one))
                .asInstanceOf(InstanceOfAssertFactories.type(DTorchError.class))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.LAYOUT))
                .extracting(Throwable::getMessage)
                .asString()
                .contains("strict mode")
                .contains("redistribute(device_mesh=");
    }
}
