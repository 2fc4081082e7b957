package org.dtorch.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTest {
    private final Session session = Session.open(Settings.defaults());
    private final LocalShard a = Work.number(Work.cpu(session, 0));
    private final LocalShard b = Work.number(Work.cpu(session, 0));

    @AfterEach
    void close() {
        session.close();
    }

    private void fail(long costNanos) {
        Origin origin = new Origin() {
            @Override
            public String operator() {
                return "index_select";
            }

            @Override
            public String description() {
                return "index_select(float32[4] [S(0)], 0, int64[1] [R])";
            }

            @Override
            public String scriptLine() {
                return "model.py:12";
            }
        };
        session.submit(new Instruction(new Device[] {a.device()}, origin, Work.shards(), Work.shards(a)) {
            @Override
            protected void execute() {
                throw DTorchError.index("index 9 is out of range");
            }

            @Override
            protected long costNanos() {
                return costNanos;
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Work.LARGE})
    void surfacesAtTheAwaitWithItsOrigin(long cost) {
        fail(cost);
        DTorchError error = catchThrowableOfType(DTorchError.class, () -> session.await(a));
        assertThat(error.kind()).isEqualTo(DTorchError.Kind.INDEX);
        assertThat(error)
                .hasMessage("index_select: index 9 is out of range\n"
                        + "  in index_select(float32[4] [S(0)], 0, int64[1] [R])\n  at model.py:12");
        session.sync(); // it was shown, and is no longer news
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Work.LARGE})
    void poisonsWhatDependsOnIt(long cost) {
        fail(cost);
        AtomicBoolean ran = new AtomicBoolean();
        Work.submit(session, Work.shards(a), b, cost, () -> ran.set(true));
        assertThatThrownBy(() -> session.await(b)).hasMessageContaining("model.py:12");
        assertThat(ran).isFalse();
    }

    @Test
    void aWholeNewValueHealsTheBuffer() {
        fail(0);
        Work.submit(session, Work.shards(), a, 0, () -> Work.set(a, 7));
        session.await(a);
        assertThat(Work.get(a)).isEqualTo(7);
        assertThatThrownBy(session::sync).hasMessageContaining("index 9"); // nobody has seen it yet
        session.sync();
    }

    @Test
    void otherThingsThanDTorchErrorsAreRuntimeErrors() {
        Work.submit(session, Work.shards(), a, Work.LARGE, () -> {
            throw new StackOverflowError("deep");
        });
        DTorchError error = catchThrowableOfType(DTorchError.class, () -> session.await(a));
        assertThat(error.kind()).isEqualTo(DTorchError.Kind.RUNTIME);
        assertThat(error).hasMessageContaining("work: java.lang.StackOverflowError: deep");
    }

    @Test
    void completionTellsValueAndFailure() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Work.submit(session, Work.shards(), b, Work.LARGE, () -> {
            gate.await();
            Work.set(b, 3);
        });
        CompletableFuture<Void> value = session.completion(b);
        assertThat(session.isReady(b)).isFalse();
        assertThat(value).isNotDone();
        gate.countDown();
        value.get();
        assertThat(Work.get(b)).isEqualTo(3);
        fail(Work.LARGE);
        CompletableFuture<Void> failure = session.completion(b, a);
        assertThatThrownBy(failure::get)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("index 9 is out of range");
    }

    @Test
    void interruptEndsTheAwaitOnly() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Work.submit(session, Work.shards(), a, Work.LARGE, () -> {
            begun.countDown();
            gate.await();
            Work.set(a, 5);
        });
        begun.await();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                session.await(a);
            } catch (AwaitInterruptedException e) {
                thrown.set(e);
            }
        });
        waiting.interrupt();
        waiting.join();
        assertThat(thrown.get()).isInstanceOf(AwaitInterruptedException.class);
        gate.countDown();
        session.await(a);
        assertThat(Work.get(a)).isEqualTo(5);
    }

    @Test
    void whoAwaitsIsAskedAgainAndAgain() {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Work.submit(session, Work.shards(), a, Work.LARGE, () -> {
            begun.countDown();
            gate.await();
        });
        awaitLatch(begun);
        AtomicInteger asked = new AtomicInteger();
        session.whileAwaiting(() -> {
            if (asked.incrementAndGet() == 3) {
                throw new IllegalStateException("KeyboardInterrupt");
            }
        });
        assertThatThrownBy(() -> session.await(a)).hasMessage("KeyboardInterrupt");
        session.whileAwaiting(() -> {});
        gate.countDown();
        session.await(a);
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aClosedSessionRefuses() {
        session.close();
        assertThatThrownBy(() -> Work.submit(session, Work.shards(), a, 0, () -> {}))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("closed");
        session.close();
    }
}
