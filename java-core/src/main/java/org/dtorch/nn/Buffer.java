package org.dtorch.nn;

import org.dtorch.api.Tensor;

/** A tensor that belongs to a module's state without being trained. Source: {@code torch.nn.Buffer}. */
public final class Buffer extends Tensor {
    private final boolean persistent;

    /** Shares the storage of {@code value}; a persistent buffer is part of the state dict. */
    public Buffer(Tensor value, boolean persistent) {
        super(value);
        this.persistent = persistent;
    }

    public boolean isPersistent() {
        return persistent;
    }
}
