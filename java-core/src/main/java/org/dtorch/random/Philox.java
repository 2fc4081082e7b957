package org.dtorch.random;

/**
 * A counter-based stream: the value at an index depends on seed, call and index only, so that any device can make its
 * part of a mask alone.
 *
 * <p>Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). The key
 * is the seed, the low half of the counter is the block of four indices, the high half the call.
 *
 * @param seed the generator's seed
 * @param call how many streams the generator handed out before
 */
public record Philox(long seed, long call) {
    private static final int MULTIPLIER_0 = 0xD2511F53;
    private static final int MULTIPLIER_1 = 0xCD9E8D57;
    private static final int WEYL_0 = 0x9E3779B9;
    private static final int WEYL_1 = 0xBB67AE85;
    private static final int ROUNDS = 10;

    /** Fills {@code out} with the 32-bit values of the indices {@code [start, start + out.length)}. */
    public void fill(long start, int[] out) {
        int[] block = new int[4];
        for (int i = 0; i < out.length; ) {
            long index = start + i;
            block(index >>> 2, block);
            for (int lane = (int) (index & 3); lane < 4 && i < out.length; lane++) {
                out[i++] = block[lane];
            }
        }
    }

    /** The 32 bits of {@code index}. */
    public int at(long index) {
        int[] block = new int[4];
        block(index >>> 2, block);
        return block[(int) (index & 3)];
    }

    /** A float32 in [0, 1) for {@code index}, from the high 24 bits. */
    public float uniform(long index) {
        return toUniform(at(index));
    }

    /** Fills {@code out} with the {@link #uniform} values of the indices {@code [start, start + out.length)}. */
    public void uniform(long start, float[] out) {
        int[] block = new int[4];
        for (int i = 0; i < out.length; ) {
            long index = start + i;
            block(index >>> 2, block);
            for (int lane = (int) (index & 3); lane < 4 && i < out.length; lane++) {
                out[i++] = toUniform(block[lane]);
            }
        }
    }

    /** A float32 in [0, 1) from the high 24 of 32 bits. */
    public static float toUniform(int bits) {
        return (bits >>> 8) * 0x1p-24f;
    }

    private void block(long number, int[] out) {
        out[0] = (int) number;
        out[1] = (int) (number >>> 32);
        out[2] = (int) call;
        out[3] = (int) (call >>> 32);
        permute(out, (int) seed, (int) (seed >>> 32));
    }

    /** The bijection itself: replaces a counter of four words by its image under the key. */
    static void permute(int[] counter, int key0, int key1) {
        int c0 = counter[0];
        int c1 = counter[1];
        int c2 = counter[2];
        int c3 = counter[3];
        int k0 = key0;
        int k1 = key1;
        for (int round = 0; round < ROUNDS; round++) {
            long product0 = (MULTIPLIER_0 & 0xffffffffL) * (c0 & 0xffffffffL);
            long product1 = (MULTIPLIER_1 & 0xffffffffL) * (c2 & 0xffffffffL);
            c0 = (int) (product1 >>> 32) ^ c1 ^ k0;
            c2 = (int) (product0 >>> 32) ^ c3 ^ k1;
            c1 = (int) product1;
            c3 = (int) product0;
            k0 += WEYL_0;
            k1 += WEYL_1;
        }
        counter[0] = c0;
        counter[1] = c1;
        counter[2] = c2;
        counter[3] = c3;
    }
}
