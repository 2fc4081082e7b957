package org.dtorch.backend;

/** Computes a recipe on local operands; thread-safe, keeps nothing between launches. */
@FunctionalInterface
public interface Kernel {
    /**
     * Fills the outputs.
     *
     * @throws org.dtorch.values.DTorchError when a value is not legal (an index out of range), before anything is written
     *     where that can be seen beforehand
     */
    void run(Launch launch);
}
