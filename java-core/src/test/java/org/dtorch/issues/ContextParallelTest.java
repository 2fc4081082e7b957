package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Offset;
import org.dtorch.api.Attention;
import org.dtorch.api.DTorch;
import org.dtorch.api.SdpaOptions;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.Parts;
import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Settings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows C01, CTX-1 and CTX-5: attention and positions over two and four devices, contiguous and head-tail. */
class ContextParallelTest {
    private static DeviceMesh cp(int devices) {
        return DeviceMesh.init(DeviceType.CPU, new int[] {devices}, List.of("ring_cp"));
    }

    /** The output in token order for zero queries and keys. */
    private static double[] attend(SequenceOrder order, boolean causal, double... values) {
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(true), () -> "")) {
            long n = values.length;
            long[] positions = order.positions(n, 2);
            Tensor index = dt.tensor(positions, n);
            Tensor whole = dt.tensor(values, 1, 1, n, 1);
            Tensor v = dt.call(OpTable.get("index_select"), whole, 2L, index)[0].redistribute(
                    cp(2), List.of(Placement.shard(2)));
            Tensor zeros = v.mul(0);
            Tensor out = Attention.scaledDotProduct(
                    zeros, zeros, v, null, 0, causal, null, false, new SdpaOptions(null, "ring_cp", order));
            double[] found = out.toDoubles();
            double[] tokens = new double[found.length];
            for (int i = 0; i < tokens.length; i++) {
                tokens[(int) positions[i]] = found[i];
            }
            return tokens;
        }
    }

    @ParameterizedTest
    @EnumSource(SequenceOrder.class)
    void c01(SequenceOrder order) {
        assertThat(attend(order, false, 0, 1, 2, 3, 4, 5, 6, 7))
                .containsExactly(new double[] {3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5}, Offset.offset(1e-5));
        assertThat(attend(order, true, 0, 1, 2, 3, 4, 5, 6, 7))
                .containsExactly(new double[] {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}, Offset.offset(1e-5));
    }

    @ParameterizedTest
    @EnumSource(SequenceOrder.class)
    void ctx1(SequenceOrder order) {
        assertThat(attend(order, true, 1, 2, 3, 4)).containsExactly(new double[] {1, 1.5, 2, 2.5}, Offset.offset(1e-5));
        assertThat(attend(order, false, 1, 2, 3, 4))
                .containsExactly(new double[] {2.5, 2.5, 2.5, 2.5}, Offset.offset(1e-5));
        assertThat(attend(order, true, 1, 2, 3, 4, 5))
                .containsExactly(new double[] {1, 1.5, 2, 2.5, 3}, Offset.offset(1e-5));
    }

    @Test
    void ctx5() {
        assertThat(chunks(8, 2)).isDeepEqualTo(new long[][] {{0, 1, 6, 7}, {2, 3, 4, 5}});
        assertThat(chunks(16, 4))
                .isDeepEqualTo(new long[][] {{0, 1, 14, 15}, {2, 3, 12, 13}, {4, 5, 10, 11}, {6, 7, 8, 9}});
        try (DTorch dt = DTorch.open(Settings.defaults(), () -> "")) {
            Tensor angles = dt.tensor(SequenceOrder.HEAD_TAIL.positions(8, 2), 8, 1)
                    .redistribute(cp(2), List.of(Placement.shard(0)))
                    .mul(1.0);
            Tensor both = dt.call(OpTable.get("cat"), List.of(angles, angles), 1L)[0];
            Tensor x = dt.tensor(new double[] {1, 0}, 1, 2);
            Tensor tokens = dt.call(OpTable.get("expand"), x, new long[] {8, 2})[0];
            Tensor typed = dt.call(OpTable.get("to_dtype"), tokens, angles.dtype())[0];
            Tensor turned = dt.call(
                            OpTable.get("rotary"),
                            typed.redistribute(angles.layout()),
                            dt.call(OpTable.get("cos"), both)[0],
                            dt.call(OpTable.get("sin"), both)[0])[0];
            double[] rank0 = Parts.local(
                            dt.dispatcher().session(), turned.data().shard(0))
                    .values();
            assertThat(Arrays.copyOfRange(rank0, 4, 6))
                    .containsExactly(new double[] {0.960170, -0.279415}, Offset.offset(1e-5));
        }
    }

    private static long[][] chunks(int length, int devices) {
        long[] positions = SequenceOrder.HEAD_TAIL.positions(length, devices);
        long[][] chunks = new long[devices][];
        for (int d = 0; d < devices; d++) {
            chunks[d] = Arrays.copyOfRange(positions, d * length / devices, (d + 1) * length / devices);
        }
        return chunks;
    }
}
