package org.dtorch.placement;

/**
 * How a tensor lies along one dimension of a device mesh.
 *
 * <p>Source: {@code torch.distributed.tensor.placement_types}.
 */
public sealed interface Placement permits Shard, Replicate, Partial {
    /** {@code S(0)}, {@code R} or {@code P(sum)}: the form in plans, explanations and test names. */
    String shortName();

    static Placement shard(int dim) {
        return PlacementText.shard(dim);
    }

    static Placement replicate() {
        return Replicate.INSTANCE;
    }

    /** A partial sum. */
    static Placement partial() {
        return partial(ReduceOp.SUM);
    }

    static Placement partial(ReduceOp op) {
        return PlacementText.PARTIALS[op.ordinal()];
    }

    default boolean isReplicate() {
        return this == Replicate.INSTANCE;
    }

    default boolean isPartial() {
        return this instanceof Partial;
    }

    default boolean isShard() {
        return this instanceof Shard;
    }

    /** Whether this shards tensor dimension {@code dim}. */
    default boolean isShard(int dim) {
        return this instanceof Shard shard && shard.dim() == dim;
    }

    /**
     * The placement that {@code text} names: {@code R}, {@code S0}, {@code S(-1)}, {@code P}, {@code P(max)} or the
     * long forms {@code Replicate()}, {@code Shard(0)}, {@code Shard(dim=0)}, {@code Partial(sum)}; otherwise an error
     * of kind VALUE.
     */
    static Placement parse(String text) {
        return PlacementText.parse(text);
    }
}
