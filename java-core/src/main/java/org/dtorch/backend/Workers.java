package org.dtorch.backend;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Worker threads, as many as the machine has cores; they run device queues and help kernels with large loops.
 *
 * <p>The process has one shared instance, because cores are a resource of the machine. All threads are daemons.
 */
public final class Workers {
    /** The body of a parallel loop. */
    @FunctionalInterface
    public interface RangeBody {
        /** Handles the indices from {@code from} (inclusive) to {@code to} (exclusive). */
        void run(long from, long to);
    }

    /*
     * Tasks wait in one queue that any worker polls. A worker that finds it empty looks again for some microseconds, then
     * marks itself parked, looks once more (so that no task is missed) and sleeps. execute() adds first and looks for a
     * parked worker second.
     *
     * A loop is a job with a shared counter of chunks. The caller enqueues the job once per idle worker and takes chunks
     * itself; it waits only for helpers that have begun, so a helper that never gets a thread delays nobody.
     */

    /** Looks at an empty queue before a worker sleeps; some 10 microseconds, about what waking it would cost. */
    private static final int LOOKS_BEFORE_PARKING = 200;
    /** Chunks per thread of a loop, so that a late helper still finds some. */
    private static final int CHUNKS_PER_THREAD = 4;

    private static final ThreadLocal<Boolean> INSIDE_LOOP = new ThreadLocal<>();

    private static final class Shared {
        static final Workers INSTANCE = new Workers(Runtime.getRuntime().availableProcessors());
    }

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Worker[] threads;
    private final AtomicInteger parked = new AtomicInteger();
    private final AtomicInteger busy = new AtomicInteger();

    /** Starts {@code count} threads. */
    Workers(int count) {
        threads = new Worker[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Worker(i);
        }
        for (Worker thread : threads) {
            thread.start();
        }
    }

    /** The workers of this process. */
    public static Workers shared() {
        return Shared.INSTANCE;
    }

    public int count() {
        return threads.length;
    }

    /** Whether the calling thread is a worker, which must not wait for other tasks. */
    public static boolean onWorker() {
        return Thread.currentThread() instanceof Worker;
    }

    /** Runs {@code task} on some worker, tasks in the order given; what it throws goes to the thread's handler. */
    public void execute(Runnable task) {
        tasks.add(task);
        wakeOne();
    }

    /**
     * Runs {@code body} over [0, n) in chunks of at least {@code grain}, on this thread and on workers that are idle; returns
     * when all is done. A loop inside a loop, and one of at most {@code grain}, runs here as one chunk.
     *
     * <p>The first exception of {@code body} is thrown to the caller; chunks not yet begun are then left out.
     */
    public void forRange(long n, long grain, RangeBody body) {
        if (n <= grain) {
            if (n > 0) {
                body.run(0, n);
            }
            return;
        }
        splitRange(n, Math.max(grain, 1), body);
    }

    private void splitRange(long n, long grain, RangeBody body) {
        if (INSIDE_LOOP.get() != null) {
            body.run(0, n);
            return;
        }
        boolean onWorker = onWorker();
        int working = onWorker ? busy.get() : busy.incrementAndGet();
        INSIDE_LOOP.set(Boolean.TRUE);
        try {
            int helpers = (int) Math.min((n + grain - 1) / grain - 1, threads.length - working);
            if (helpers <= 0) {
                body.run(0, n);
                return;
            }
            Loop loop = new Loop(n, Math.max(grain, n / ((helpers + 1L) * CHUNKS_PER_THREAD) + 1), body);
            for (int i = 0; i < helpers; i++) {
                execute(loop);
            }
            loop.takeChunks();
            loop.awaitHelpers();
        } finally {
            INSIDE_LOOP.remove();
            if (!onWorker) {
                busy.decrementAndGet();
            }
        }
    }

    private void wakeOne() {
        if (parked.get() == 0) {
            return;
        }
        for (Worker thread : threads) {
            if (thread.isParked.compareAndSet(1, 0)) {
                parked.decrementAndGet();
                LockSupport.unpark(thread);
                return;
            }
        }
    }

    /** One parallel loop; run by each helper. */
    private static final class Loop implements Runnable {
        private final long n;
        private final long chunk;
        private final RangeBody body;
        private final Thread caller = Thread.currentThread();
        private final AtomicLong next = new AtomicLong();
        private final AtomicInteger helping = new AtomicInteger();
        private volatile Throwable failure;

        Loop(long n, long chunk, RangeBody body) {
            this.n = n;
            this.chunk = chunk;
            this.body = body;
        }

        @Override
        public void run() {
            helping.incrementAndGet();
            INSIDE_LOOP.set(Boolean.TRUE);
            try {
                takeChunks();
            } finally {
                INSIDE_LOOP.remove();
                if (helping.decrementAndGet() == 0) {
                    LockSupport.unpark(caller);
                }
            }
        }

        void takeChunks() {
            try {
                long from = next.getAndAdd(chunk);
                while (from < n) {
                    body.run(from, Math.min(from + chunk, n));
                    from = next.getAndAdd(chunk);
                }
            } catch (Throwable thrown) { // handed to the caller by awaitHelpers
                next.set(n);
                failure = thrown;
            }
        }

        void awaitHelpers() {
            boolean interrupted = false;
            for (int looks = 0; helping.get() > 0; looks++) {
                if (looks < LOOKS_BEFORE_PARKING) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.park(this);
                    interrupted |= Thread.interrupted();
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            switch (failure) {
                case null -> {}
                case Error error -> throw error;
                case RuntimeException exception -> throw exception;
                default -> throw new IllegalStateException(failure);
            }
        }
    }

    private final class Worker extends Thread {
        final AtomicInteger isParked = new AtomicInteger();

        Worker(int index) {
            super("dtorch-worker-" + index);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                Runnable task = nextTask();
                busy.incrementAndGet();
                try {
                    task.run();
                } catch (Throwable thrown) { // tasks report their own failures; this is a fault of the task
                    getUncaughtExceptionHandler().uncaughtException(this, thrown);
                } finally {
                    busy.decrementAndGet();
                }
            }
        }

        private Runnable nextTask() {
            while (true) {
                for (int looks = 0; looks < LOOKS_BEFORE_PARKING; looks++) {
                    Runnable task = tasks.poll();
                    if (task != null) {
                        return task;
                    }
                    Thread.onSpinWait();
                }
                isParked.set(1);
                parked.incrementAndGet();
                if (!tasks.isEmpty() && isParked.compareAndSet(1, 0)) {
                    parked.decrementAndGet();
                    continue;
                }
                while (isParked.get() == 1) {
                    LockSupport.park(Workers.this);
                    Thread.interrupted(); // nobody may stop a shared worker
                }
            }
        }
    }
}
