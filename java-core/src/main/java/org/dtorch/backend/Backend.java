package org.dtorch.backend;

import java.lang.foreign.MemorySegment;
import org.dtorch.mesh.DeviceType;
import org.dtorch.recipe.Recipe;

/**
 * A kind of device: its memory and its kernels. Found by {@link java.util.ServiceLoader}.
 *
 * <p>Methods are thread-safe. A backend has no queues of its own; ordering is the runtime's.
 */
public interface Backend {
    /** A short name for messages, for example {@code cpu}. */
    String name();

    /** The kind of mesh that this backend serves by itself; the CPU also simulates others where theirs is absent. */
    DeviceType deviceType();

    /** How many real devices there are; 0 means that the backend cannot be used on this machine. */
    int deviceCount();

    /** Why {@link #deviceCount} is 0, and what to install; empty when it can be used. */
    String absence();

    /** What {@code device} is, for people: its name, and its memory where that is its own. */
    default String deviceName(int device) {
        return name();
    }

    /**
     * Whether it can run every operator; sessions simulate the devices of a backend that cannot yet, and say so.
     */
    default boolean isComplete() {
        return true;
    }

    /**
     * A new block.
     *
     * @throws org.dtorch.values.DTorchError of kind OUT_OF_MEMORY naming the size
     */
    Memory allocate(int device, long bytes);

    void free(Memory memory);

    /** Copies bytes between two blocks of this backend. */
    void copy(Memory from, long fromByte, Memory to, long toByte, long bytes);

    /** Copies bytes from the host into a block; on return {@code from} may change. */
    default void copyFromHost(MemorySegment from, long fromByte, Memory to, long toByte, long bytes) {
        MemorySegment.copy(from, fromByte, to.segment(), toByte, bytes);
    }

    /** Copies bytes of a block to the host, behind all work that its device was given before. */
    default void copyToHost(Memory from, long fromByte, MemorySegment to, long toByte, long bytes) {
        MemorySegment.copy(from.segment(), fromByte, to, toByte, bytes);
    }

    /** Waits until the device has done what it was given; kernels and copies may return before that. */
    default void synchronize(int device) {}

    /**
     * The kernel for a recipe.
     *
     * @throws org.dtorch.values.DTorchError of kind NOT_IMPLEMENTED naming it when there is none
     */
    Kernel kernel(Recipe recipe);
}
