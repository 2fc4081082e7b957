package org.dtorch.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.mesh.DeviceType;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IsolationTest {
    private final Session session = Session.open(Settings.defaults().withIsolate(true));
    private final LocalShard mine = Work.number(session.device(DeviceType.CUDA, 0));
    private final LocalShard other = Work.number(session.device(DeviceType.CUDA, 1));
    private final LocalShard result = Work.number(session.device(DeviceType.CUDA, 0));

    @AfterEach
    void close() {
        session.close();
    }

    private void launch(Operand operand) {
        Kernel copy = mine.device().backend().kernel(new Recipe.Pointwise(Expr.input(0), DType.INT64));
        Work.submit(
                session,
                Work.shards(),
                result,
                0,
                () -> copy.run(
                        new Launch(new Operand[] {operand}, new Operand[] {result.operand()}, new Object[0], null)));
    }

    @Test
    void aKernelMayUseItsDevicesArena() {
        Work.set(mine, 42);
        launch(mine.operand());
        session.await(result);
        assertThat(Work.get(result)).isEqualTo(42);
    }

    @Test
    void aKernelMayNotReadAnotherDevice() {
        Work.set(other, 1);
        launch(other.operand());
        assertThatThrownBy(() -> session.await(result))
                .hasMessageContaining("isolation: work on [cuda:0] touched memory of cuda:1");
    }

    @Test
    void aFalseLabelDoesNotHelp() {
        Work.set(other, 1);
        Operand true1 = other.operand();
        launch(new Operand(
                new Memory(true1.memory().segment(), 0),
                true1.offset(),
                true1.dtype(),
                true1.sizes(),
                true1.strides()));
        assertThatThrownBy(() -> session.await(result)).hasMessageContaining("memory of cuda:1");
    }

    @Test
    void aKernelMayNotReadFreedMemoryOrBeyondTheEnd() {
        Work.set(mine, 1);
        Operand operand = mine.operand();
        launch(new Operand(operand.memory(), 0, DType.INT64, new long[] {2}, new long[] {1}));
        assertThatThrownBy(() -> session.await(result)).hasMessageContaining("memory of no device");
        mine.buffer().release();
        launch(operand);
        assertThatThrownBy(() -> session.await(result)).hasMessageContaining("memory of no device");
    }

    @Test
    void aBufferOfAnotherDeviceIsRefusedWithoutAKernel() {
        Work.submit(session, Work.shards(), result, 0, () -> Work.get(other));
        assertThatThrownBy(() -> session.await(result)).hasMessageContaining("touched memory of cuda:1");
    }

    @Test
    void aCollectiveMayTouchItsGroup() {
        Device[] group = {mine.device(), other.device()};
        Work.set(other, 9);
        session.submit(new Work(
                group, "move", Work.shards(other), Work.shards(mine), 0, () -> Work.set(mine, Work.get(other))));
        session.await(mine);
        assertThat(Work.get(mine)).isEqualTo(9);
    }

    @Test
    void nothingIsShared() {
        assertThat(session.sharesReplicas()).isFalse();
        assertThatThrownBy(
                        () -> LocalShard.allocateShared(new Device[] {mine.device(), other.device()}, DType.FLOAT32, 1))
                .hasMessageContaining("do not share memory");
    }

    @Test
    void devicesAreLimitedAndTheSameObjects() {
        assertThat(session.device(DeviceType.CUDA, 0)).isSameAs(mine.device());
        assertThat(session.device(DeviceType.CPU, 0)).isNotSameAs(mine.device());
        assertThat(mine.device().isSimulated()).isTrue();
        try (Session eight = Session.open(Settings.defaults().withSimulatedDevices(8))) {
            assertThatThrownBy(() -> eight.device(DeviceType.CUDA, 8))
                    .hasMessageContaining("cuda:8")
                    .hasMessageContaining("8 simulated devices");
        }
    }
}
