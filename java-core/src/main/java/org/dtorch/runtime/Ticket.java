package org.dtorch.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The place of a queued instruction in the order of its session: what it waits for and who waits for it.
 *
 * <p>Devices and buffers refer to tickets, never to instructions, and a finished ticket refers to nothing, so history is
 * not kept alive.
 */
final class Ticket implements Runnable {
    /** A dependent ticket or a waiting thread. */
    private record Link(Object waiter, Link next) {}

    private static final Link FINISHED = new Link(null, null);
    private static final long WAKE_NANOS = 50_000_000;
    private static final int LOOKS_BEFORE_PARKING = 200;
    private static final VarHandle WAITS;
    private static final VarHandle LINKS;
    private static final VarHandle CLAIMED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WAITS = lookup.findVarHandle(Ticket.class, "waits", int.class);
            LINKS = lookup.findVarHandle(Ticket.class, "links", Link.class);
            CLAIMED = lookup.findVarHandle(Ticket.class, "claimed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Session session;
    private Instruction instruction;

    /** Unfinished predecessors, plus one while the instruction is being linked. */
    private volatile int waits = 1;

    private volatile Link links;
    private volatile boolean claimed;

    Ticket(Session session, Instruction instruction) {
        this.session = session;
        this.instruction = instruction;
    }

    boolean isFinished() {
        return links == FINISHED;
    }

    /** Makes this wait for {@code predecessor} unless that has finished or is null. */
    void follow(Ticket predecessor) {
        if (predecessor == null || predecessor == this) {
            return;
        }
        WAITS.getAndAdd(this, 1);
        if (!predecessor.add(this)) {
            WAITS.getAndAdd(this, -1);
        }
    }

    /** One predecessor less; true for the last. */
    boolean arrive() {
        return (int) WAITS.getAndAdd(this, -1) == 1;
    }

    private boolean add(Object waiter) {
        while (true) {
            Link seen = links;
            if (seen == FINISHED) {
                return false;
            }
            if (LINKS.compareAndSet(this, seen, new Link(waiter, seen))) {
                return true;
            }
        }
    }

    /** Runs this, then one successor after the other that became ready by it. */
    @Override
    public void run() {
        Ticket next = this;
        while (next != null && next.claim()) {
            next = next.perform();
        }
    }

    /** Runs this alone on the calling thread, if it is ready and nobody else has begun. */
    private void runHere() {
        if (waits == 0 && claim()) {
            runClaimed();
        }
    }

    /** Runs this alone; its successors go to the workers. */
    void runReady() {
        if (claim()) {
            runClaimed();
        }
    }

    private void runClaimed() {
        Ticket next = perform();
        if (next != null) {
            session.executor().execute(next);
        }
    }

    private boolean claim() {
        return CLAIMED.compareAndSet(this, false, true);
    }

    /** The first successor that became ready; the others are handed to the workers. */
    private Ticket perform() {
        Instruction work = instruction;
        work.perform(session);
        work.unlink(this);
        work.releaseBuffers();
        instruction = null;
        Link waiting = reversed((Link) LINKS.getAndSet(this, FINISHED));
        session.finishedOne();
        Ticket next = null;
        for (Link link = waiting; link != null; link = link.next()) {
            switch (link.waiter()) {
                case Ticket successor -> {
                    if (successor.arrive()) {
                        if (next == null) {
                            next = successor;
                        } else {
                            session.executor().execute(successor);
                        }
                    }
                }
                case Thread thread -> LockSupport.unpark(thread);
                default -> throw new IllegalStateException(link.toString());
            }
        }
        return next;
    }

    /** Links are a stack; successors shall run in the order of submission. */
    private static Link reversed(Link stack) {
        Link result = null;
        for (Link link = stack; link != null; link = link.next()) {
            result = new Link(link.waiter(), result);
        }
        return result;
    }

    /**
     * Returns when this has finished; runs it on the calling thread if it could begin and has not.
     *
     * @throws AwaitInterruptedException when the thread is interrupted
     */
    void await() {
        runHere();
        for (int looks = 0; looks < LOOKS_BEFORE_PARKING; looks++) {
            if (isFinished()) {
                return;
            }
            Thread.onSpinWait();
        }
        if (!add(Thread.currentThread())) {
            return;
        }
        while (!isFinished()) {
            LockSupport.parkNanos(this, WAKE_NANOS);
            session.whileAwaiting();
        }
    }
}
