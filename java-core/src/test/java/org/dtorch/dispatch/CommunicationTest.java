package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.dtorch.api.Attention;
import org.dtorch.api.DTorch;
import org.dtorch.api.SdpaOptions;
import org.dtorch.api.Tensor;
import org.dtorch.comm.Collective;
import org.dtorch.comm.CommunicationRecord;
import org.dtorch.fixtures.Array;
import org.dtorch.fixtures.ChangedBackend;
import org.dtorch.fixtures.PlainAttention;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.recipe.Recipe;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the parallel forms move, how much a device holds meanwhile, and what they do not compute. */
class CommunicationTest {
    private final AtomicInteger attentions = new AtomicInteger();
    private DTorch dt;
    private Session session;
    private CommunicationRecord record;

    @BeforeEach
    void open() {
        Recipe attention = new Recipe.Named("attention");
        session = ChangedBackend.session(Settings.defaults().withIsolate(true), (recipe, kernel) -> launch -> {
            attentions.addAndGet(recipe.equals(attention) ? 1 : 0);
            kernel.run(launch);
        });
        dt = DTorch.on(session, () -> "");
        record = session.communicationRecord();
    }

    @AfterEach
    void close() {
        dt.close();
    }

    private static DeviceMesh mesh(String name, int size) {
        return DeviceMesh.init(DeviceType.CPU, new int[] {size}, List.of(name));
    }

    private Tensor normal(DeviceMesh mesh, Placement placement, long... shape) {
        Array values = PlainAttention.normal(new Random(1), shape);
        return Parts.laidOut(dt, values, DType.FLOAT32, Layout.of(mesh, placement), new Random(2));
    }

    private Tensor attention(Tensor q, Tensor k, Tensor v, boolean causal, SequenceOrder order) {
        Tensor out = Attention.scaledDotProduct(
                q, k, v, null, 0, causal, null, true, new SdpaOptions("ulysess_cp", "ring_cp", order));
        session.sync();
        return out;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void aRingSendsEachBlockPairOnceAroundAndHoldsAtMostTwoTravellingOnes(int n) {
        DeviceMesh mesh = mesh("ring_cp", n);
        Tensor q = normal(mesh, Placement.shard(2), 1, 2, n, 16);
        Tensor k = normal(mesh, Placement.shard(2), 1, 2, 64L * n, 16);
        Tensor v = normal(mesh, Placement.shard(2), 1, 2, 64L * n, 16);
        long pair = 2 * 2 * 64 * 16 * 4;
        long result = 2 * 16 * 4 + 2 * 4;
        long[] before = new long[n];
        session.sync();
        record.reset();
        for (int p = 0; p < n; p++) {
            Device device = session.device(DeviceType.CPU, p);
            session.resetPeak(device);
            before[p] = session.memoryStats(device).allocatedBytes();
        }
        Tensor out = attention(q, k, v, false, SequenceOrder.CONTIGUOUS);
        assertThat(record.count()).isEqualTo(n - 1);
        assertThat(record.count(Collective.MOVE)).isEqualTo(n - 1);
        for (CommunicationRecord.Call call : record.calls()) {
            assertThat(call.bytes()).containsOnly(pair);
        }
        for (int p = 0; p < n; p++) {
            assertThat(record.bytes(p)).isEqualTo((n - 1) * pair);
            Device device = session.device(DeviceType.CPU, p);
            long most = session.memoryStats(device).maxAllocatedBytes() - before[p];
            assertThat(most).as("device %d", p).isBetween(pair, Math.min(n - 1, 2) * pair + 3 * result);
            long after = session.memoryStats(device).allocatedBytes() - before[p];
            assertThat(after).isEqualTo(2 * 16 * 4);
        }
        out.close();
    }

    @ParameterizedTest
    @CsvSource({"2, CONTIGUOUS, 3", "4, CONTIGUOUS, 10", "4, HEAD_TAIL, 16"})
    void causalStepsThatAddNothingAreSkipped(int n, SequenceOrder order, int computed) {
        DeviceMesh mesh = mesh("ring_cp", n);
        Tensor q = normal(mesh, Placement.shard(2), 1, 2, 4L * n, 8);
        attentions.set(0);
        attention(q, q, q, true, order);
        assertThat(attentions).hasValue(computed);
        attentions.set(0);
        attention(q, q, q, false, order);
        assertThat(attentions).hasValue(n * n);
    }

    @Test
    void ulyssesTradesSequenceForHeadsAndGathersNothing() {
        DeviceMesh mesh = mesh("ulysess_cp", 4);
        Tensor q = normal(mesh, Placement.shard(2), 1, 8, 16, 8);
        Tensor k = normal(mesh, Placement.shard(2), 1, 4, 16, 8);
        session.sync();
        record.reset();
        attention(q, k, k, true, SequenceOrder.CONTIGUOUS);
        assertThat(record.count(Collective.ALL_TO_ALL)).isEqualTo(4);
        assertThat(record.count()).isEqualTo(4);
        long query = 8 * 4 * 8 * 4 * 3 / 4;
        assertThat(record.bytes(0)).isEqualTo(query * 2 + query / 2 * 2);
    }

    @Test
    void bothTogetherExchangeInsideTheUlyssesGroupsAndPassOnTheRing() {
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {2, 3}, List.of("ulysess_cp", "ring_cp"));
        Array values = PlainAttention.normal(new Random(1), 1, 4, 12, 8);
        Layout layout = Layout.of(mesh, Placement.shard(2), Placement.shard(2));
        Tensor q = Parts.laidOut(dt, values, DType.FLOAT32, layout, new Random(2));
        session.sync();
        record.reset();
        attention(q, q, q, true, SequenceOrder.CONTIGUOUS);
        assertThat(record.count(Collective.ALL_TO_ALL)).isEqualTo(4 * 3);
        assertThat(record.count(Collective.MOVE)).isEqualTo(2 * 2);
        assertThat(record.count()).isEqualTo(16);
    }

    @Test
    void aRowParallelLayerDoesOneAllReduce() {
        DeviceMesh mesh = mesh("tp", 4);
        Tensor x = normal(mesh, Placement.shard(1), 3, 8);
        Tensor weight = normal(mesh, Placement.shard(1), 5, 8);
        Tensor bias = normal(mesh, Placement.partial(), 5);
        session.sync();
        record.reset();
        Tensor y = dt.call(OpTable.get("linear"), x, weight, bias)[0];
        assertThat(y.placements()).containsExactly(Placement.partial());
        assertThat(record.count()).isZero();
        y.redistribute(Placement.replicate()).await();
        assertThat(record.count(Collective.ALL_REDUCE)).isEqualTo(1);
        assertThat(record.count()).isEqualTo(1);
        assertThat(record.bytes(0)).isEqualTo(3 * 5 * 4 * 2 * 3 / 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aPipelineOfStagesTransfersBetweenNeighboursOnly(int stages) {
        DeviceMesh all = DeviceMesh.init(DeviceType.CPU, new int[] {stages, 2}, List.of("pp", "tp"));
        List<DeviceMesh> unbound = all.unbind(0);
        Tensor x = normal(unbound.getFirst(), Placement.shard(0), 4, 6);
        session.sync();
        record.reset();
        for (int s = 1; s < stages; s++) {
            x = x.redistribute(unbound.get(s), null).add(1);
        }
        x.await();
        assertThat(record.count(Collective.MOVE)).isEqualTo(stages - 1);
        assertThat(record.count()).isEqualTo(stages - 1);
        assertThat(record.bytes(0) + record.bytes(1)).isZero();
        for (int p = 2; p < 2 * stages; p++) {
            assertThat(record.bytes(p)).isEqualTo(2 * 6 * 4);
        }
    }
}
