package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** The hyperbolic tangent, elementwise. */
public final class Tanh extends Layer {
    @Override
    public Tensor forward(Tensor input) {
        return input.tanh();
    }
}
