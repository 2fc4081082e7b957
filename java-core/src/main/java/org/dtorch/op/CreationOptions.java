package org.dtorch.op;

import org.dtorch.placement.Layout;
import org.dtorch.values.DType;

/**
 * What a creation operator makes.
 *
 * @param dtype the element type, or null where the caller leaves it to the operator
 * @param fallback the element type that operators without an opinion take: the graph's default
 * @param layout mesh and placements; null where the caller leaves them to an operator that has a tensor to follow
 */
public record CreationOptions(DType dtype, DType fallback, Layout layout) {
    public CreationOptions(DType dtype, Layout layout) {
        this(dtype, dtype, layout);
    }

    /** The dtype asked for, or the graph's default. */
    DType dtypeOrDefault() {
        return dtype != null ? dtype : fallback;
    }
}
