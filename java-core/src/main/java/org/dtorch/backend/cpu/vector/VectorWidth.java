package org.dtorch.backend.cpu.vector;

import jdk.incubator.vector.VectorShape;
import org.dtorch.backend.cpu.simd.Simd;

/** The one vector shape that all kernels of this process use. */
public final class VectorWidth {
    private VectorWidth() {}

    /** What the machine prefers, in bits. */
    public static int preferredBits() {
        return VectorShape.preferredShape().vectorBitSize();
    }

    static VectorShape shape() {
        return VectorShape.forBitSize(Simd.chosen().bits());
    }
}
