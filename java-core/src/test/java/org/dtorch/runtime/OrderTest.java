package org.dtorch.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Workers;
import org.dtorch.comm.InMemoryCommunicator;
import org.dtorch.mesh.DeviceType;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the workers do, results are those of running the instructions one after the other. */
class OrderTest {
    private static final long PRIME = 1_000_003;

    /** Starts tasks in an order of its own. */
    private static final class Shuffling implements Executor {
        private final List<Runnable> waiting = new ArrayList<>();
        private final Random random;

        Shuffling(long seed) {
            random = new Random(seed);
        }

        @Override
        public synchronized void execute(Runnable task) {
            waiting.add(task);
            Workers.shared().execute(() -> {
                if (random.nextInt(4) == 0) {
                    Thread.yield();
                }
                Runnable chosen;
                synchronized (this) {
                    chosen = waiting.remove(random.nextInt(waiting.size()));
                }
                chosen.run();
            });
        }
    }

    private static Session shuffled(Settings settings, long seed) {
        List<Backend> backends = ServiceLoader.load(Backend.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        return new Session(
                settings,
                backends,
                new InMemoryCommunicator(new org.dtorch.backend.cpu.CpuBackend()),
                new Shuffling(seed));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void randomGraphsEqualSequentialExecution(long seed) {
        Random random = new Random(seed);
        int devices = 1 + random.nextInt(6);
        try (Session session = shuffled(Settings.defaults().withIsolate(random.nextBoolean()), seed)) {
            LocalShard[][] shards = new LocalShard[devices][3];
            long[][] expected = new long[devices][3];
            for (int d = 0; d < devices; d++) {
                for (int b = 0; b < 3; b++) {
                    shards[d][b] = Work.number(Work.cpu(session, d));
                    LocalShard shard = shards[d][b];
                    Work.submit(session, Work.shards(), shard, Work.LARGE, () -> Work.set(shard, 0));
                }
            }
            for (int i = 1; i <= 2_000; i++) {
                long cost = random.nextInt(3) == 0 ? 0 : Work.LARGE;
                if (random.nextInt(5) == 0) {
                    collective(session, random, shards, expected, i, cost);
                } else {
                    kernel(session, random, shards, expected, i, cost);
                }
                if (random.nextInt(200) == 0) {
                    LocalShard some = shards[random.nextInt(devices)][random.nextInt(3)];
                    session.await(some);
                }
            }
            session.sync();
            for (int d = 0; d < devices; d++) {
                for (int b = 0; b < 3; b++) {
                    assertThat(Work.get(shards[d][b])).as("seed %d", seed).isEqualTo(expected[d][b]);
                    shards[d][b].buffer().release();
                }
                assertThat(session.memoryStats(Work.cpu(session, d)).allocatedBytes())
                        .isZero();
            }
        }
    }

    private static void kernel(
            Session session, Random random, LocalShard[][] shards, long[][] expected, int i, long cost) {
        int d = random.nextInt(shards.length);
        int from = random.nextInt(3);
        int to = random.nextInt(3);
        LocalShard in = shards[d][from];
        LocalShard out = shards[d][to];
        expected[d][to] = expected[d][from] * PRIME + expected[d][to] + i;
        int pause = random.nextInt(20);
        Work.submit(session, Work.shards(in, out), out, cost, () -> {
            long value = Work.get(in) * PRIME + Work.get(out) + i;
            pause(pause);
            Work.set(out, value);
        });
    }

    /** Every member of a random group gets the sum of one buffer of each. */
    private static void collective(
            Session session, Random random, LocalShard[][] shards, long[][] expected, int i, long cost) {
        List<Integer> members = new ArrayList<>();
        for (int d = 0; d < shards.length; d++) {
            if (random.nextBoolean()) {
                members.add(d);
            }
        }
        if (members.isEmpty()) {
            return;
        }
        int b = random.nextInt(3);
        LocalShard[] part = members.stream().map(d -> shards[d][b]).toArray(LocalShard[]::new);
        Device[] group = Arrays.stream(part).map(LocalShard::device).toArray(Device[]::new);
        long sum = i;
        for (int d : members) {
            sum += expected[d][b];
        }
        for (int d : members) {
            expected[d][b] = sum;
        }
        session.submit(new Work(group, "sum", part, part, cost, () -> {
            long total = i;
            for (LocalShard shard : part) {
                total += Work.get(shard);
            }
            for (LocalShard shard : part) {
                Work.set(shard, total);
            }
        }));
    }

    private static void pause(int kind) {
        if (kind == 0) {
            Thread.yield();
        } else if (kind < 4) {
            for (int i = 0; i < 1000; i++) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void replicasInOneBufferAreOrderedAcrossDevices() {
        try (Session session = Session.open(Settings.defaults())) {
            Device[] both = {Work.cpu(session, 0), Work.cpu(session, 1)};
            LocalShard shared = LocalShard.allocateShared(both, DType.INT64, 1);
            Work.submit(session, Work.shards(), shared, Work.LARGE, () -> Work.set(shared, 0));
            long[] seen = new long[500];
            for (int i = 0; i < 500; i++) {
                int at = i;
                LocalShard reader = Work.number(both[1]);
                Work.submit(session, Work.shards(shared), reader, Work.LARGE, () -> seen[at] = Work.get(shared));
                Work.submit(session, Work.shards(shared), shared, Work.LARGE, () -> Work.set(shared, at + 1));
                reader.buffer().release();
            }
            session.sync();
            for (int i = 0; i < 500; i++) {
                assertThat(seen[i]).isEqualTo(i);
            }
        }
    }

    @Test
    void aThousandDevicesNeedNoThousandThreads() {
        try (Session session = Session.open(Settings.defaults())) {
            Device[] all = new Device[1024];
            LocalShard[] shards = new LocalShard[all.length];
            for (int d = 0; d < all.length; d++) {
                all[d] = session.device(DeviceType.CUDA, d);
                shards[d] = Work.number(all[d]);
                LocalShard mine = shards[d];
                int value = d;
                Work.submit(session, Work.shards(), mine, Work.LARGE, () -> Work.set(mine, value));
            }
            for (int round = 0; round < 3; round++) {
                session.submit(new Work(all, "sum", shards, shards, Work.LARGE, () -> {
                    long total = Arrays.stream(shards).mapToLong(Work::get).sum();
                    Arrays.stream(shards).forEach(shard -> Work.set(shard, total));
                }));
                for (LocalShard shard : shards) {
                    Work.submit(
                            session, Work.shards(shard), shard, Work.LARGE, () -> Work.set(shard, Work.get(shard) % 7));
                }
            }
            session.await(shards);
            long value = 1023 * 1024 / 2 % 7;
            for (int round = 0; round < 2; round++) {
                value = value * 1024 % 7;
            }
            for (LocalShard shard : shards) {
                assertThat(Work.get(shard)).isEqualTo(value);
            }
            assertThat(Thread.activeCount()).isLessThan(200);
        }
    }

    @Test
    void eightThreadsSubmitAtOnce() throws InterruptedException {
        try (Session session = Session.open(Settings.defaults())) {
            AtomicReference<Throwable> problem = new AtomicReference<>();
            AtomicInteger sums = new AtomicInteger();
            Device[] group = {Work.cpu(session, 0), Work.cpu(session, 1), Work.cpu(session, 2)};
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                Random random = new Random(t);
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        oneThread(session, group, random, sums);
                    } catch (Throwable thrown) {
                        problem.set(thrown);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(problem.get()).isNull();
            session.sync();
            assertThat(sums.get()).isEqualTo(8 * 300);
        }
    }

    /** Collectives over the group in two orders of its members: crosswise linking would never end. */
    private static void oneThread(Session session, Device[] group, Random random, AtomicInteger sums) {
        Device[] reverse = {group[2], group[1], group[0]};
        LocalShard[] mine = Arrays.stream(group).map(Work::number).toArray(LocalShard[]::new);
        for (LocalShard shard : mine) {
            Work.submit(session, Work.shards(), shard, 0, () -> Work.set(shard, 0));
        }
        for (int i = 0; i < 300; i++) {
            session.submit(new Work(
                    random.nextBoolean() ? group : reverse,
                    "add",
                    mine,
                    mine,
                    random.nextBoolean() ? 0 : Work.LARGE,
                    () -> {
                        for (LocalShard shard : mine) {
                            Work.set(shard, Work.get(shard) + 1);
                        }
                        sums.incrementAndGet();
                    }));
        }
        session.await(mine);
        for (LocalShard shard : mine) {
            assertThat(Work.get(shard)).isEqualTo(300);
        }
    }

    @Test
    void theQueueIsBounded() {
        try (Session session = Session.open(Settings.defaults())) {
            LocalShard counter = Work.number(Work.cpu(session, 0));
            Work.submit(session, Work.shards(), counter, 0, () -> Work.set(counter, 0));
            for (int i = 0; i < 20_000; i++) {
                Work.submit(
                        session,
                        Work.shards(counter),
                        counter,
                        Work.LARGE,
                        () -> Work.set(counter, Work.get(counter) + 1));
            }
            session.await(counter);
            assertThat(Work.get(counter)).isEqualTo(20_000);
        }
    }
}
