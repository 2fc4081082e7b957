package org.dtorch.op;

import org.dtorch.placement.Layout;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** A tensor as rows of the table see it: what it is, not how it is stored. */
public interface Value {
    /** The global shape. */
    Shape shape();

    DType dtype();

    Layout layout();
}
