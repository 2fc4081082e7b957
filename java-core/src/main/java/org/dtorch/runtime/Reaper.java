package org.dtorch.runtime;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.dtorch.values.DTorchError;

/** Releases the storage of handles that the garbage collector found unreachable. */
public final class Reaper implements AutoCloseable {
    /*
     * A registration must be reachable until its handle is not, so each hangs in a ring of registrations. There are several
     * rings, chosen by thread, each with its own lock, so that threads that create handles do not meet.
     *
     * A thread releases what the collector enqueues. Who needs memory now does not wait for that: it looks through the
     * rings for handles that the collection has cleared.
     */
    private static final int RINGS = 16;
    private static final int GARBAGE = 64 << 10;
    private static final long MOST_GARBAGE = 512L << 20;

    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    private final Registration[] rings = new Registration[RINGS];
    private final AtomicBoolean collecting = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean closed;

    /** Written so that the compiler does not leave the garbage out. */
    private volatile byte[] garbage;

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

    /**
     * Lets the collector look at young objects and releases the storage of handles that it found unreachable. There is no
     * call for that, so this makes garbage until a collection comes.
     *
     * @return false if it gave up, because the heap has room for so much garbage that collecting all of it is cheaper
     */
    boolean collectYoung() {
        WeakReference<Object> sentinel = new WeakReference<>(new Object());
        for (long made = 0; made < MOST_GARBAGE && !sentinel.refersTo(null); made += GARBAGE) {
            garbage = new byte[GARBAGE];
        }
        garbage = null;
        sweep();
        return sentinel.refersTo(null);
    }

    /** Collects all garbage and releases the storage of unreachable handles; true. */
    boolean collect() {
        System.gc();
        sweep();
        return true;
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

    private void sweep() {
        List<Registration> cleared = new ArrayList<>();
        for (Registration ring : rings) {
            synchronized (ring) {
                for (Registration each = ring.next; each != ring; each = each.next) {
                    if (each.refersTo(null)) {
                        cleared.add(each);
                    }
                }
            }
        }
        cleared.forEach(Registration::release);
    }

    private void reap() {
        while (!closed) {
            try {
                ((Registration) queue.remove()).release();
            } catch (InterruptedException e) {
                // closed, or nobody's business: the loop looks
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
