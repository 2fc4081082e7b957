package org.dtorch.backend.cpu.memory;

/** Loops of kernels, for now on the calling thread. */
public final class Workers {
    private static final Workers SHARED = new Workers();

    private Workers() {}

    /** The body of a loop over {@code from .. to - 1}. */
    @FunctionalInterface
    public interface RangeBody {
        void run(long from, long to);
    }

    public static Workers shared() {
        return SHARED;
    }

    public int count() {
        return 1;
    }

    public void forRange(long n, long grain, RangeBody body) {
        body.run(0, n);
    }
}
