package org.dtorch.runtime;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.dtorch.values.DTorchError;

/** The bytes that a session may take from its backends, and what is done when they run short. */
final class MemoryBudget {
    /*
     * When a block does not fit: give the cached blocks of all devices back; then collect garbage, so that handles which
     * nobody holds release their storage, and give back again; then, while other threads are inside instructions, wait a
     * little for what they will free. Only then is it an error. One thread reclaims at a time, the others wait for it.
     * Young garbage is collected first, which is much cheaper; all of it when that does not help, or when much has grown
     * old since the last time, see docs/decisions/0021-memory-reclamation.md.
     *
     * Long before the limit, growth alone asks for a collection in the background, so that a script with a small Java heap
     * and large tensors does not grow to the limit first.
     */
    private static final int COLLECTIONS_BETWEEN_TRIALS = 16;
    private static final int MOST_WAITS_FOR_OTHERS = 100;
    private static final long WAIT_NANOS = 2_000_000;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long LEAST_GROWTH = 1L << 30;
    private static final int LARGEST_SHOWN = 5;

    private final long limit;
    private final Supplier<Collection<Device>> devices;
    private final Reaper reaper;
    private final AtomicLong inUse = new AtomicLong();
    private final ReentrantLock reclaiming = new ReentrantLock();
    private final AtomicLong reclaims = new AtomicLong();
    private final AtomicLong collections = new AtomicLong();
    private final AtomicLong fullCollections = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    private volatile long collectAbove;

    /** Guarded by {@link #reclaiming}. */
    private long liveAfterFull;

    private long youngNanos;
    private long fullNanos;

    MemoryBudget(long limit, Supplier<Collection<Device>> devices, Reaper reaper) {
        this.limit = limit;
        this.devices = devices;
        this.reaper = reaper;
        this.collectAbove = Math.max(LEAST_GROWTH, limit / 4);
    }

    ReclaimStats stats() {
        return new ReclaimStats(reclaims.get(), collections.get(), fullCollections.get(), nanos.get());
    }

    void gaveBack(long bytes) {
        inUse.addAndGet(-bytes);
    }

    /** Drops the free blocks of all devices. */
    void dropCaches() {
        for (Device device : devices.get()) {
            device.allocator().dropCache();
        }
    }

    /** A block from the backend for {@code allocator}; {@code bytes} is what was asked for, for messages. */
    Block allocate(Allocator allocator, int sizeClass, long bytes) {
        Block block = attempt(allocator, sizeClass);
        if (block == null) {
            block = reclaimFor(allocator, sizeClass, bytes);
        }
        if (inUse.get() > collectAbove) {
            reaper.collectSoon(this::afterCollection);
        }
        return block;
    }

    private void afterCollection() {
        fullCollections.incrementAndGet();
        long live = live();
        collectAbove = Math.max(Math.max(LEAST_GROWTH, limit / 4), 2 * live);
    }

    /** Null when the limit or the backend refuses. */
    private Block attempt(Allocator allocator, int sizeClass) {
        long size = SizeClass.bytes(sizeClass);
        if (inUse.addAndGet(size) <= limit) {
            try {
                return allocator.fromBackend(sizeClass);
            } catch (DTorchError refused) {
                if (refused.kind() != DTorchError.Kind.OUT_OF_MEMORY) {
                    inUse.addAndGet(-size);
                    throw refused;
                }
            } catch (Throwable broken) {
                inUse.addAndGet(-size);
                throw broken;
            }
        }
        inUse.addAndGet(-size);
        return null;
    }

    private Block reclaimFor(Allocator allocator, int sizeClass, long bytes) {
        long began = System.nanoTime();
        reclaiming.lock();
        try {
            reclaims.incrementAndGet();
            Block block = retry(allocator, sizeClass);
            if (block == null && SizeClass.bytes(sizeClass) <= limit) {
                block = collectFor(allocator, sizeClass);
            }
            for (int i = 0;
                    block == null
                            && i < MOST_WAITS_FOR_OTHERS
                            && allocator.device().session().othersRun();
                    i++) {
                LockSupport.parkNanos(this, WAIT_NANOS);
                block = retry(allocator, sizeClass);
            }
            if (block == null) {
                throw outOfMemory(allocator.device(), bytes);
            }
            return block;
        } finally {
            nanos.addAndGet(System.nanoTime() - began);
            reclaiming.unlock();
        }
    }

    private Block collectFor(Allocator allocator, int sizeClass) {
        collections.incrementAndGet();
        Block block = null;
        if (youngFirst()) {
            youngNanos = timed(reaper::collectYoung, youngNanos);
            block = retry(allocator, sizeClass);
        }
        if (block == null || live() - liveAfterFull > limit / 4) {
            fullCollections.incrementAndGet();
            fullNanos = timed(reaper::collect, fullNanos);
            liveAfterFull = live();
            block = block == null ? retry(allocator, sizeClass) : block;
        }
        return block;
    }

    /** Which of the two is tried first: the cheaper, and now and then the other, since heaps change. */
    private boolean youngFirst() {
        boolean younger = youngNanos <= fullNanos;
        return collections.get() % COLLECTIONS_BETWEEN_TRIALS == 0 ? !younger : younger;
    }

    /** Runs {@code action}; the running mean of its time, in which a single slow run counts little, or NEVER if it fails. */
    private static long timed(BooleanSupplier action, long mean) {
        long began = System.nanoTime();
        boolean done = action.getAsBoolean();
        long took = System.nanoTime() - began;
        if (!done) {
            return NEVER;
        }
        return mean == 0 || mean == NEVER ? took : (3 * mean + Math.min(took, 4 * mean)) / 4;
    }

    /** The bytes of the blocks in use. */
    private long live() {
        long live = inUse.get();
        for (Device device : devices.get()) {
            live -= device.allocator().cachedBytes();
        }
        return live;
    }

    private Block retry(Allocator allocator, int sizeClass) {
        Block block = allocator.takeFree(sizeClass);
        if (block == null) {
            dropCaches();
            block = attempt(allocator, sizeClass);
        }
        return block;
    }

    private DTorchError outOfMemory(Device device, long bytes) {
        return new DTorchError(
                DTorchError.Kind.OUT_OF_MEMORY,
                "out of memory: %s requested on %s, %s in use of a limit of %s (DTORCH_MEMORY_LIMIT); largest: %s; %d ms were spent on reclaiming"
                        .formatted(
                                text(bytes),
                                device,
                                text(inUse.get()),
                                text(limit),
                                largestHolders(),
                                TimeUnit.NANOSECONDS.toMillis(nanos.get())));
    }

    private String largestHolders() {
        TreeMap<Long, Long> countBySize = new TreeMap<>(Comparator.reverseOrder());
        for (Device device : devices.get()) {
            for (long size : device.allocator().liveSizes()) {
                countBySize.merge(size, 1L, Long::sum);
            }
        }
        List<String> shown = countBySize.entrySet().stream()
                .limit(LARGEST_SHOWN)
                .map(entry -> entry.getValue() + " x " + text(entry.getKey()))
                .toList();
        return shown.isEmpty() ? "nothing" : shown.stream().collect(Collectors.joining(", "));
    }

    /** For example {@code 1.50 GiB}. */
    static String text(long bytes) {
        String[] units = {"KiB", "MiB", "GiB", "TiB"};
        double value = bytes;
        String unit = "bytes";
        for (int i = 0; i < units.length && value >= 1024; i++) {
            value /= 1024;
            unit = units[i];
        }
        return unit.equals("bytes") ? bytes + " bytes" : String.format(Locale.ROOT, "%.2f %s", value, unit);
    }
}
