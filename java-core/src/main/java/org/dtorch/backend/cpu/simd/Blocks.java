package org.dtorch.backend.cpu.simd;

import org.dtorch.backend.cpu.vector.VectorBlocks;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/** The arithmetic of this process for each compute dtype: scalar, or with the chosen vector width. */
public final class Blocks {
    private static final BlockMath[] CHOSEN = choose();

    private static final Transpose TRANSPOSE = Simd.chosen().isScalar() ? new Transpose() : VectorBlocks.transpose();

    private Blocks() {}

    public static BlockMath of(DType compute) {
        return switch (compute) {
            case FLOAT32 -> CHOSEN[0];
            case FLOAT64 -> CHOSEN[1];
            case INT64 -> CHOSEN[2];
            case BOOL, UINT8, INT8, INT16, INT32, FLOAT16, BFLOAT16 ->
                throw DTorchError.notImplemented(
                        "kernels that compute in %s; the compute dtypes are float32, float64 and int64", compute);
        };
    }

    /** How elements of four bytes are transposed. */
    public static Transpose transpose() {
        return TRANSPOSE;
    }

    private static BlockMath[] choose() {
        BlockMath[] plain = {new FloatBlocks(), new DoubleBlocks(), new LongBlocks()};
        if (Simd.chosen().isScalar()) {
            return plain;
        }
        BlockMath[] vector = VectorBlocks.all();
        if (Simd.chosen().isForced()) {
            return vector;
        }
        BlockMath[] adaptive = new BlockMath[plain.length];
        for (int i = 0; i < adaptive.length; i++) {
            adaptive[i] = new AdaptiveBlocks(plain[i], vector[i]);
        }
        return adaptive;
    }
}
