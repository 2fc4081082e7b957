package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** {@code x} where positive, else {@code negative_slope * x}. */
public final class LeakyReLU extends Layer {
    private final double negativeSlope;
    private final boolean inplace;

    /** PyTorch's defaults. */
    public LeakyReLU() {
        this(0.01, false);
    }

    /**
     * @param inplace whether the input is overwritten
     */
    public LeakyReLU(double negativeSlope, boolean inplace) {
        this.negativeSlope = negativeSlope;
        this.inplace = inplace;
    }

    @Override
    public Tensor forward(Tensor input) {
        return inplace ? input.leakyRelu_(negativeSlope) : input.leakyRelu(negativeSlope);
    }

    @Override
    public String extraRepr() {
        return "negative_slope=" + Repr.number(negativeSlope) + (inplace ? ", inplace=True" : "");
    }
}
