package org.dtorch.nn;

import org.dtorch.api.Tensor;

/**
 * A tensor that a module owns and an optimizer changes. Assigning it to a module registers it.
 *
 * <p>A partial placement is legal, for example for the bias of a row-parallel layer: the devices' parts sum to the value.
 * Source: {@code torch.nn.Parameter}.
 */
public final class Parameter extends Tensor {
    private volatile boolean requiresGrad = true;

    /** Shares the storage of {@code value}. */
    public Parameter(Tensor value) {
        super(value);
    }

    public boolean requiresGrad() {
        return requiresGrad;
    }

    public Parameter setRequiresGrad(boolean wanted) {
        this.requiresGrad = wanted;
        return this;
    }
}
