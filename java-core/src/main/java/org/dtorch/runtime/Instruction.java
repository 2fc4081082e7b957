package org.dtorch.runtime;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.values.DTorchError;

/**
 * One piece of work on one device, or on a group of devices for a collective; given to {@link Session#submit} once.
 *
 * <p>It runs after every unfinished instruction that was submitted before it on one of its devices, that writes a buffer it
 * reads or writes, or that reads a buffer it writes. A buffer of which only a part is written counts as read too, so that
 * its earlier failure is not forgotten.
 */
public abstract class Instruction {
    private final Device[] devices;
    private final Buffer[] reads;
    private final Buffer[] writes;
    private final long costNanos;
    private final Origin origin;

    /**
     * @param devices the devices it occupies; not to be changed, like the other arrays
     * @param reads the buffers it reads; an entry may be null
     * @param writes the buffers it writes; an entry may be null
     * @param costNanos an estimate of its time on one core; small work runs on the submitting thread
     * @param origin for the text of its failure
     */
    protected Instruction(Device[] devices, Buffer[] reads, Buffer[] writes, long costNanos, Origin origin) {
        this.devices = devices;
        this.reads = reads;
        this.writes = writes;
        this.costNanos = costNanos;
        this.origin = origin;
    }

    /** An instruction on one device. */
    protected Instruction(Device device, Buffer[] reads, Buffer[] writes, long costNanos, Origin origin) {
        this(device.alone(), reads, writes, costNanos, origin);
    }

    /** Does the work; what it throws becomes the failure of the written buffers. */
    protected abstract void execute() throws Exception;

    /** Called instead of {@link #execute} when a read buffer had failed, or after it threw; buffers are already marked. */
    void failed(Failure failure) {}

    /**
     * Runs a kernel on this instruction's device.
     *
     * @throws DTorchError of kind RUNTIME in isolation mode when an operand lies in another device's arena
     */
    protected final void launch(Kernel kernel, Launch launch) {
        Device device = devices[0];
        if (device.session().isIsolated()) {
            if (devices.length != 1) {
                throw DTorchError.runtime("a kernel runs on one device, not on %d", devices.length);
            }
            check(device, launch.inputs());
            check(device, launch.outputs());
        }
        kernel.run(launch);
    }

    private void check(Device device, Operand[] operands) {
        for (Operand operand : operands) {
            if (operand != null) {
                device.checkOwns(operand, origin);
            }
        }
    }

    final Device[] devices() {
        return devices;
    }

    final Buffer[] reads() {
        return reads;
    }

    final Buffer[] writes() {
        return writes;
    }

    final long costNanos() {
        return costNanos;
    }

    final Origin origin() {
        return origin;
    }

    /** Keeps the memory of all operands until {@link #releaseBuffers}. */
    final void retainBuffers() {
        for (Buffer buffer : reads) {
            if (buffer != null) {
                buffer.retain();
            }
        }
        for (Buffer buffer : writes) {
            if (buffer != null) {
                buffer.retain();
            }
        }
    }

    final void releaseBuffers() {
        for (Buffer buffer : reads) {
            if (buffer != null) {
                buffer.release();
            }
        }
        for (Buffer buffer : writes) {
            if (buffer != null) {
                buffer.release();
            }
        }
    }

    /** Runs {@link #execute} unless an input has failed, and marks the outputs with what happened. Never throws. */
    final void perform(Session session) {
        Failure failure = inputFailure();
        boolean inherited = failure != null;
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
        for (Buffer buffer : writes) {
            if (buffer != null && buffer.failure() != failure) {
                buffer.fail(failure);
            }
        }
        if (failure != null) {
            if (!inherited) {
                session.remember(failure);
            }
            failed(failure);
        }
    }

    private Failure inputFailure() {
        for (Buffer buffer : reads) {
            if (buffer != null && buffer.failure() != null) {
                return buffer.failure();
            }
        }
        return null;
    }
}
