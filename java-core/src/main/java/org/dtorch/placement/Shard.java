package org.dtorch.placement;

/**
 * The devices along a mesh dimension hold consecutive chunks of tensor dimension {@code dim}, cut as by
 * {@code torch.chunk}; a negative {@code dim} counts from the end.
 */
public record Shard(int dim) implements Placement {
    // Written out: what a record derives is linked at run time, and costs milliseconds where a program starts.
    @Override
    public boolean equals(Object other) {
        return other instanceof Shard that && dim == that.dim;
    }

    @Override
    public int hashCode() {
        return dim;
    }

    @Override
    public String shortName() {
        return "S(" + dim + ")";
    }

    @Override
    public String toString() {
        return "Shard(" + dim + ")";
    }
}
