package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** {@code max(x, 0)}, elementwise. */
public final class ReLU extends Layer {
    private final boolean inplace;

    public ReLU() {
        this(false);
    }

    /**
     * @param inplace whether the input is overwritten
     */
    public ReLU(boolean inplace) {
        this.inplace = inplace;
    }

    @Override
    public Tensor forward(Tensor input) {
        return inplace ? input.relu_() : input.relu();
    }

    @Override
    public String extraRepr() {
        return inplace ? "inplace=True" : "";
    }
}
