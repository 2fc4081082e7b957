package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** {@code 1 / (1 + exp(-x))}, elementwise. */
public final class Sigmoid extends Layer {
    @Override
    public Tensor forward(Tensor input) {
        return input.sigmoid();
    }
}
