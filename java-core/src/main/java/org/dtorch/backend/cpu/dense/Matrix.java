package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.values.DType;

/**
 * A matrix in native memory.
 *
 * @param address of element (0, 0)
 * @param rowStep the distance between rows, in elements
 * @param colStep the distance between columns, in elements
 */
record Matrix(long address, DType dtype, long rows, long cols, long rowStep, long colStep) {

    /** A new row-major matrix of any content. */
    static Matrix dense(WorkSpace space, DType dtype, long rows, long cols) {
        return new Matrix(space.take(rows * cols * dtype.bytes()), dtype, rows, cols, cols, 1);
    }

    Matrix transposed() {
        return new Matrix(address, dtype, cols, rows, colStep, rowStep);
    }

    long at(long row, long col) {
        return address + (row * rowStep + col * colStep) * dtype.bytes();
    }

    Matrix part(long row, long someRows, long col, long someCols) {
        return new Matrix(at(row, col), dtype, someRows, someCols, rowStep, colStep);
    }

    /** The leading dimension when BLAS can take this as row-major, else 0. */
    int rowMajorLeading() {
        return leading(rows, cols, rowStep, colStep);
    }

    /** The leading dimension when BLAS can take this as the transposed of a row-major matrix, else 0. */
    int columnMajorLeading() {
        return leading(cols, rows, colStep, rowStep);
    }

    boolean fitsBlas(DType compute) {
        return dtype == compute && (rowMajorLeading() > 0 || columnMajorLeading() > 0);
    }

    private static int leading(long rows, long cols, long rowStep, long colStep) {
        if (colStep != 1 && cols != 1) {
            return 0;
        }
        long leading = rows == 1 ? Math.max(cols, 1) : rowStep;
        return leading >= Math.max(cols, 1) && leading <= Integer.MAX_VALUE ? (int) leading : 0;
    }

    /** This matrix as BLAS can take it: itself, or a dense copy in {@code compute}. */
    Matrix forBlas(DType compute, WorkSpace space) {
        if (fitsBlas(compute)) {
            return this;
        }
        if (rowStep < colStep) { // read along the memory
            return transposed().forBlas(compute, space).transposed();
        }
        Matrix copy = dense(space, compute, rows, cols);
        copy.load(this);
        return copy;
    }

    /** Sets this row-major matrix to 0. */
    void zero() {
        for (long row = 0; row < rows; row++) {
            Native.ALL.asSlice(at(row, 0), cols * dtype.bytes()).fill((byte) 0);
        }
    }

    /** Fills this row-major matrix of a compute dtype with the values of another of the same sizes. */
    void load(Matrix from) {
        BlockMath math = Blocks.of(dtype);
        long fromStep = from.colStep * from.dtype.bytes();
        for (long row = 0; row < rows; row++) {
            math.load(from.dtype, at(row, 0), from.at(row, 0), fromStep, (int) cols);
        }
    }

    /** Writes the values of this row-major matrix of a compute dtype to another of the same sizes, rounded once. */
    void store(Matrix to) {
        BlockMath math = Blocks.of(dtype);
        long toStep = to.colStep * to.dtype.bytes();
        for (long row = 0; row < rows; row++) {
            math.store(to.dtype, to.at(row, 0), toStep, at(row, 0), (int) cols);
        }
    }
}
