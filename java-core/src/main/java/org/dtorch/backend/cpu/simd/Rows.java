package org.dtorch.backend.cpu.simd;

import org.dtorch.values.DType;

/** The row loops of this process for each compute dtype: scalar, or with the chosen vector width. */
public final class Rows {
    private static final RowMath FLOATS =
            Simd.chosen().isScalar() ? new FloatRows() : new org.dtorch.backend.cpu.vector.VectorFloatRows();
    private static final RowMath DOUBLES = new DoubleRows();

    private Rows() {}

    /** The loops for FLOAT32, or for FLOAT64. */
    public static RowMath of(DType compute) {
        return compute == DType.FLOAT64 ? DOUBLES : FLOATS;
    }
}
