package org.dtorch.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The C library's heap: aligned blocks that live until they are freed. */
public final class HostMemory {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle ALIGNED_ALLOC = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("aligned_alloc"),
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle FREE = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

    private HostMemory() {}

    /** A block of uninitialised bytes at a multiple of {@code alignment}, or null when there is no memory left. */
    public static MemorySegment allocate(long bytes, long alignment) {
        long padded = Math.max(alignment, (bytes + alignment - 1) / alignment * alignment);
        try {
            MemorySegment block = (MemorySegment) ALIGNED_ALLOC.invokeExact(alignment, padded);
            return block.address() == 0 ? null : block.reinterpret(bytes);
        } catch (Throwable e) {
            throw new LinkageError("aligned_alloc", e);
        }
    }

    /** Gives back a block of {@link #allocate}. */
    public static void free(MemorySegment block) {
        try {
            FREE.invokeExact(block);
        } catch (Throwable e) {
            throw new LinkageError("free", e);
        }
    }
}
