package org.dtorch.nn;

import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;

/**
 * While training, zeroes elements with probability {@code p} and scales the others by {@code 1 / (1 - p)}; otherwise it
 * does nothing.
 */
public final class Dropout extends Layer {
    private final double p;
    private final boolean inplace;

    /** With probability 0.5. */
    public Dropout() {
        this(0.5, false);
    }

    /** An error of kind VALUE unless {@code p} lies in [0, 1]. */
    public Dropout(double p, boolean inplace) {
        if (!(p >= 0 && p <= 1)) {
            throw DTorchError.value("dropout probability has to be between 0 and 1, but got " + Repr.number(p));
        }
        this.p = p;
        this.inplace = inplace;
    }

    @Override
    public Tensor forward(Tensor input) {
        if (!isTraining()) {
            return input;
        }
        return inplace ? input.dropout_(p, true) : input.dropout(p, true);
    }

    @Override
    public String extraRepr() {
        return "p=" + Repr.number(p) + ", inplace=" + Repr.flag(inplace);
    }
}
