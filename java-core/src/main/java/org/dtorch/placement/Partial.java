package org.dtorch.placement;

import java.util.Objects;

/** The devices along a mesh dimension hold parts that combine by {@code op} into the value. */
public record Partial(ReduceOp op) implements Placement {
    public Partial {
        Objects.requireNonNull(op);
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
