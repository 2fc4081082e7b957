package org.dtorch.placement;

/**
 * The devices along a mesh dimension hold consecutive chunks of tensor dimension {@code dim}, cut as by
 * {@code torch.chunk}; a negative {@code dim} counts from the end.
 */
public record Shard(int dim) implements Placement {
    @Override
    public String shortName() {
        return "S(" + dim + ")";
    }

    @Override
    public String toString() {
        return "Shard(" + dim + ")";
    }
}
