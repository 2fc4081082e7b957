package org.dtorch.backend.cpu.vector;

import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Transpose;

/** The vector arithmetic of all compute dtypes; touched only where the vector module is present. */
public final class VectorBlocks {
    private VectorBlocks() {}

    /** For float32, float64 and int64, in this order. */
    public static BlockMath[] all() {
        return new BlockMath[] {new VectorFloatBlocks(), new VectorDoubleBlocks(), new VectorLongBlocks()};
    }

    /** How elements of four bytes are transposed. */
    public static Transpose transpose() {
        return new VectorTranspose();
    }
}
