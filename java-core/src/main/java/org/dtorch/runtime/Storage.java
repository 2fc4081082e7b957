package org.dtorch.runtime;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The identity that a tensor shares with its views: one buffer for each mesh position, a version, and a count of
 * references.
 *
 * <p>Positions whose devices share a memory may have the same buffer; a position that this process cannot address has null.
 * A storage is born with one reference, and with the last it releases each of its buffers once.
 */
public final class Storage {
    private static final int FEW = 16;

    private final Buffer[] buffers;
    private final AtomicInteger references = new AtomicInteger(1);
    private final AtomicLong version = new AtomicLong();

    /** Takes over the array, and one reference of each different buffer in it. */
    public Storage(Buffer[] buffers) {
        this.buffers = buffers;
    }

    /** The storage of a new tensor; takes over one reference of each different buffer of {@code shards}. */
    public static Storage of(LocalShard[] shards) {
        Buffer[] buffers = new Buffer[shards.length];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = shards[i] == null ? null : shards[i].buffer();
        }
        return new Storage(buffers);
    }

    /** The number of mesh positions. */
    public int positions() {
        return buffers.length;
    }

    /** The buffer at {@code position}; null where this process cannot address it. */
    public Buffer buffer(int position) {
        return buffers[position];
    }

    /** Puts {@code buffer}, whose reference is taken over, in place of the one at {@code position}; on the script's thread. */
    public void replace(int position, Buffer buffer) {
        Buffer before = buffers[position];
        buffers[position] = buffer;
        for (Buffer other : buffers) {
            if (other == before) {
                return;
            }
        }
        if (before != null) {
            before.release();
        }
    }

    /** How often an in-place operator has written it. */
    public long version() {
        return version.get();
    }

    public void bumpVersion() {
        version.incrementAndGet();
    }

    /** Adds a reference to a storage that has one. */
    public void retain() {
        if (references.getAndIncrement() <= 0) {
            references.decrementAndGet();
            throw new IllegalStateException("storage was released");
        }
    }

    /** Takes a reference away; with the last one the buffers are released. */
    public void release() {
        int left = references.decrementAndGet();
        if (left < 0) {
            references.incrementAndGet();
            throw new IllegalStateException("storage was released twice");
        }
        if (left == 0) {
            releaseBuffers();
        }
    }

    public boolean isReleased() {
        return references.get() <= 0;
    }

    private void releaseBuffers() {
        if (buffers.length <= FEW) {
            for (int i = 0; i < buffers.length; i++) {
                if (buffers[i] != null && isFirst(i)) {
                    buffers[i].release();
                }
            }
            return;
        }
        Set<Buffer> different = Collections.newSetFromMap(new IdentityHashMap<>(buffers.length));
        for (Buffer buffer : buffers) {
            if (buffer != null && different.add(buffer)) {
                buffer.release();
            }
        }
    }

    private boolean isFirst(int position) {
        for (int i = 0; i < position; i++) {
            if (buffers[i] == buffers[position]) {
                return false;
            }
        }
        return true;
    }
}
