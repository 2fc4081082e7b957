package org.dtorch.runtime;

/**
 * One piece of work on one device, or on a group of devices for a collective; given to {@link Session#submit} once.
 *
 * <p>It runs after every unfinished instruction that was submitted before it on one of its devices, that writes a buffer it
 * reads or writes, or that reads a buffer it writes. An instruction that writes only part of a buffer names it among its
 * inputs too, so that an earlier failure of the buffer is not forgotten.
 */
public abstract class Instruction {
    /** What any instruction costs, and what a byte of its operands adds, where the work is not known better. */
    private static final long BASE_NANOS = 300;

    private static final long BYTES_PER_NANO = 8;

    private final Device[] devices;
    private final Origin origin;
    private final LocalShard[] in;
    private final LocalShard[] out;

    /**
     * @param devices the devices it occupies; not to be changed, like the other arrays
     * @param origin for the text of its failure
     * @param in what it reads; an entry may be null
     * @param out what it writes; an entry may be null
     */
    protected Instruction(Device[] devices, Origin origin, LocalShard[] in, LocalShard[] out) {
        this.devices = devices;
        this.origin = origin;
        this.in = in;
        this.out = out;
    }

    /** An instruction on one device. */
    protected Instruction(Device device, Origin origin, LocalShard[] in, LocalShard[] out) {
        this(device.alone(), origin, in, out);
    }

    /** Does the work; what it throws becomes the failure of the written buffers. */
    protected abstract void execute() throws Exception;

    /**
     * An estimate of the time on one core; small work runs on the submitting thread. By default it follows the size of the
     * operands.
     */
    protected long costNanos() {
        long bytes = 0;
        for (LocalShard shard : in) {
            bytes += shard == null ? 0 : shard.bytes();
        }
        for (LocalShard shard : out) {
            bytes += shard == null ? 0 : shard.bytes();
        }
        return BASE_NANOS + bytes / BYTES_PER_NANO;
    }

    /** Called when it failed or an input had failed. */
    void failed(Failure failure) {}

    final Device[] devices() {
        return devices;
    }

    final LocalShard[] in() {
        return in;
    }

    final LocalShard[] out() {
        return out;
    }

    final Origin origin() {
        return origin;
    }

    /** Keeps the memory of all operands until {@link #releaseBuffers}. */
    final void retainBuffers() {
        retain(in);
        retain(out);
    }

    final void releaseBuffers() {
        release(in);
        release(out);
    }

    private static void retain(LocalShard[] shards) {
        for (LocalShard shard : shards) {
            if (shard != null) {
                shard.buffer().retain();
            }
        }
    }

    private static void release(LocalShard[] shards) {
        for (LocalShard shard : shards) {
            if (shard != null) {
                shard.buffer().release();
            }
        }
    }

    /** Puts {@code ticket} behind all that it must wait for. Called under the session's order lock. */
    final void link(Ticket ticket) {
        for (Device device : devices) {
            device.link(ticket);
        }
        for (LocalShard shard : in) {
            if (shard != null) {
                shard.buffer().linkReader(ticket);
            }
        }
        for (LocalShard shard : out) {
            if (shard != null) {
                shard.buffer().linkWriter(ticket);
            }
        }
    }

    /** Lets devices and buffers forget {@code ticket}. */
    final void unlink(Ticket ticket) {
        for (Device device : devices) {
            device.finished(ticket);
        }
        for (LocalShard shard : out) {
            if (shard != null) {
                shard.buffer().finished(ticket);
            }
        }
    }

    /** Runs {@link #execute} unless an input has failed, and marks the outputs with what happened. Never throws. */
    final void perform(Session session) {
        Failure inherited = inputFailure();
        Failure failure = inherited;
        if (failure == null) {
            try {
                if (session.isIsolated()) {
                    session.executeIsolated(this);
                } else {
                    execute();
                }
            } catch (Throwable thrown) { // poisons the results; thrown again by whoever awaits them
                failure = new Failure(thrown, origin);
            }
        }
        for (LocalShard shard : out) {
            if (shard != null && shard.buffer().failure() != failure) {
                shard.buffer().fail(failure);
            }
        }
        if (failure != null) {
            if (inherited == null) {
                session.remember(failure);
            }
            failed(failure);
        }
    }

    private Failure inputFailure() {
        for (LocalShard shard : in) {
            if (shard != null && shard.buffer().failure() != null) {
                return shard.buffer().failure();
            }
        }
        return null;
    }
}
