package org.dtorch.runtime;

/** The block sizes that allocators use: each power of two is cut into 4 steps below 1 MiB and into 16 above. */
final class SizeClass {
    private static final int LEAST_LOG = 6;
    private static final int FINE_LOG = 20;
    private static final int COARSE_STEPS_LOG = 2;
    private static final int FINE_STEPS_LOG = 4;
    private static final int FIRST_FINE = (FINE_LOG - LEAST_LOG) << COARSE_STEPS_LOG;

    /** How many classes there are. */
    static final int COUNT = FIRST_FINE + ((62 - FINE_LOG) << FINE_STEPS_LOG);

    private SizeClass() {}

    /** The smallest class whose blocks hold {@code bytes}. */
    static int of(long bytes) {
        if (bytes <= 1L << LEAST_LOG) {
            return 0;
        }
        int log = 63 - Long.numberOfLeadingZeros(bytes);
        int stepsLog = log < FINE_LOG ? COARSE_STEPS_LOG : FINE_STEPS_LOG;
        long step = 1L << (log - stepsLog);
        int above = (int) ((bytes - (1L << log) + step - 1) / step);
        return start(log) + above;
    }

    /** The size of the blocks of class {@code index}, a multiple of 16. */
    static long bytes(int index) {
        if (index < FIRST_FINE) {
            long base = 1L << (LEAST_LOG + (index >> COARSE_STEPS_LOG));
            return base + (index & ((1 << COARSE_STEPS_LOG) - 1)) * (base >> COARSE_STEPS_LOG);
        }
        int fine = index - FIRST_FINE;
        long base = 1L << (FINE_LOG + (fine >> FINE_STEPS_LOG));
        return base + (fine & ((1 << FINE_STEPS_LOG) - 1)) * (base >> FINE_STEPS_LOG);
    }

    private static int start(int log) {
        return log < FINE_LOG
                ? (log - LEAST_LOG) << COARSE_STEPS_LOG
                : FIRST_FINE + ((log - FINE_LOG) << FINE_STEPS_LOG);
    }
}
