package org.dtorch.backend.cpu.dense;

import java.util.Arrays;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * An operand as rows: the dimensions that belong to a row, joined as far as their strides allow, and the others that number
 * the rows in row-major order.
 */
final class RowSet {
    private final long address;
    private final DType dtype;
    /** Sizes of the dimensions that number the rows, and their distances in bytes. */
    private final long[] outerSizes;

    private final long[] outerSteps;
    /** The same of the dimensions within a row; at least one. */
    private final long[] innerSizes;

    private final long[] innerSteps;
    private final int length;
    private final long count;

    private RowSet(Operand operand, long[] sizes, long[] strides, boolean[] inRow) {
        address = Native.address(operand);
        dtype = operand.dtype();
        Joined outer = new Joined(sizes.length);
        Joined inner = new Joined(sizes.length + 1);
        for (int d = 0; d < sizes.length; d++) {
            (inRow[d] ? inner : outer).add(sizes[d], strides[d] * dtype.bytes());
        }
        if (inner.rank == 0) {
            inner.sizes[inner.rank++] = 1;
        }
        outerSizes = outer.sizes();
        outerSteps = outer.steps();
        innerSizes = inner.sizes();
        innerSteps = inner.steps();
        long elements = product(innerSizes);
        if (elements > Integer.MAX_VALUE) {
            throw DTorchError.notImplemented("rows of %d elements (more than 2^31 - 1)", elements);
        }
        length = (int) elements;
        count = product(outerSizes);
    }

    /** Rows along one dimension. */
    static RowSet along(Operand operand, int dim) {
        boolean[] inRow = new boolean[operand.rank()];
        if (operand.rank() > 0) {
            inRow[dim] = true;
        }
        return new RowSet(operand, operand.sizes(), operand.strides(), inRow);
    }

    /** Rows over the last {@code dims} dimensions. */
    static RowSet overLast(Operand operand, int dims) {
        return of(operand, operand.sizes(), operand.strides(), dims);
    }

    /** Rows over the last {@code dims} dimensions of an operand seen with other sizes and strides. */
    static RowSet of(Operand operand, long[] sizes, long[] strides, int dims) {
        boolean[] inRow = new boolean[sizes.length];
        Arrays.fill(inRow, sizes.length - dims, sizes.length, true);
        return new RowSet(operand, sizes, strides, inRow);
    }

    /** Elements in a row. */
    int length() {
        return length;
    }

    long count() {
        return count;
    }

    /** Whether a row lies dense in the compute dtype, so that it needs no copy. */
    boolean isDense(DType compute) {
        return dtype == compute && innerSizes.length == 1 && (length <= 1 || innerSteps[0] == dtype.bytes());
    }

    long rowAddress(long row) {
        long result = address;
        long rest = row;
        for (int d = outerSizes.length - 1; d > 0; d--) {
            long next = rest / outerSizes[d];
            result += (rest - next * outerSizes[d]) * outerSteps[d];
            rest = next;
        }
        return outerSizes.length > 0 ? result + rest * outerSteps[0] : result;
    }

    /** Reads a row into a dense run of the compute dtype. */
    void load(BlockMath math, long row, long to) {
        int run = (int) innerSizes[innerSizes.length - 1];
        long step = innerSteps[innerSteps.length - 1];
        int runs = run == 0 ? 0 : length / run;
        long from = rowAddress(row);
        int bytes = math.dtype().bytes();
        for (int i = 0; i < runs; i++) {
            math.load(dtype, to + (long) i * run * bytes, from + runOffset(i), step, run);
        }
    }

    /** Writes a row from a dense run of the compute dtype. */
    void store(BlockMath math, long row, long from) {
        int run = (int) innerSizes[innerSizes.length - 1];
        long step = innerSteps[innerSteps.length - 1];
        int runs = run == 0 ? 0 : length / run;
        long to = rowAddress(row);
        int bytes = math.dtype().bytes();
        for (int i = 0; i < runs; i++) {
            math.store(dtype, to + runOffset(i), step, from + (long) i * run * bytes, run);
        }
    }

    private long runOffset(long run) {
        long result = 0;
        long rest = run;
        for (int d = innerSizes.length - 2; d >= 0; d--) {
            long next = rest / innerSizes[d];
            result += (rest - next * innerSizes[d]) * innerSteps[d];
            rest = next;
        }
        return result;
    }

    private static long product(long[] sizes) {
        long product = 1;
        for (long size : sizes) {
            product *= size;
        }
        return product;
    }

    /** Dimensions being joined where one continues the other. */
    private static final class Joined {
        final long[] sizes;
        final long[] steps;
        int rank;

        Joined(int most) {
            sizes = new long[most];
            steps = new long[most];
        }

        void add(long size, long step) {
            if (size == 1) {
                return;
            }
            if (rank > 0 && steps[rank - 1] == size * step) {
                sizes[rank - 1] *= size;
                steps[rank - 1] = step;
            } else {
                sizes[rank] = size;
                steps[rank++] = step;
            }
        }

        long[] sizes() {
            return Arrays.copyOf(sizes, rank);
        }

        long[] steps() {
            return Arrays.copyOf(steps, rank);
        }
    }
}
