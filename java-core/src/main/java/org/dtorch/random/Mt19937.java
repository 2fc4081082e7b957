package org.dtorch.random;

import java.util.Arrays;
import org.dtorch.values.DTorchError;

/**
 * The 32-bit Mersenne Twister with PyTorch's seeding, so that equal seeds give equal draws.
 *
 * <p>Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random
 * number generator" (1998), with the initialisation of 2002. Not safe for use by several threads at once.
 */
public final class Mt19937 {
    /** The number of 32-bit words of the state. */
    public static final int WORDS = 624;

    private static final int SHIFT = 397;

    private final int[] state = new int[WORDS];
    private long seed;
    private int next;

    /** A twister whose state follows from the low 32 bits of {@code seed}. */
    public Mt19937(long seed) {
        manualSeed(seed);
    }

    private Mt19937(Mt19937 other) {
        System.arraycopy(other.state, 0, state, 0, WORDS);
        this.seed = other.seed;
        this.next = other.next;
    }

    /**
     * A twister in the middle of its stream.
     *
     * @param next the index of the next word to hand out, in [0, 624]; 624 means that the words are used up
     * @throws DTorchError of kind RUNTIME if the state is not one
     */
    public static Mt19937 of(long seed, int[] words, int next) {
        if (words.length != WORDS || next < 0 || next > WORDS) {
            throw DTorchError.runtime(
                    "Invalid mt19937 state: %d words, next %d; expected %d words and next in [0, %d]",
                    words.length, next, WORDS, WORDS);
        }
        Mt19937 twister = new Mt19937(seed);
        System.arraycopy(words, 0, twister.state, 0, WORDS);
        twister.next = next;
        return twister;
    }

    /** Starts the stream of {@code seed} again; the whole value is remembered, its low 32 bits decide the stream. */
    public void manualSeed(long seed) {
        this.seed = seed;
        state[0] = (int) seed;
        for (int j = 1; j < WORDS; j++) {
            state[j] = 1812433253 * (state[j - 1] ^ (state[j - 1] >>> 30)) + j;
        }
        next = WORDS;
    }

    /** The seed as it was given. */
    public long initialSeed() {
        return seed;
    }

    /** A copy of the state's words. */
    public int[] words() {
        return state.clone();
    }

    /** The index of the next word to hand out; 624 before the first draw and when the words are used up. */
    public int next() {
        return next;
    }

    public Mt19937 copy() {
        return new Mt19937(this);
    }

    /** The next 32 bits of the stream. */
    public int next32() {
        if (next == WORDS) {
            twist();
        }
        int y = state[next++];
        y ^= y >>> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        return y ^ (y >>> 18);
    }

    /** Two draws as one: the first makes the high half. */
    public long next64() {
        long high = next32();
        return (high << 32) | (next32() & 0xffffffffL);
    }

    /** A float32 in [0, 1) from the low 24 bits of one draw. */
    public float nextFloat() {
        return (next32() & 0xffffff) * 0x1p-24f;
    }

    /** A float64 in [0, 1) from the low 53 bits of two draws. */
    public double nextDouble() {
        return (next64() & ((1L << 53) - 1)) * 0x1p-53;
    }

    /** Leaves out {@code draws} 32-bit draws, cheaper than drawing them. */
    public void skip(long draws) {
        long left = draws;
        while (left > WORDS - next) {
            left -= WORDS - next;
            twist();
        }
        next += (int) left;
    }

    private void twist() {
        int j = 0;
        for (; j < WORDS - SHIFT; j++) {
            state[j] = state[j + SHIFT] ^ mix(state[j], state[j + 1]);
        }
        for (; j < WORDS - 1; j++) {
            state[j] = state[j + SHIFT - WORDS] ^ mix(state[j], state[j + 1]);
        }
        state[j] = state[SHIFT - 1] ^ mix(state[j], state[0]);
        next = 0;
    }

    private static int mix(int u, int v) {
        return (((u & 0x80000000) | (v & 0x7fffffff)) >>> 1) ^ (-(v & 1) & 0x9908b0df);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Mt19937 that
                && seed == that.seed
                && next == that.next
                && Arrays.equals(state, that.state);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Long.hashCode(seed) + next) + Arrays.hashCode(state);
    }
}
