package org.dtorch.runtime;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.backend.Backend;
import org.dtorch.values.DTorchError;

/** The memory of one device: blocks come from the backend, and when freed wait in a list of their size for the next use. */
final class Allocator {
    private final Device device;
    private final Backend backend;
    private final MemoryBudget budget;
    private final Arena arena;
    private final Peak allocated = new Peak();
    private final Peak reserved = new Peak();

    private final Block[] free = new Block[SizeClass.COUNT];
    /** The blocks in use, as a ring. */
    private final Block live = Block.ring();

    private int liveCount;
    private long cachedBytes;
    private boolean closed;

    Allocator(Device device, Backend backend, MemoryBudget budget, boolean isolated) {
        this.device = device;
        this.backend = backend;
        this.budget = budget;
        this.arena = isolated ? new Arena() : null;
    }

    /** The blocks in use, by address; null unless the session is isolated. */
    Arena arena() {
        return arena;
    }

    /**
     * A block of at least {@code bytes}, counted on every device of {@code holders}.
     *
     * @throws DTorchError of kind OUT_OF_MEMORY when reclaiming does not make room
     */
    Block allocate(long bytes, Device[] holders) {
        int sizeClass = SizeClass.of(bytes);
        Block block = takeFree(sizeClass);
        if (block == null) {
            block = budget.allocate(this, sizeClass, bytes);
        }
        for (Device holder : holders) {
            holder.allocator().allocated.add(bytes);
            if (holder != device) {
                holder.allocator().reserved.add(block.whole.bytes());
            }
        }
        if (arena != null) {
            arena.add(block.whole, bytes);
        }
        return block;
    }

    /** Takes back what {@link #allocate} gave for the same {@code bytes} and {@code holders}. */
    void free(Block block, Device[] holders, long bytes) {
        long size = block.whole.bytes();
        if (arena != null) {
            arena.remove(block.whole);
        }
        for (Device holder : holders) {
            holder.allocator().allocated.add(-bytes);
            if (holder != device) {
                holder.allocator().reserved.add(-size);
            }
        }
        boolean keep;
        synchronized (this) {
            block.unlink();
            liveCount--;
            keep = !closed;
            if (keep) {
                block.next = free[block.sizeClass];
                free[block.sizeClass] = block;
                cachedBytes += size;
            }
        }
        if (!keep) {
            giveBack(block);
        }
    }

    /** Gives the free blocks back to the backend; the bytes that were freed. */
    long dropCache() {
        List<Block> dropped = new ArrayList<>();
        synchronized (this) {
            for (int c = 0; c < free.length; c++) {
                for (Block block = free[c]; block != null; block = block.next) {
                    dropped.add(block);
                }
                free[c] = null;
            }
            cachedBytes = 0;
        }
        long bytes = 0;
        for (Block block : dropped) {
            bytes += block.whole.bytes();
            giveBack(block);
        }
        return bytes;
    }

    /** From now on freed blocks go back to the backend at once. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        dropCache();
    }

    MemoryStats stats() {
        int blocks;
        synchronized (this) {
            blocks = liveCount;
        }
        return new MemoryStats(allocated.now(), reserved.now(), allocated.most(), reserved.most(), blocks);
    }

    void resetPeak() {
        allocated.reset();
        reserved.reset();
    }

    /** The sizes of the blocks in use. */
    synchronized List<Long> liveSizes() {
        List<Long> sizes = new ArrayList<>(liveCount);
        for (Block block = live.next; block != live; block = block.next) {
            sizes.add(block.whole.bytes());
        }
        return sizes;
    }

    /** The bytes of the blocks that wait for their next use. */
    synchronized long cachedBytes() {
        return cachedBytes;
    }

    /** A new block from the backend, in use; the budget has room for it. */
    Block fromBackend(int sizeClass) {
        Block block = new Block(backend.allocate(device.id(), SizeClass.bytes(sizeClass)), sizeClass);
        synchronized (this) {
            block.linkAfter(live);
            liveCount++;
        }
        reserved.add(block.whole.bytes());
        return block;
    }

    /** A free block of the class, in use from now on; null if there is none. */
    Block takeFree(int sizeClass) {
        Block block;
        synchronized (this) {
            block = free[sizeClass];
            if (block == null) {
                return null;
            }
            free[sizeClass] = block.next;
            cachedBytes -= block.whole.bytes();
            block.linkAfter(live);
            liveCount++;
        }
        return block;
    }

    private void giveBack(Block block) {
        reserved.add(-block.whole.bytes());
        backend.free(block.whole);
        budget.gaveBack(block.whole.bytes());
    }

    Device device() {
        return device;
    }
}
