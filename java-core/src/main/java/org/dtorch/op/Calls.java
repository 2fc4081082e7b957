package org.dtorch.op;

/**
 * How composites and gradients call other rows; values made in between are released when the composite returns.
 *
 * <p>Arguments are in schema order; missing trailing ones take their defaults.
 */
public interface Calls {
    /** All results of a call. */
    Value[] all(Op op, Object... args);

    /** The only result of a call. */
    default Value call(Op op, Object... args) {
        return all(op, args)[0];
    }

    /** The value of a tensor of one element, cut to an integer: waits for it. For results whose shape depends on values. */
    long readLong(Value value);

    /** Seed and call counter for random numbers drawn inside a kernel; every call gives another counter. */
    long[] drawKey();
}
