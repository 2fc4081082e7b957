package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** Joins a range of dimensions into one. */
public final class Flatten extends Layer {
    private final long startDim;
    private final long endDim;

    /** All dimensions but the first. */
    public Flatten() {
        this(1, -1);
    }

    public Flatten(long startDim, long endDim) {
        this.startDim = startDim;
        this.endDim = endDim;
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.flatten(startDim, endDim);
    }

    @Override
    public String extraRepr() {
        return "start_dim=" + startDim + ", end_dim=" + endDim;
    }
}
