package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** {@code x * sigmoid(x)}, elementwise. */
public final class SiLU extends Layer {
    private final boolean inplace;

    public SiLU() {
        this(false);
    }

    /**
     * @param inplace whether the input is overwritten
     */
    public SiLU(boolean inplace) {
        this.inplace = inplace;
    }

    @Override
    public Tensor forward(Tensor input) {
        return inplace ? input.silu_() : input.silu();
    }

    @Override
    public String extraRepr() {
        return inplace ? "inplace=True" : "";
    }
}
