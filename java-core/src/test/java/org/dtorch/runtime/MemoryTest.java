package org.dtorch.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.dtorch.backend.Memory;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;

class MemoryTest {
    private static final long MIB = 1 << 20;

    private static Session limited(long bytes) {
        return Session.open(Settings.defaults().withMemoryLimitBytes(bytes));
    }

    private static LocalShard bytes(Device device, long bytes) {
        return LocalShard.allocate(device, DType.UINT8, bytes);
    }

    @Test
    void sizeClassesHoldWhatIsAskedAndWasteLittle() {
        for (long bytes = 1; bytes < 1L << 40; bytes += 1 + bytes / 37) {
            for (long size : new long[] {bytes, Long.highestOneBit(bytes), Long.highestOneBit(bytes) + 1}) {
                int index = SizeClass.of(size);
                assertThat(SizeClass.bytes(index)).isGreaterThanOrEqualTo(size);
                assertThat(index == 0 || SizeClass.bytes(index - 1) < size).isTrue();
                assertThat(SizeClass.bytes(index) - size)
                        .isLessThanOrEqualTo(Math.max(64, size / (size > MIB ? 16 : 4)));
            }
        }
    }

    @Test
    void aFreedBlockIsUsedAgain() {
        try (Session session = limited(64 * MIB)) {
            Device device = Work.cpu(session, 0);
            LocalShard first = bytes(device, 1000);
            Memory memory = first.operand().memory();
            assertThat(memory.bytes()).isEqualTo(1000);
            first.buffer().release();
            LocalShard second = bytes(device, 1000);
            assertThat(second.operand().memory()).isSameAs(memory);
            assertThat(bytes(device, 990).operand().memory().segment().address())
                    .isNotEqualTo(memory.segment().address());
        }
    }

    @Test
    void statisticsCountLiveReservedAndPeaks() {
        try (Session session = limited(64 * MIB)) {
            Device device = Work.cpu(session, 0);
            assertThat(bytes(device, 4096).buffer().bytes()).isEqualTo(4096);
            assertThat(session.memoryStats(device)).isEqualTo(new MemoryStats(0, 0, 0, 0, 0)); // nothing was asked for
            LocalShard a = bytes(device, 4096);
            LocalShard b = bytes(device, 5000);
            a.operand();
            b.operand();
            assertThat(session.memoryStats(device)).isEqualTo(new MemoryStats(9096, 9216, 9096, 9216, 2));
            a.buffer().release();
            b.buffer().release();
            assertThat(session.memoryStats(device)).isEqualTo(new MemoryStats(0, 9216, 9096, 9216, 0));
            session.resetPeak(device);
            session.emptyCache();
            assertThat(session.memoryStats(device)).isEqualTo(new MemoryStats(0, 0, 0, 9216, 0));
        }
    }

    @Test
    void sharedReplicasCountOnEachDevice() {
        try (Session session = limited(64 * MIB)) {
            Device[] three = {Work.cpu(session, 0), Work.cpu(session, 1), Work.cpu(session, 2)};
            LocalShard shared = LocalShard.allocateShared(three, DType.FLOAT32, 1024);
            shared.operand();
            for (Device device : three) {
                assertThat(session.memoryStats(device).allocatedBytes()).isEqualTo(4096);
                assertThat(session.memoryStats(device).reservedBytes()).isEqualTo(4096);
            }
            Storage.of(new LocalShard[] {shared, shared, shared}).release();
            session.emptyCache();
            for (Device device : three) {
                assertThat(session.memoryStats(device).allocatedBytes()).isZero();
                assertThat(session.memoryStats(device).reservedBytes()).isZero();
            }
        }
    }

    @Test
    void useAfterReleaseIsAnErrorNotACrash() {
        try (Session session = limited(64 * MIB)) {
            LocalShard shard = Work.number(Work.cpu(session, 0));
            Work.set(shard, 1);
            shard.buffer().release();
            assertThatThrownBy(shard::operand).isInstanceOf(DTorchError.class).hasMessageContaining("released");
            assertThatThrownBy(shard.buffer()::retain).isInstanceOf(DTorchError.class);
            assertThatThrownBy(shard.buffer()::release).isInstanceOf(DTorchError.class);
        }
    }

    @Test
    void aQueuedInstructionKeepsItsOperands() {
        try (Session session = limited(64 * MIB)) {
            Device device = Work.cpu(session, 0);
            LocalShard out = Work.number(device);
            for (int i = 0; i < 1000; i++) {
                LocalShard in = Work.number(device);
                int value = i;
                Work.submit(session, Work.shards(), in, Work.LARGE, () -> Work.set(in, value));
                Work.submit(session, Work.shards(in), out, Work.LARGE, () -> Work.set(out, Work.get(in)));
                in.buffer().release();
            }
            session.await(out);
            assertThat(Work.get(out)).isEqualTo(999);
            session.sync();
            assertThat(session.memoryStats(device).liveBlocks()).isEqualTo(1);
        }
    }

    @Test
    void outOfMemoryNamesTheSizesAndTheNextSmallOneWorks() {
        try (Session session = limited(10 * MIB)) {
            Device device = Work.cpu(session, 0);
            LocalShard held = bytes(device, 6 * MIB);
            held.operand();
            LocalShard large = bytes(device, 5 * MIB);
            Work.submit(session, Work.shards(), large, 0, large::operand);
            DTorchError error = catchThrowableOfType(DTorchError.class, () -> session.await(large));
            assertThat(error.kind()).isEqualTo(DTorchError.Kind.OUT_OF_MEMORY);
            assertThat(error)
                    .hasMessageContaining("5.00 MiB requested on cpu:0")
                    .hasMessageContaining("6.00 MiB in use of a limit of 10.00 MiB")
                    .hasMessageContaining("largest: 1 x 6.00 MiB");
            LocalShard small = bytes(device, 100);
            Work.submit(session, Work.shards(), small, 0, small::operand);
            session.await(small);
            Reference.reachabilityFence(held);
        }
    }

    @Test
    void cachesOfOtherSizesAndDevicesMakeRoom() {
        try (Session session = limited(10 * MIB)) {
            for (int d = 0; d < 40; d++) {
                LocalShard shard = bytes(Work.cpu(session, d % 5), 4 * MIB + d * 100_000L);
                shard.operand();
                shard.buffer().release();
            }
            assertThat(session.reclaimStats().collections()).isZero();
        }
    }

    /** A stand-in for a tensor that a script holds. */
    private record Handle(LocalShard shard) {}

    private static Handle handle(Session session, Device device, long bytes) {
        LocalShard shard = bytes(device, bytes);
        Handle handle = new Handle(shard);
        session.reaper().register(handle, Storage.of(new LocalShard[] {shard}));
        return handle;
    }

    @Test
    void droppedHandlesAreCollectedAtTheLimit() {
        try (Session session = limited(64 * MIB)) {
            Device device = Work.cpu(session, 0);
            Handle kept = handle(session, device, MIB);
            kept.shard().operand();
            for (int i = 0; i < 200; i++) {
                Handle handle = handle(session, device, 4 * MIB);
                Work.submit(session, Work.shards(), handle.shard(), 0, handle.shard()::operand);
                session.await(handle.shard());
            }
            assertThat(session.reclaimStats().collections()).isPositive();
            assertThat(session.reclaimStats().nanos()).isPositive();
            Reference.reachabilityFence(kept);
            assertThat(session.memoryStats(device).maxReservedBytes()).isLessThanOrEqualTo(64 * MIB);
        }
    }

    @Test
    void registrationsReleaseOnceAndAtClose() {
        List<Handle> handles = new ArrayList<>();
        Session session = limited(64 * MIB);
        Device device = Work.cpu(session, 0);
        LocalShard shard = bytes(device, 100);
        shard.operand();
        Object handle = new Object();
        Reaper.Registration registration = session.reaper().register(handle, Storage.of(new LocalShard[] {shard}));
        registration.release();
        registration.release();
        assertThat(session.memoryStats(device).liveBlocks()).isZero();
        for (int i = 0; i < 100; i++) {
            handles.add(handle(session, device, 100));
            handles.getLast().shard().operand();
        }
        assertThat(session.memoryStats(device).liveBlocks()).isEqualTo(100);
        session.close();
        assertThat(session.memoryStats(device)).satisfies(stats -> {
            assertThat(stats.liveBlocks()).isZero();
            assertThat(stats.reservedBytes()).isZero();
        });
        assertThatThrownBy(() -> handles.getFirst().shard().operand()).isInstanceOf(DTorchError.class);
    }

    @Test
    void storageReleasesEachBufferOnceAndCountsVersions() {
        try (Session session = limited(64 * MIB)) {
            Device device = Work.cpu(session, 0);
            LocalShard a = Work.number(device);
            LocalShard b = Work.number(device);
            Work.set(a, 1);
            Work.set(b, 2);
            LocalShard[] positions = new LocalShard[40];
            for (int p = 0; p < positions.length; p++) {
                positions[p] = p % 3 == 0 ? null : p % 3 == 1 ? a : b;
            }
            Storage storage = Storage.of(positions);
            storage.bumpVersion();
            assertThat(storage.version()).isEqualTo(1);
            storage.retain();
            storage.release();
            assertThat(session.memoryStats(device).liveBlocks()).isEqualTo(2);
            storage.release();
            assertThat(session.memoryStats(device).liveBlocks()).isZero();
            assertThatThrownBy(storage::release).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(storage::retain).isInstanceOf(IllegalStateException.class);
        }
    }
}
