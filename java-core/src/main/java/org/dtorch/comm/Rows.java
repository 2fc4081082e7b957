package org.dtorch.comm;

import java.util.Arrays;
import org.dtorch.backend.Operand;

/**
 * Two operands of equal sizes as a list of rows, each row the innermost dimension after dense neighbours were joined.
 *
 * <p>Positions are in elements relative to the operands' first elements.
 */
final class Rows {
    private final long[] sizes;
    private final long[] firstStrides;
    private final long[] secondStrides;
    private final int outer;

    private Rows(long[] sizes, long[] firstStrides, long[] secondStrides) {
        this.sizes = sizes;
        this.firstStrides = firstStrides;
        this.secondStrides = secondStrides;
        this.outer = sizes.length - 1;
    }

    static Rows of(Operand first, Operand second) {
        int rank = first.rank();
        long[] sizes = new long[rank + 1];
        long[] firstStrides = new long[rank + 1];
        long[] secondStrides = new long[rank + 1];
        int kept = 0;
        for (int d = 0; d < rank; d++) {
            long size = first.sizes()[d];
            if (size == 1) {
                continue;
            }
            long a = first.strides()[d];
            long b = second.strides()[d];
            if (kept > 0 && firstStrides[kept - 1] == size * a && secondStrides[kept - 1] == size * b) {
                sizes[kept - 1] *= size;
                firstStrides[kept - 1] = a;
                secondStrides[kept - 1] = b;
            } else {
                sizes[kept] = size;
                firstStrides[kept] = a;
                secondStrides[kept] = b;
                kept++;
            }
        }
        if (kept == 0) {
            sizes[0] = 1;
            firstStrides[0] = 1;
            secondStrides[0] = 1;
            kept = 1;
        }
        return new Rows(
                Arrays.copyOf(sizes, kept), Arrays.copyOf(firstStrides, kept), Arrays.copyOf(secondStrides, kept));
    }

    /** Whether the elements of each row lie side by side in both operands. */
    boolean isDense() {
        return firstStrides[outer] == 1 && secondStrides[outer] == 1;
    }

    long count() {
        long product = 1;
        for (int d = 0; d < outer; d++) {
            product *= sizes[d];
        }
        return product;
    }

    /** The elements of one row. */
    long length() {
        return sizes[outer];
    }

    long firstStride() {
        return firstStrides[outer];
    }

    long secondStride() {
        return secondStrides[outer];
    }

    /** Stands on row {@code row}. */
    Cursor cursor(long row) {
        return new Cursor(row);
    }

    /** Walks over the rows in order. */
    final class Cursor {
        private final long[] index = new long[outer];
        private long first;
        private long second;

        private Cursor(long row) {
            long rest = row;
            for (int d = outer - 1; d >= 0; d--) {
                index[d] = rest % sizes[d];
                rest /= sizes[d];
                first += index[d] * firstStrides[d];
                second += index[d] * secondStrides[d];
            }
        }

        long first() {
            return first;
        }

        long second() {
            return second;
        }

        void advance() {
            for (int d = outer - 1; d >= 0; d--) {
                first += firstStrides[d];
                second += secondStrides[d];
                if (++index[d] < sizes[d]) {
                    return;
                }
                first -= sizes[d] * firstStrides[d];
                second -= sizes[d] * secondStrides[d];
                index[d] = 0;
            }
        }
    }
}
