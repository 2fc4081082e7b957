package org.dtorch.op;

import org.dtorch.placement.Layout;
import org.dtorch.values.DType;

/**
 * What a creation operator makes.
 *
 * @param dtype the element type
 * @param layout mesh and placements, checked and normalised for the shape
 */
public record CreationOptions(DType dtype, Layout layout) {}
