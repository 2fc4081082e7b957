package org.dtorch.nn;

import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;

/** Exponentials that sum to 1 along a dimension. */
public final class Softmax extends Layer {
    private final Long dim;

    /**
     * @param dim the dimension; null is refused when the module is called
     */
    public Softmax(Long dim) {
        this.dim = dim;
    }

    private long dim() {
        if (dim == null) {
            throw DTorchError.value("%s: dim must be given, it is None", className());
        }
        return dim;
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.softmax(dim());
    }

    @Override
    public String extraRepr() {
        return "dim=" + (dim == null ? "None" : dim);
    }
}
