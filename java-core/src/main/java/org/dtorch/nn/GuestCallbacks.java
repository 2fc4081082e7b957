package org.dtorch.nn;

import java.util.Map;

/** The object of a guest language that carries out the calls of a module: a Python class that overrides something. */
public interface GuestCallbacks {
    /** The whole call: hooks, redistributions and forward, in the guest's order. */
    Object call(Object[] args, Map<String, Object> kwargs);

    Object forward(Object[] args, Map<String, Object> kwargs);

    Inputs redistributeInput(Object[] args, Map<String, Object> kwargs);

    Object redistributeOutput(Object output);

    /** Runs {@code hook} in calls from either language. */
    HookHandle addForwardPreHook(ForwardPreHook hook);

    /** Runs {@code hook} in calls from either language. */
    HookHandle addForwardHook(ForwardHook hook);

    /** The name of the guest's class. */
    String className();

    /** What stands between the brackets of the printed form. */
    String extraRepr();
}
