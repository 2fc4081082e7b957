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
        return new Chunk(offset + start(size, parts, index), size(size, parts, index));
    }

    /** The size of piece {@code index} of {@code parts} of {@code whole} elements. */
    static long size(long whole, int parts, int index) {
        return Math.min(full(whole, parts), whole - start(whole, parts, index));
    }

    /** Where that piece starts. */
    private static long start(long whole, int parts, int index) {
        return Math.min(full(whole, parts) * index, whole);
    }

    private static long full(long whole, int parts) {
        return (whole + parts - 1) / parts;
    }

    /** The offset behind the last element. */
    public long end() {
        return offset + size;
    }
}
