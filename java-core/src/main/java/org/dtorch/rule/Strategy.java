package org.dtorch.rule;

import java.util.Arrays;
import org.dtorch.placement.Placement;

/**
 * One legal combination of placements on one mesh dimension.
 *
 * @param inputs one placement per tensor input; null where an optional input is absent; not to be changed
 * @param outputs one placement per output; not to be changed
 */
public record Strategy(Placement[] inputs, Placement[] outputs) {
    /** For example {@code S(0), R -> S(0)}. */
    @Override
    public String toString() {
        return names(inputs) + " -> " + names(outputs);
    }

    private static String names(Placement[] placements) {
        return String.join(
                ", ",
                Arrays.stream(placements)
                        .map(p -> p == null ? "-" : p.shortName())
                        .toList());
    }
}
