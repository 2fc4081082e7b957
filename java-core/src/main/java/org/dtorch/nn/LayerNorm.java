package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;

/**
 * Normalises the trailing dimensions to mean 0 and variance 1, then scales and shifts them elementwise.
 *
 * <p>Weight and bias have the normalised shape and start with ones and zeros.
 */
public final class LayerNorm extends Layer {
    private final long[] normalizedShape;
    private final double eps;
    private final boolean elementwiseAffine;

    /** PyTorch's defaults: eps 1e-5, weight and bias. */
    public LayerNorm(DTorch owner, long... normalizedShape) {
        this(TensorOptions.of(owner), normalizedShape, 1e-5, true, true);
    }

    public LayerNorm(
            TensorOptions options, long[] normalizedShape, double eps, boolean elementwiseAffine, boolean bias) {
        this.normalizedShape = normalizedShape.clone();
        this.eps = eps;
        this.elementwiseAffine = elementwiseAffine;
        registerParameter("weight", elementwiseAffine ? options.ones(normalizedShape) : null);
        registerParameter("bias", elementwiseAffine && bias ? options.zeros(normalizedShape) : null);
    }

    public long[] normalizedShape() {
        return normalizedShape.clone();
    }

    public double eps() {
        return eps;
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.layerNorm(normalizedShape, parameter("weight"), parameter("bias"), eps);
    }

    @Override
    public String extraRepr() {
        return Repr.tuple(normalizedShape) + ", eps=" + Repr.number(eps) + ", elementwise_affine="
                + Repr.flag(elementwiseAffine) + ", bias=" + Repr.flag(parameter("bias") != null);
    }
}
