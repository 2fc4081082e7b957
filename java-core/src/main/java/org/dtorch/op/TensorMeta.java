package org.dtorch.op;

import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * Shape and dtype of a result.
 *
 * @param shape the global shape
 */
public record TensorMeta(Shape shape, DType dtype) {}
