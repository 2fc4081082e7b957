package org.dtorch.backend;

import java.lang.foreign.MemorySegment;

/**
 * One block of a device's memory. On a CPU the segment is readable; on a GPU it carries the device address only and throws
 * an IllegalStateException when the host reads or writes it.
 *
 * @param segment the block, 64-byte aligned
 * @param device the id of the device that owns it
 */
public record Memory(MemorySegment segment, int device) {
    /** The size in bytes. */
    public long bytes() {
        return segment.byteSize();
    }
}
