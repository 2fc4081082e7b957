package org.dtorch.backend.cpu.dense;

/** The keys of one attention launch in blocks, with what the causal rule needs to know of each. */
final class KeyBlocks {
    /** Keys of one block; its scores for a block of queries stay in the second-level cache. */
    static final int SIZE = 256;

    private final long keys;
    /** Null when not causal. */
    private final long[] positions;

    private final long[] least;
    private final long[] greatest;
    private final boolean[] ascending;

    private KeyBlocks(long keys, long[] positions) {
        this.keys = keys;
        this.positions = positions;
        int count = positions == null ? 0 : count();
        least = new long[count];
        greatest = new long[count];
        ascending = new boolean[count];
        for (int block = 0; block < count; block++) {
            int first = block * SIZE;
            long low = positions[first];
            long high = low;
            boolean sorted = true;
            for (int j = first + 1; j < first + size(block); j++) {
                sorted &= positions[j] >= positions[j - 1];
                low = Math.min(low, positions[j]);
                high = Math.max(high, positions[j]);
            }
            least[block] = low;
            greatest[block] = high;
            ascending[block] = sorted;
        }
    }

    static KeyBlocks of(long keys, long[] positions) {
        return new KeyBlocks(keys, positions);
    }

    int count() {
        return (int) ((keys + SIZE - 1) / SIZE);
    }

    long first(int block) {
        return (long) block * SIZE;
    }

    int size(int block) {
        return (int) Math.min(SIZE, keys - first(block));
    }

    /** Whether a query at {@code position} or later sees any key of the block. */
    boolean isSeenFrom(int block, long position) {
        return positions == null || least[block] <= position;
    }

    /** Whether a query at {@code position} sees every key of the block. */
    boolean isWhollySeenFrom(int block, long position) {
        return positions == null || greatest[block] <= position;
    }

    /** Whether the keys that a query sees are always the first ones of the block. */
    boolean isAscending(int block) {
        return positions == null || ascending[block];
    }

    /** How many of the first keys of an ascending block a query at {@code position} sees. */
    int seen(int block, long position) {
        if (isWhollySeenFrom(block, position)) {
            return size(block);
        }
        int first = block * SIZE;
        int low = first;
        int high = first + size(block);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (positions[middle] <= position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - first;
    }

    long position(int block, int key) {
        return positions[block * SIZE + key];
    }
}
