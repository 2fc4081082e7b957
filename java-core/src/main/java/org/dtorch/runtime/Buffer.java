package org.dtorch.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.dtorch.backend.Memory;
import org.dtorch.values.DTorchError;

/**
 * Bytes on one device, or one copy of them for several devices that share a memory; counted by reference.
 *
 * <p>It is born with one reference. Its memory is allocated when an instruction that uses it first asks for it, and goes
 * back to the device when the last reference is released. The contents are undefined until written.
 */
public final class Buffer {
    private static final VarHandle REFERENCES;
    private static final VarHandle LAST_WRITER;
    private static final int FEW_READERS = 8;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            REFERENCES = lookup.findVarHandle(Buffer.class, "references", int.class);
            LAST_WRITER = lookup.findVarHandle(Buffer.class, "lastWriter", Ticket.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Device device;
    private final Device[] sharers;
    private final long bytes;

    private volatile int references = 1;
    private volatile Block block;
    private volatile Failure failure;

    /** The last unfinished writer, or null; changed under the session's order lock, cleared by the writer itself. */
    private volatile Ticket lastWriter;

    /** Readers since the last writer, finished ones among them; guarded by the session's order lock. */
    private Ticket[] readers;

    private int readerCount;

    private Buffer(Device device, Device[] sharers, long bytes) {
        if (bytes < 0) {
            throw DTorchError.value("a buffer of %d bytes", bytes);
        }
        this.device = device;
        this.sharers = sharers;
        this.bytes = bytes;
    }

    /** A new buffer on {@code device}. */
    public static Buffer on(Device device, long bytes) {
        return new Buffer(device, device.alone(), bytes);
    }

    /**
     * A new buffer in the memory of the first of {@code devices} that stands for equal ones on all of them; each device's
     * statistics count it in full.
     *
     * @throws DTorchError of kind RUNTIME where the session does not share replicas
     */
    public static Buffer sharedBy(Device[] devices, long bytes) {
        if (devices.length > 1 && !devices[0].session().sharesReplicas()) {
            throw DTorchError.runtime("devices %s do not share memory", Arrays.toString(devices));
        }
        return new Buffer(devices[0], devices, bytes);
    }

    /** The device in whose memory it lies. */
    public Device device() {
        return device;
    }

    public long bytes() {
        return bytes;
    }

    /** Whether it stands for the buffers of several devices. */
    public boolean isShared() {
        return sharers.length > 1;
    }

    /**
     * Adds a reference.
     *
     * @throws DTorchError of kind RUNTIME when the last one is already gone
     */
    public void retain() {
        if ((int) REFERENCES.getAndAdd(this, 1) <= 0) {
            REFERENCES.getAndAdd(this, -1);
            throw released();
        }
    }

    /** Takes a reference away; with the last one the memory goes back to the device. */
    public void release() {
        int before = (int) REFERENCES.getAndAdd(this, -1);
        if (before == 1) {
            Block mine = block;
            if (mine != null) {
                block = null;
                device.allocator().free(mine, sharers, bytes);
            }
        } else if (before <= 0) {
            REFERENCES.getAndAdd(this, 1);
            throw released();
        }
    }

    /**
     * The memory, allocated now if need be. Legal in an instruction that names this buffer, and after an await.
     *
     * @throws DTorchError of kind OUT_OF_MEMORY, or RUNTIME when the buffer was released or, in isolation mode, belongs to
     *     another device than the running instruction
     */
    public Memory memory() {
        if (device.session().isIsolated()) {
            device.session().checkMayTouch(this);
        }
        Block mine = block;
        return mine != null ? mine.memory(bytes) : allocate();
    }

    private synchronized Memory allocate() {
        if (references <= 0) {
            throw released();
        }
        if (block == null) {
            block = device.allocator().allocate(bytes, sharers);
        }
        return block.memory(bytes);
    }

    /**
     * Waits until the last submitted writer has finished.
     *
     * @throws DTorchError the failure of whatever should have written it, with operator, operands and script line
     * @throws AwaitInterruptedException when the thread is interrupted
     */
    public void await() {
        Ticket writer = lastWriter;
        if (writer != null) {
            writer.await();
        }
        Failure failed = failure;
        if (failed != null) {
            device.session().reported(failed);
            throw failed.error();
        }
    }

    /** Whether no submitted writer is unfinished; a failed one has finished. */
    public boolean isReady() {
        Ticket writer = lastWriter;
        return writer == null || writer.isFinished();
    }

    Failure failure() {
        return failure;
    }

    /** Sets or, with null, clears the failure. */
    void fail(Failure failed) {
        failure = failed;
    }

    /** {@code reader} comes after the last writer. Called under the session's order lock. */
    void linkReader(Ticket reader) {
        reader.follow(lastWriter);
        if (readers == null) {
            readers = new Ticket[2];
        } else if (readerCount == readers.length) {
            dropFinishedReaders();
        }
        readers[readerCount++] = reader;
    }

    /** {@code writer} comes after the last writer and its readers. Called under the session's order lock. */
    void linkWriter(Ticket writer) {
        writer.follow(lastWriter);
        for (int i = 0; i < readerCount; i++) {
            writer.follow(readers[i]);
        }
        readers = null;
        readerCount = 0;
        lastWriter = writer;
    }

    private void dropFinishedReaders() {
        int kept = 0;
        for (int i = 0; i < readerCount; i++) {
            if (!readers[i].isFinished()) {
                readers[kept++] = readers[i];
            }
        }
        readers = Arrays.copyOf(readers, Math.max(FEW_READERS, 2 * kept));
        Arrays.fill(readers, kept, Math.min(readerCount, readers.length), null);
        readerCount = kept;
    }

    void finished(Ticket writer) {
        LAST_WRITER.compareAndSet(this, writer, null);
    }

    private DTorchError released() {
        return DTorchError.runtime("the memory of this tensor (%d bytes on %s) was released", bytes, device);
    }

    @Override
    public String toString() {
        return bytes + " bytes on " + device;
    }
}
