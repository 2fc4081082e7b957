package org.dtorch.backend.cpu.vector;

import org.dtorch.backend.cpu.simd.BlockMath;

/** The vector arithmetic of all compute dtypes; touched only where the vector module is present. */
public final class VectorBlocks {
    private VectorBlocks() {}

    /** For float32, float64 and int64, in this order. */
    public static BlockMath[] all() {
        return new BlockMath[] {new VectorFloatBlocks(), new VectorDoubleBlocks(), new VectorLongBlocks()};
    }
}
