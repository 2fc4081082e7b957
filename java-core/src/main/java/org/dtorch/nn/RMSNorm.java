package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;

/**
 * Divides the trailing dimensions by their root mean square, then scales them elementwise.
 *
 * <p>The weight has the normalised shape and starts with ones.
 */
public final class RMSNorm extends Layer {
    private final long[] normalizedShape;
    private final Double eps;
    private final boolean elementwiseAffine;

    /** PyTorch's defaults. */
    public RMSNorm(DTorch owner, long... normalizedShape) {
        this(TensorOptions.of(owner), normalizedShape, null, true);
    }

    /**
     * @param eps null for the smallest step from 1 in the input's dtype
     */
    public RMSNorm(TensorOptions options, long[] normalizedShape, Double eps, boolean elementwiseAffine) {
        this.normalizedShape = normalizedShape.clone();
        this.eps = eps;
        this.elementwiseAffine = elementwiseAffine;
        registerParameter("weight", elementwiseAffine ? options.ones(normalizedShape) : null);
    }

    public long[] normalizedShape() {
        return normalizedShape.clone();
    }

    /** Null for the default of the input's dtype. */
    public Double eps() {
        return eps;
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.rmsNorm(normalizedShape, parameter("weight"), eps);
    }

    @Override
    public String extraRepr() {
        return Repr.tuple(normalizedShape) + ", eps=" + (eps == null ? "None" : Repr.number(eps))
                + ", elementwise_affine=" + Repr.flag(elementwiseAffine);
    }
}
