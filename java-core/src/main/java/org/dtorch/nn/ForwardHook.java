package org.dtorch.nn;

/** Sees, and may change, what a call of a module gives. */
@FunctionalInterface
public interface ForwardHook {
    /** Another result, or null to leave it as it is. */
    Object afterForward(Module module, Inputs inputs, Object output);
}
