package org.dtorch.backend.cpu.dense;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Native working memory of the calling thread, taken piece by piece and given back together when it is closed. */
final class WorkSpace implements AutoCloseable {

    /*
     * Each thread has one block and a position in it. Opening remembers the position, closing returns to it, so nested
     * work spaces form a stack. When the block is too small a larger one takes its place; the old one is kept until the
     * outermost work space closes, because its pieces are still in use.
     */
    private static final class Block {
        MemorySegment memory = MemorySegment.NULL;
        long position;
        int depth;
        final List<MemorySegment> replaced = new ArrayList<>();
    }

    private static final ThreadLocal<Block> BLOCKS = ThreadLocal.withInitial(Block::new);
    private static final long ALIGNMENT = 64;
    private static final long LEAST_BYTES = 1 << 20;
    /** A larger block is not kept once nothing uses it. */
    private static final long KEPT_BYTES = 64L << 20;

    private final Block block;
    private final MemorySegment memoryAtOpening;
    private final long positionAtOpening;

    private WorkSpace(Block block) {
        this.block = block;
        this.memoryAtOpening = block.memory;
        this.positionAtOpening = block.position;
        block.depth++;
    }

    static WorkSpace open() {
        return new WorkSpace(BLOCKS.get());
    }

    /** The address of {@code bytes} bytes of any content, 64-byte aligned, valid until this is closed. */
    long take(long bytes) {
        long size = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        if (block.position + size > block.memory.byteSize()) {
            if (block.memory.byteSize() > 0) {
                block.replaced.add(block.memory);
            }
            block.memory = Arena.ofAuto().allocate(Math.max(size + size / 2, LEAST_BYTES), ALIGNMENT);
            block.position = 0;
        }
        long address = block.memory.address() + block.position;
        block.position += size;
        return address;
    }

    @Override
    public void close() {
        block.position = block.memory.address() == memoryAtOpening.address() ? positionAtOpening : 0;
        if (--block.depth == 0) {
            block.replaced.clear();
            if (block.memory.byteSize() > KEPT_BYTES) {
                block.memory = MemorySegment.NULL;
            }
        }
    }
}
