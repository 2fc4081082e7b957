package org.dtorch.runtime;

import org.dtorch.backend.Memory;

/** A piece of a backend's memory that an {@link Allocator} gives out again and again. */
final class Block {
    final Memory whole;
    final int sizeClass;

    /** The next free block of the class, or the next in the ring of blocks in use; guarded by the allocator. */
    Block next;

    private Block previous;

    /** The view last given out; the same size is often asked for again. */
    private volatile Memory view;

    Block(Memory whole, int sizeClass) {
        this.whole = whole;
        this.sizeClass = sizeClass;
    }

    /** The head of an empty ring. */
    static Block ring() {
        Block head = new Block(null, -1);
        head.next = head;
        head.previous = head;
        return head;
    }

    void linkAfter(Block head) {
        next = head.next;
        previous = head;
        head.next.previous = this;
        head.next = this;
    }

    void unlink() {
        next.previous = previous;
        previous.next = next;
        previous = null;
    }

    /** The first {@code bytes} bytes. */
    Memory memory(long bytes) {
        Memory last = view;
        if (last == null || last.bytes() != bytes) {
            last = new Memory(whole.segment().asSlice(0, bytes), whole.device());
            view = last;
        }
        return last;
    }
}
