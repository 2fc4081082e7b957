package org.dtorch.backend.cpu.simd;

import org.dtorch.values.DType;
import org.dtorch.values.DTorchError;

/** The arithmetic of this process for each compute dtype: scalar, or with the chosen vector width. */
public final class Blocks {
    private static final BlockMath[] CHOSEN =
            Simd.chosen().isScalar() ? new BlockMath[] {new FloatBlocks(), new DoubleBlocks(), new LongBlocks()} : vector();

    private Blocks() {}

    public static BlockMath of(DType compute) {
        return switch (compute) {
            case FLOAT32 -> CHOSEN[0];
            case FLOAT64 -> CHOSEN[1];
            case INT64 -> CHOSEN[2];
            case BOOL, UINT8, INT8, INT16, INT32, FLOAT16, BFLOAT16 -> throw DTorchError.notImplemented(
                    "kernels that compute in %s; the compute dtypes are float32, float64 and int64", compute);
        };
    }

    private static BlockMath[] vector() {
        return org.dtorch.backend.cpu.vector.VectorBlocks.all();
    }
}
