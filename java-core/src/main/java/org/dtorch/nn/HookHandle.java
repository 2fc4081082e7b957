package org.dtorch.nn;

/** Takes a hook away again; a second time does nothing. */
public final class HookHandle implements AutoCloseable {
    private final Runnable removal;

    private HookHandle(Runnable removal) {
        this.removal = removal;
    }

    public static HookHandle of(Runnable removal) {
        return new HookHandle(removal);
    }

    public void remove() {
        removal.run();
    }

    @Override
    public void close() {
        remove();
    }
}
