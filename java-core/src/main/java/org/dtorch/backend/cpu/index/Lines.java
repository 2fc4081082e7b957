package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.View;
import org.dtorch.values.DType;

/**
 * An operand as lines along one dimension, numbered in row-major order of the other dimensions.
 *
 * @param starts where each line begins
 * @param size the elements of a line
 * @param step the distance of its elements in bytes
 */
record Lines(View starts, long size, long step) {
    /** About as many elements as a thread should have to be worth waking. */
    private static final long GRAIN = 16 * 1024;

    /** What is done with one line. */
    @FunctionalInterface
    interface Body {
        void line(long number);
    }

    static Lines of(Operand operand, int dim) {
        return of(operand, dim, operand.sizes());
    }

    /** Lines at the positions of another operand's sizes, which are at most as large in every dimension but {@code dim}. */
    static Lines of(Operand operand, int dim, long[] sizes) {
        int rank = operand.rank();
        if (rank == 0) {
            return new Lines(View.of(operand, new int[0]), 1, 0);
        }
        int[] others = new int[rank - 1];
        for (int d = 0, next = 0; d < rank; d++) {
            if (d != dim) {
                others[next++] = d;
            }
        }
        long[] walked = sizes.clone();
        walked[dim] = operand.sizes()[dim];
        Operand part = new Operand(operand.memory(), operand.offset(), operand.dtype(), walked, operand.strides());
        return new Lines(
                View.of(part, others),
                walked[dim],
                operand.strides()[dim] * operand.dtype().bytes());
    }

    /** How many lines an operand has along {@code dim}. */
    static long count(Operand operand, int dim) {
        long count = 1;
        for (int d = 0; d < operand.rank(); d++) {
            count *= d == dim ? 1 : operand.sizes()[d];
        }
        return count;
    }

    /** Visits the lines 0 to {@code count - 1}, in parallel where it pays. */
    static void forEach(long count, long elementsPerLine, Body body) {
        Workers.shared().forRange(count, Math.max(1, GRAIN / Math.max(1, elementsPerLine)), (from, to) -> {
            for (long line = from; line < to; line++) {
                body.line(line);
            }
        });
    }

    long address(long line) {
        return starts.elementAddress(line);
    }

    DType dtype() {
        return starts.dtype;
    }
}
