package org.dtorch.redistribute;

import java.util.Arrays;
import org.dtorch.values.Shape;

/**
 * A box of a tensor that one device hands to another, or keeps.
 *
 * @param source position in the mesh before
 * @param destination position in the mesh after
 * @param offsets where the box starts in the whole tensor, one per tensor dimension; read only
 * @param sizes the box's shape, never empty
 * @param isLocal whether both positions are the same device, so that nothing moves
 */
public record Block(int source, int destination, long[] offsets, Shape sizes, boolean isLocal) {
    @Override
    public boolean equals(Object other) {
        return other instanceof Block that
                && source == that.source
                && destination == that.destination
                && isLocal == that.isLocal
                && Arrays.equals(offsets, that.offsets)
                && sizes.equals(that.sizes);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * source + destination) + Arrays.hashCode(offsets);
    }

    @Override
    public String toString() {
        return source + (isLocal ? " keeps " : " -> ") + destination + ": " + sizes + " at " + Arrays.toString(offsets);
    }
}
