package org.dtorch.dispatch;

import org.dtorch.placement.Chunk;

/**
 * In which order the tokens of a sequence lie when it is sharded for context parallelism.
 *
 * <p>Under a causal mask the last tokens see more keys than the first. In head-tail order device i holds piece i from the
 * front and piece i from the back of twice as many pieces as there are devices, so that all have the same work. Source:
 * Llama 3's and PyTorch's context parallelism.
 */
public enum SequenceOrder {
    /** Token i at index i. */
    CONTIGUOUS,
    /** Pieces from both ends in turn. */
    HEAD_TAIL;

    /**
     * The position in the sequence of the token at each index.
     *
     * @param length tokens
     * @param devices how many devices the sequence is sharded over
     */
    public long[] positions(long length, int devices) {
        long[] positions = new long[Math.toIntExact(length)];
        if (this == CONTIGUOUS) {
            for (int i = 0; i < positions.length; i++) {
                positions[i] = i;
            }
            return positions;
        }
        int pieces = 2 * devices;
        int n = 0;
        for (int device = 0; device < devices; device++) {
            n = append(positions, n, Chunk.whole(length).cut(pieces, device));
            n = append(positions, n, Chunk.whole(length).cut(pieces, pieces - 1 - device));
        }
        return positions;
    }

    private static int append(long[] positions, int at, Chunk piece) {
        int n = at;
        for (long t = piece.offset(); t < piece.end(); t++) {
            positions[n++] = t;
        }
        return n;
    }

    /** For each position in the sequence the index at which its token lies. */
    public long[] indices(long length, int devices) {
        long[] positions = positions(length, devices);
        long[] indices = new long[positions.length];
        for (int i = 0; i < positions.length; i++) {
            indices[(int) positions[i]] = i;
        }
        return indices;
    }
}
