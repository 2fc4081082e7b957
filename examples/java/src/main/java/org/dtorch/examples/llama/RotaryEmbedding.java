package org.dtorch.examples.llama;

import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.CreationOptions;
import org.dtorch.values.DType;

/**
 * Cosines and sines of every position, [positions, E], in the half-split order of Hugging Face. They are no part of a
 * checkpoint, and each stage of a pipeline has its own.
 */
record RotaryEmbedding(Tensor cos, Tensor sin) {
    static RotaryEmbedding of(DTorch dt, LlamaConfig config, DeviceMesh mesh) {
        CreationOptions options = dt.options(DType.FLOAT32, mesh, null);
        Tensor exponents = dt.arange(0, config.headDim(), 2, options).div((double) config.headDim());
        Tensor theta = dt.full(new long[] {}, config.ropeTheta(), options);
        Tensor frequencies = theta.pow(exponents).reciprocal();
        Tensor half = dt.arange(0, config.maxPositions(), 1, options).outer(frequencies);
        Tensor angles = dt.cat(List.of(half, half), -1);
        return new RotaryEmbedding(angles.cos(), angles.sin());
    }

    /** Those of the positions [start, start + length). */
    RotaryEmbedding at(long start, long length) {
        return new RotaryEmbedding(cos.narrow(0, start, length), sin.narrow(0, start, length));
    }

    /** Rotates the pairs (x[i], x[i + E/2]) of x [N, H, L, E]; this has L positions. */
    Tensor apply(Tensor x) {
        long half = x.size(-1) / 2;
        Tensor rotated = x.owner().cat(List.of(x.narrow(-1, half, half).neg(), x.narrow(-1, 0, half)), -1);
        return x.mul(cos).add(rotated.mul(sin));
    }
}
