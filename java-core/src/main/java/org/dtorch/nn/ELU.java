package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** {@code x} where positive, else {@code alpha * (exp(x) - 1)}. */
public final class ELU extends Layer {
    private final double alpha;
    private final boolean inplace;

    /** PyTorch's defaults. */
    public ELU() {
        this(1.0, false);
    }

    /**
     * @param inplace whether the input is overwritten
     */
    public ELU(double alpha, boolean inplace) {
        this.alpha = alpha;
        this.inplace = inplace;
    }

    @Override
    public Tensor forward(Tensor input) {
        return inplace ? input.elu_(alpha) : input.elu(alpha);
    }

    @Override
    public String extraRepr() {
        return "alpha=" + Repr.number(alpha) + (inplace ? ", inplace=True" : "");
    }
}
