package org.dtorch.backend.cpu.simd;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Runs vector loops on its own thread until they are compiled.
 *
 * <p>Before that a vector operation costs about a microsecond, a hundred times what the plain loop needs, so the kernels use
 * the plain loops meanwhile. Both give the same bits, so nobody can tell when the change happens. See {@code
 * docs/decisions/0030-kernels-on-the-cpu.md}.
 */
final class WarmUp {
    /** A compiled loop over one block takes less, an interpreted one at least ten times more. */
    private static final long COMPILED_NANOS = 8_000;

    /** Where neither loop gets that fast, the vector one only has to catch up with the plain one. */
    private static final int CALLS_TO_CATCH_UP = 2_000;

    private static final long GIVE_UP_NANOS = 30_000_000_000L;

    private static final BlockingQueue<Task> TASKS = new LinkedBlockingQueue<>();

    static {
        Thread thread = new Thread(WarmUp::work, "dtorch-kernel-warm-up");
        thread.setDaemon(true);
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.start();
    }

    private WarmUp() {}

    /** Two loops that compute the same, and what is told when the second one is fast. */
    private record Task(Runnable plain, Runnable vector, Runnable whenFast) {}

    /** Calls {@code whenFast} some time later, from the warm-up thread. */
    static void request(Runnable plain, Runnable vector, Runnable whenFast) {
        TASKS.add(new Task(plain, vector, whenFast));
    }

    private static void work() {
        while (true) {
            try {
                warm(TASKS.take());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void warm(Task task) {
        long begin = System.nanoTime();
        long bestVector = Long.MAX_VALUE;
        long bestPlain = Long.MAX_VALUE;
        int calls = 0;
        long now = begin;
        do {
            task.vector.run();
            long afterVector = System.nanoTime();
            bestVector = Math.min(bestVector, afterVector - now);
            now = afterVector;
            if (calls++ >= CALLS_TO_CATCH_UP) {
                task.plain.run();
                long afterPlain = System.nanoTime();
                bestPlain = Math.min(bestPlain, afterPlain - now);
                now = afterPlain;
            }
            if (bestVector <= COMPILED_NANOS || (bestPlain != Long.MAX_VALUE && bestVector <= bestPlain)) {
                task.whenFast.run();
                return;
            }
        } while (now - begin < GIVE_UP_NANOS);
    }
}
