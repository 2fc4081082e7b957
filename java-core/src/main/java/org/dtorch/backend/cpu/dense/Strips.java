package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/**
 * Softmax along a dimension that is not the innermost in memory: a strip of neighbouring columns at a time, so that memory
 * is read along its lines and the vectors run across the columns.
 */
final class Strips {
    /** Columns of a strip: four vectors of the widest machine. */
    private static final int WIDTH = 64;

    private final RowSet x;
    private final RowSet y;
    private final DType dtypeX;
    private final DType dtypeY;
    private final long stepX;
    private final long stepY;
    private final int length;
    private final long columns;

    private Strips(Operand x, Operand y, int dim) {
        // The rows of these sets lie along the last dimension; each is cut into strips.
        this.x = RowSet.along(without(x, dim), x.rank() - 2);
        this.y = RowSet.along(without(y, dim), y.rank() - 2);
        dtypeX = x.dtype();
        dtypeY = y.dtype();
        stepX = x.strides()[dim] * dtypeX.bytes();
        stepY = y.strides()[dim] * dtypeY.bytes();
        length = Math.toIntExact(x.sizes()[dim]);
        columns = x.sizes()[x.rank() - 1];
    }

    /** The strips of x and y, or null when rows are the better way. */
    static Strips of(Operand x, Operand y, int dim) {
        int last = x.rank() - 1;
        boolean across = dim < last
                && x.strides()[last] == 1
                && y.strides()[last] == 1
                && x.strides()[dim] != 1
                && x.sizes()[last] >= WIDTH / 4
                && x.sizes()[dim] > 0;
        return across ? new Strips(x, y, dim) : null;
    }

    void softmax(boolean log, DType compute) {
        long perRow = (columns + WIDTH - 1) / WIDTH;
        long grain = Math.max(1, (1 << 14) / ((long) length * WIDTH));
        Workers.shared().forRange(x.count() * perRow, grain, (from, to) -> {
            BlockMath math = Blocks.of(compute);
            long run = (long) WIDTH * compute.bytes();
            try (WorkSpace space = WorkSpace.open()) {
                long values = space.take(length * run);
                long max = space.take(run);
                long sum = space.take(run);
                for (long strip = from; strip < to; strip++) {
                    long first = strip % perRow * WIDTH;
                    int width = (int) Math.min(WIDTH, columns - first);
                    long source = x.rowAddress(strip / perRow) + first * dtypeX.bytes();
                    for (int i = 0; i < length; i++) {
                        math.load(dtypeX, values + i * run, source + i * stepX, dtypeX.bytes(), width);
                    }
                    softmax(math, log, values, max, sum, run);
                    long target = y.rowAddress(strip / perRow) + first * dtypeY.bytes();
                    for (int i = 0; i < length; i++) {
                        math.store(dtypeY, target + i * stepY, dtypeY.bytes(), values + i * run, width);
                    }
                }
            }
        });
    }

    /** Whole vectors are computed; what lies beside the last column is of no meaning and is not stored. */
    private void softmax(BlockMath math, boolean log, long values, long max, long sum, long run) {
        Native.copy(values, max, run);
        for (int i = 1; i < length; i++) {
            math.accumulate(Combine.MAX, max, values + i * run, WIDTH);
        }
        math.fill(sum, 0, 0, WIDTH);
        if (log) {
            try (WorkSpace space = WorkSpace.open()) {
                long power = space.take(run);
                for (int i = 0; i < length; i++) {
                    math.binary(BinaryFunction.SUB, values + i * run, values + i * run, max, WIDTH, WIDTH);
                    math.unary(UnaryFunction.EXP, power, values + i * run, WIDTH);
                    math.accumulate(Combine.SUM, sum, power, WIDTH);
                }
            }
            math.unary(UnaryFunction.LOG, sum, sum, WIDTH);
            for (int i = 0; i < length; i++) {
                math.binary(BinaryFunction.SUB, values + i * run, values + i * run, sum, WIDTH, WIDTH);
            }
        } else {
            for (int i = 0; i < length; i++) {
                math.binary(BinaryFunction.SUB, values + i * run, values + i * run, max, WIDTH, WIDTH);
                math.unary(UnaryFunction.EXP, values + i * run, values + i * run, WIDTH);
                math.accumulate(Combine.SUM, sum, values + i * run, WIDTH);
            }
            for (int i = 0; i < length; i++) {
                math.binary(BinaryFunction.DIV, values + i * run, values + i * run, sum, WIDTH, WIDTH);
            }
        }
    }

    /** The operand at index 0 of a dimension. */
    private static Operand without(Operand operand, int dim) {
        int rank = operand.rank();
        long[] sizes = new long[rank - 1];
        long[] strides = new long[rank - 1];
        for (int d = 0; d < rank - 1; d++) {
            int source = d < dim ? d : d + 1;
            sizes[d] = operand.sizes()[source];
            strides[d] = operand.strides()[source];
        }
        return new Operand(operand.memory(), operand.offset(), operand.dtype(), sizes, strides);
    }
}
