package org.dtorch.cuda;

/**
 * How many threads walk over the elements of a launch; each takes every {@code blocks * threads}-th element.
 *
 * @param blocks at least 1
 * @param threads threads of a block
 */
record LaunchGeometry(int blocks, int threads) {
    /** Enough warps to hide the latency of memory, few enough for any register count. */
    private static final int THREADS = 256;
    /** Blocks beyond what runs at once only cost their start. */
    private static final int BLOCKS_PER_MULTIPROCESSOR = 32;

    static LaunchGeometry of(long elements, int multiprocessors) {
        long needed = Math.max(1, (elements + THREADS - 1) / THREADS);
        return new LaunchGeometry((int) Math.min(needed, (long) BLOCKS_PER_MULTIPROCESSOR * multiprocessors), THREADS);
    }
}
