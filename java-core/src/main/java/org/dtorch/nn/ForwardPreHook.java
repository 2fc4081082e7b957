package org.dtorch.nn;

/** Sees, and may change, what a module is called with. */
@FunctionalInterface
public interface ForwardPreHook {
    /** Other inputs, or null to leave them as they are. */
    Inputs beforeForward(Module module, Inputs inputs);
}
