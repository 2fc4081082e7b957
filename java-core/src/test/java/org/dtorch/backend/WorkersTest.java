package org.dtorch.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkersTest {
    private static final Workers WORKERS = new Workers(4);

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "7, 1", "1000, 1", "1000, 7", "1000, 999", "1000, 1000", "100000, 64"})
    void everyIndexOnce(int n, int grain) {
        AtomicIntegerArray seen = new AtomicIntegerArray(n);
        for (int round = 0; round < 20; round++) {
            WORKERS.forRange(n, grain, (from, to) -> {
                for (long i = from; i < to; i++) {
                    seen.incrementAndGet((int) i);
                }
            });
        }
        for (int i = 0; i < n; i++) {
            assertThat(seen.get(i)).isEqualTo(20);
        }
    }

    @Test
    void smallLoopsStayOnTheCaller() {
        AtomicReference<Thread> ran = new AtomicReference<>();
        WORKERS.forRange(10, 10, (from, to) -> ran.set(Thread.currentThread()));
        assertThat(ran.get()).isSameAs(Thread.currentThread());
    }

    @Test
    void loopsInLoopsStayOnTheirThread() {
        AtomicInteger elsewhere = new AtomicInteger();
        AtomicInteger count = new AtomicInteger();
        WORKERS.forRange(64, 1, (from, to) -> {
            for (long i = from; i < to; i++) {
                Thread outer = Thread.currentThread();
                WORKERS.forRange(100, 1, (a, b) -> {
                    count.addAndGet((int) (b - a));
                    if (Thread.currentThread() != outer) {
                        elsewhere.incrementAndGet();
                    }
                });
            }
        });
        assertThat(count).hasValue(6400);
        assertThat(elsewhere).hasValue(0);
    }

    @Test
    void theFirstExceptionReachesTheCaller() {
        for (int round = 0; round < 50; round++) {
            int bad = round * 20;
            assertThatThrownBy(() -> WORKERS.forRange(1000, 1, (from, to) -> {
                        if (from <= bad && bad < to) {
                            throw new IllegalArgumentException("at " + bad);
                        }
                    }))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("at " + bad);
        }
    }

    @Test
    void tasksRunEvenIfOneThrows() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1000);
        for (int i = 0; i < 1000; i++) {
            WORKERS.execute(done::countDown);
        }
        done.await();
        assertThat(Workers.onWorker()).isFalse();
        AtomicReference<Boolean> on = new AtomicReference<>();
        CountDownLatch asked = new CountDownLatch(1);
        WORKERS.execute(() -> {
            on.set(Workers.onWorker());
            asked.countDown();
        });
        asked.await();
        assertThat(on.get()).isTrue();
    }

    @Test
    void manyCallersAtOnce() throws InterruptedException {
        AtomicInteger total = new AtomicInteger();
        Thread[] callers = new Thread[8];
        for (int t = 0; t < callers.length; t++) {
            callers[t] = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 200; i++) {
                    WORKERS.forRange(1000, 10, (from, to) -> total.addAndGet((int) (to - from)));
                }
            });
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(total).hasValue(8 * 200 * 1000);
    }
}
