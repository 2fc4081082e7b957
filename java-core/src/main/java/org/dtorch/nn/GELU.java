package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** {@code x} times the normal distribution function of {@code x}, exactly or by a hyperbolic tangent. */
public final class GELU extends Layer {
    private final String approximate;

    /** PyTorch's defaults. */
    public GELU() {
        this("none");
    }

    /**
     * @param approximate {@code none} or {@code tanh}
     */
    public GELU(String approximate) {
        this.approximate = approximate;
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.gelu(approximate);
    }

    @Override
    public String extraRepr() {
        return "approximate='" + approximate + "'";
    }
}
