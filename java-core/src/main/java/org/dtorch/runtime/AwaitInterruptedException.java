package org.dtorch.runtime;

/** The thread was interrupted while it awaited a value; the work itself goes on, and the thread's flag stays set. */
public final class AwaitInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AwaitInterruptedException() {
        super("interrupted while awaiting a value");
    }
}
