package org.dtorch.runtime;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.dtorch.values.DTorchError;

/** Releases the storage of handles that the garbage collector found unreachable. */
public final class Reaper implements AutoCloseable {
    /*
     * A registration must be reachable until its handle is not, so each hangs in a ring of registrations. There are several
     * rings, chosen by thread, each with its own lock, so that threads that create handles do not meet.
     */
    private static final int RINGS = 16;
    private static final long SENTINEL_MILLIS = 2_000;
    private static final long QUIET_NANOS = 200_000;
    private static final int MOST_QUIET_LOOKS = 100;

    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final Registration[] rings = new Registration[RINGS];
    private final AtomicBoolean collecting = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean closed;
    private volatile long reaped;

    Reaper(String name) {
        for (int i = 0; i < RINGS; i++) {
            rings[i] = new Registration(this);
        }
        thread = Thread.ofPlatform().daemon().name(name).start(this::reap);
    }

    /**
     * Releases one reference of {@code storage}, which the caller hands over, when {@code handle} is unreachable or the
     * session closes. The storage must not refer to the handle.
     */
    public Registration register(Object handle, Storage storage) {
        Registration ring = rings[(int) Thread.currentThread().threadId() & (RINGS - 1)];
        Registration registration = new Registration(handle, this, ring, storage);
        synchronized (ring) {
            if (!closed) {
                registration.next = ring.next;
                registration.previous = ring;
                ring.next.previous = registration;
                ring.next = registration;
                return registration;
            }
        }
        throw DTorchError.runtime("the session is closed");
    }

    /** The tie between a handle and its storage. */
    public static final class Registration extends PhantomReference<Object> {
        private final Registration ring;
        private Registration next;
        private Registration previous;
        private Storage storage;

        private Registration(Reaper reaper) {
            super(reaper, null);
            this.ring = this;
            this.next = this;
            this.previous = this;
        }

        private Registration(Object handle, Reaper reaper, Registration ring, Storage storage) {
            super(handle, reaper.queue);
            this.ring = ring;
            this.storage = storage;
        }

        /** Releases the storage now; later calls, and the collector, then do nothing. */
        public void release() {
            Storage mine;
            synchronized (ring) {
                mine = storage;
                if (mine == null) {
                    return;
                }
                storage = null;
                next.previous = previous;
                previous.next = next;
                next = null;
                previous = null;
            }
            clear();
            mine.release();
        }
    }

    /** An unreachable object that is seen in the queue once a collection has run. */
    private static final class Sentinel extends PhantomReference<Object> {
        final CountDownLatch seen = new CountDownLatch(1);

        Sentinel(ReferenceQueue<Object> queue) {
            super(new Object(), queue);
        }
    }

    /** Collects garbage and returns, when its unreachable handles are released, how many there were. */
    long collect() {
        long before = reaped;
        Sentinel sentinel = new Sentinel(queue);
        System.gc();
        try {
            if (!sentinel.seen.await(SENTINEL_MILLIS, TimeUnit.MILLISECONDS)) {
                return reaped - before;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return reaped - before;
        }
        Reference.reachabilityFence(sentinel);
        long last = -1;
        for (int looks = 0; looks < MOST_QUIET_LOOKS && last != reaped; looks++) {
            last = reaped;
            LockSupport.parkNanos(this, QUIET_NANOS);
        }
        return reaped - before;
    }

    /** Collects on another thread, unless one is at it, and then runs {@code after}. */
    void collectSoon(Runnable after) {
        if (collecting.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name(thread.getName() + "-collect").start(() -> {
                try {
                    collect();
                    after.run();
                } finally {
                    collecting.set(false);
                }
            });
        }
    }

    private void reap() {
        while (!closed) {
            try {
                switch (queue.remove()) {
                    case Registration registration -> {
                        registration.release();
                        reaped++;
                    }
                    case Sentinel sentinel -> sentinel.seen.countDown();
                    default -> throw new IllegalStateException();
                }
            } catch (InterruptedException e) {
                // closed, or a stray interrupt
            }
        }
    }

    /** Releases the storage of every handle. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        for (Registration ring : rings) {
            Registration first = first(ring);
            while (first != null) {
                first.release();
                first = first(ring);
            }
        }
    }

    private static Registration first(Registration ring) {
        synchronized (ring) {
            return ring.next == ring ? null : ring.next;
        }
    }
}
