package org.dtorch.backend.cpu.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Short-lived native memory of one thread, small enough to stay in its first cache. */
public final class Scratch {
    /** The bytes of one slot: 1024 float32 or 512 float64 elements. */
    public static final int SLOT_BYTES = 4096;

    private static final ThreadLocal<Scratch> LOCAL = ThreadLocal.withInitial(Scratch::new);
    private static final int ALIGNMENT = 64;

    private MemorySegment segment = MemorySegment.NULL;

    private Scratch() {}

    /**
     * The address of {@code slots} slots of {@link #SLOT_BYTES} each, 64-byte aligned. They are the caller's until the
     * same thread asks again.
     */
    public static long slots(int slots) {
        Scratch scratch = LOCAL.get();
        long bytes = (long) slots * SLOT_BYTES;
        if (scratch.segment.byteSize() < bytes) {
            scratch.segment = Arena.ofAuto().allocate(bytes, ALIGNMENT);
        }
        return scratch.segment.address();
    }
}
