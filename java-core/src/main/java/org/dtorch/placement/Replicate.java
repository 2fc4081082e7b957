package org.dtorch.placement;

/** Every device along a mesh dimension holds the same value. */
public enum Replicate implements Placement {
    INSTANCE;

    @Override
    public String shortName() {
        return "R";
    }

    @Override
    public String toString() {
        return "Replicate()";
    }
}
