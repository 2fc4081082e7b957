package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.Parts;
import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Settings;
import org.junit.jupiter.api.Test;

/** Every device of a context-parallel mesh has the rotary positions of its own tokens, also of packed sequences. */
class C05Test {
    private static final DeviceMesh CP = DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of("ring_cp"));

    private static double[] local(DTorch dt, Tensor t, int position) {
        return Parts.local(dt.dispatcher().session(), t.data().shard(position)).values();
    }

    @Test
    void positionsOfEachDevice() {
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "")) {
            Tensor headTail =
                    dt.tensor(SequenceOrder.HEAD_TAIL.positions(8, 2), 8).redistribute(CP, List.of(Placement.shard(0)));
            assertThat(local(dt, headTail, 0)).containsExactly(0, 1, 6, 7);
            assertThat(local(dt, headTail, 1)).containsExactly(2, 3, 4, 5);
            Tensor contiguous = dt.tensor(SequenceOrder.CONTIGUOUS.positions(8, 2), 8)
                    .redistribute(CP, List.of(Placement.shard(0)));
            assertThat(local(dt, contiguous, 0)).containsExactly(0, 1, 2, 3);
            assertThat(local(dt, contiguous, 1)).containsExactly(4, 5, 6, 7);
        }
    }

    @Test
    void rowsOfATableForTwoPackedSequences() {
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "")) {
            long[] rows = new long[16];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = i;
            }
            Tensor table = dt.tensor(rows, 2, 8);
            Tensor order = dt.tensor(SequenceOrder.HEAD_TAIL.positions(8, 2), 8);
            Tensor packed = dt.call(OpTable.get("index_select"), table, 1L, order)[0].redistribute(
                    CP, List.of(Placement.shard(1)));
            assertThat(local(dt, packed, 0)).containsExactly(0, 1, 6, 7, 8, 9, 14, 15);
            assertThat(local(dt, packed, 1)).containsExactly(2, 3, 4, 5, 10, 11, 12, 13);
        }
    }
}
