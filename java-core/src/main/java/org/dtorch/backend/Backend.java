package org.dtorch.backend;

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

    /**
     * A new block.
     *
     * @throws org.dtorch.values.DTorchError of kind OUT_OF_MEMORY naming the size
     */
    Memory allocate(int device, long bytes);

    void free(Memory memory);

    /** Copies bytes between two blocks of this backend. */
    void copy(Memory from, long fromByte, Memory to, long toByte, long bytes);

    /**
     * The kernel for a recipe.
     *
     * @throws org.dtorch.values.DTorchError of kind NOT_IMPLEMENTED naming it when there is none
     */
    Kernel kernel(Recipe recipe);
}
