package org.dtorch.nn;

import java.lang.foreign.MemorySegment;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.HostElements;
import org.dtorch.random.Generator;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** PyTorch's {@code trunc_normal_}, draw by draw. */
record TruncatedNormal(double mean, double std, double a, double b, Generator generator) {
    <T extends Tensor> T draw(T tensor) {
        double p = cdf((b - mean) / std) - cdf((a - mean) / std);
        return p > 0.3 ? redrawn(tensor) : rejected(tensor);
    }

    /** Normal numbers, redrawn while some lie outside. */
    private <T extends Tensor> T redrawn(T tensor) {
        // The bounds as the tensor's dtype holds them.
        double low = rounded(a, tensor.dtype());
        double high = rounded(b, tensor.dtype());
        Init.normal(tensor, mean, std, generator);
        while (true) {
            Tensor outside = tensor.lt(low).logicalOr(tensor.gt(high));
            if (!isAny(outside)) {
                return tensor;
            }
            Tensor again = Init.normal(tensor.emptyLike(), mean, std, generator);
            tensor.copy_(again.where(outside, tensor));
        }
    }

    /** Uniform numbers, accepted by the density. */
    private <T extends Tensor> T rejected(T tensor) {
        double mode = Math.max(a, Math.min(mean, b));
        double logPeak = -0.5 * ((mode - mean) / std) * ((mode - mean) / std);
        Tensor pending = null;
        while (true) {
            Tensor candidates = Init.uniform(tensor.emptyLike(), a, b, generator);
            tensor.copy_(pending == null ? candidates : candidates.where(pending, tensor));
            Tensor scaled = candidates.sub(mean).div(std);
            Tensor bound = scaled.mul(scaled).mul(-0.5).sub(logPeak);
            Tensor refused =
                    Init.uniform(tensor.emptyLike(), 0, 1, generator).log().gt(bound);
            pending = pending == null ? refused : pending.logicalAnd(refused);
            if (!isAny(pending)) {
                return tensor;
            }
        }
    }

    private static double rounded(double value, DType dtype) {
        MemorySegment cell = MemorySegment.ofArray(new long[1]);
        HostElements.set(cell, 0, dtype, Scalar.of(value));
        return HostElements.get(cell, 0, dtype).toDouble();
    }

    private static boolean isAny(Tensor mask) {
        return mask.any().item().toDouble() != 0;
    }

    private static double cdf(double x) {
        return (1.0 + erf(x / Math.sqrt(2.0))) / 2.0;
    }

    /** Abramowitz and Stegun 7.1.26 suffices: the value is only compared with 0.3. */
    private static double erf(double x) {
        double t = 1 / (1 + 0.3275911 * Math.abs(x));
        double poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
        return Math.signum(x) * (1 - poly * Math.exp(-x * x));
    }
}
