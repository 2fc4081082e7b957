package org.dtorch.placement;

import java.util.Objects;

/** The devices along a mesh dimension hold parts that combine by {@code op} into the value. */
public record Partial(ReduceOp op) implements Placement {
    public Partial {
        Objects.requireNonNull(op);
    }

    // Written out for the reason given in Shard, and the same in every run.
    @Override
    public boolean equals(Object other) {
        return other instanceof Partial that && op == that.op;
    }

    @Override
    public int hashCode() {
        return -2 - op.ordinal();
    }

    @Override
    public String shortName() {
        return "P(" + op.torchName() + ")";
    }

    @Override
    public String toString() {
        return "Partial(" + op.torchName() + ")";
    }
}
