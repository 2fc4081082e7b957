package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;

/**
 * Normalises groups of channels of [N, C, ...] to mean 0 and variance 1, then scales and shifts every channel.
 *
 * <p>Weight and bias are [C] and start with ones and zeros.
 */
public final class GroupNorm extends Layer {
    private final long numGroups;
    private final long numChannels;
    private final double eps;
    private final boolean affine;

    /** PyTorch's defaults: eps 1e-5, weight and bias. */
    public GroupNorm(DTorch owner, long numGroups, long numChannels) {
        this(TensorOptions.of(owner), numGroups, numChannels, 1e-5, true);
    }

    /** An error of kind VALUE if the channels do not divide into the groups. */
    public GroupNorm(TensorOptions options, long numGroups, long numChannels, double eps, boolean affine) {
        if (numGroups <= 0) {
            throw DTorchError.value("num_groups must be positive, got %d", numGroups);
        }
        if (numChannels % numGroups != 0) {
            throw DTorchError.value("num_channels (%d) must be divisible by num_groups (%d)", numChannels, numGroups);
        }
        this.numGroups = numGroups;
        this.numChannels = numChannels;
        this.eps = eps;
        this.affine = affine;
        registerParameter("weight", affine ? options.ones(numChannels) : null);
        registerParameter("bias", affine ? options.zeros(numChannels) : null);
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.groupNorm(numGroups, parameter("weight"), parameter("bias"), eps);
    }

    @Override
    public String extraRepr() {
        return numGroups + ", " + numChannels + ", eps=" + Repr.number(eps) + ", affine=" + Repr.flag(affine)
                + ", bias=" + Repr.flag(affine);
    }
}
