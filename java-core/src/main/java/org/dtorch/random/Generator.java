package org.dtorch.random;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalDouble;
import org.dtorch.values.DTorchError;

/**
 * The random state of a session: PyTorch's CPU stream and the call counter of the Philox masks.
 *
 * <p>Not safe for use by several threads at once: draws happen in the order of the script.
 */
public final class Generator {
    /** The seed of a generator that nobody seeded, as in PyTorch. */
    public static final long DEFAULT_SEED = 67280421310721L;

    /** The size of {@link #state()}: PyTorch's. */
    public static final int STATE_BYTES = 5056;

    private Mt19937 twister;
    private OptionalDouble cachedNormal = OptionalDouble.empty();
    private long philoxCalls;

    public Generator() {
        this(DEFAULT_SEED);
    }

    public Generator(long seed) {
        this.twister = new Mt19937(seed);
    }

    /** Starts again from {@code seed}, as {@code torch.manual_seed}; unsigned seeds are given by their bits. */
    public Generator manualSeed(long seed) {
        twister = new Mt19937(seed);
        cachedNormal = OptionalDouble.empty();
        philoxCalls = 0;
        return this;
    }

    /** The seed in use; read it as unsigned. */
    public long initialSeed() {
        return twister.initialSeed();
    }

    /** An independent generator that continues in the same way. */
    public Generator copy() {
        Generator copy = new Generator();
        copy.twister = twister.copy();
        copy.cachedNormal = cachedNormal;
        copy.philoxCalls = philoxCalls;
        return copy;
    }

    /** The stream of this seed after {@code calls} earlier Philox calls; each call to this method counts as one. */
    public Philox nextPhilox() {
        return new Philox(twister.initialSeed(), philoxCalls++);
    }

    /** How many Philox streams were handed out since seeding. */
    public long philoxCalls() {
        return philoxCalls;
    }

    Mt19937 twister() {
        return twister;
    }

    boolean hasCachedNormal() {
        return cachedNormal.isPresent();
    }

    /** One standard normal value by Box and Muller; the second of each pair waits for the next call. */
    double nextNormal() {
        if (cachedNormal.isPresent()) {
            double cached = cachedNormal.getAsDouble();
            cachedNormal = OptionalDouble.empty();
            return cached;
        }
        double u1 = twister.nextDouble();
        double u2 = twister.nextDouble();
        double radius = Math.sqrt(-2 * StrictMath.log1p(-u2));
        double theta = 2 * Math.PI * u1;
        cachedNormal = OptionalDouble.of(radius * Math.sin(theta));
        return radius * Math.cos(theta);
    }

    /**
     * The whole state in the layout of {@code torch.get_rng_state()}, so that states can be exchanged with PyTorch; the
     * Philox call counter lies in the eight bytes that PyTorch leaves zero and ignores.
     */
    public byte[] state() {
        ByteBuffer bytes = ByteBuffer.allocate(STATE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        boolean fresh = twister.next() == Mt19937.WORDS;
        bytes.putLong(twister.initialSeed());
        bytes.putInt(fresh ? 1 : Mt19937.WORDS + 1 - twister.next());
        bytes.putInt(1);
        bytes.putLong(fresh && isUntouched() ? 0 : twister.next());
        for (int word : twister.words()) {
            bytes.putLong(word & 0xffffffffL);
        }
        bytes.putLong(philoxCalls);
        bytes.putDouble(cachedNormal.orElse(0));
        bytes.putDouble(0);
        bytes.putInt(cachedNormal.isPresent() ? 1 : 0);
        return bytes.array();
    }

    /** Takes over a state made by {@link #state()} or by {@code torch.get_rng_state()}. */
    public Generator setState(byte[] state) {
        if (state.length != STATE_BYTES) {
            throw DTorchError.runtime(
                    "Expected a CPUGeneratorImplState of size %d but found the input RNG state size to be %d",
                    STATE_BYTES, state.length);
        }
        ByteBuffer bytes = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN);
        long seed = bytes.getLong();
        int left = bytes.getInt();
        int seeded = bytes.getInt();
        long next = bytes.getLong();
        // PyTorch counts down to the next refill; with one left, the next draw refills whatever `next` says.
        if (seeded != 1 || left < 1 || (left > 1 && next != Mt19937.WORDS + 1 - left)) {
            throw DTorchError.runtime("Invalid mt19937 state: seeded %d, left %d, next %d", seeded, left, next);
        }
        int[] words = new int[Mt19937.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = (int) bytes.getLong();
        }
        twister = Mt19937.of(seed, words, left == 1 ? Mt19937.WORDS : (int) next);
        philoxCalls = bytes.getLong();
        double normal = bytes.getDouble();
        bytes.getDouble();
        cachedNormal = bytes.getInt() != 0 ? OptionalDouble.of(normal) : OptionalDouble.empty();
        return this;
    }

    /** Whether the words are still those of the seed, which PyTorch marks by next = 0. */
    private boolean isUntouched() {
        return twister.equals(new Mt19937(twister.initialSeed()));
    }
}
