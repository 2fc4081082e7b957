package org.dtorch.placement;

/**
 * A consecutive piece of one tensor dimension: {@code offset} from the dimension's start, {@code size} elements.
 *
 * <p>Source: {@code torch.chunk}: leading pieces of ceil(size / parts) elements, trailing ones may be shorter or empty.
 */
public record Chunk(long offset, long size) {
    /** The whole of a dimension. */
    public static Chunk whole(long size) {
        return new Chunk(0, size);
    }

    /** Piece {@code index} of {@code parts} of this piece; an empty piece starts where this one ends. */
    public Chunk cut(int parts, int index) {
        long full = (size + parts - 1) / parts;
        long start = Math.min(full * index, size);
        return new Chunk(offset + start, Math.min(full, size - start));
    }

    /** The offset behind the last element. */
    public long end() {
        return offset + size;
    }
}
