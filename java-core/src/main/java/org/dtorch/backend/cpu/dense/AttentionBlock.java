package org.dtorch.backend.cpu.dense;

import java.util.Arrays;
import org.dtorch.backend.cpu.dense.AttentionProblem.Tensor4;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.backend.cpu.simd.Rows;
import org.dtorch.values.DType;

/** One block of queries (some rows of some heads that share keys) against all keys; the working memory of one thread. */
final class AttentionBlock {
    /** Up to so many rows, vector loops are faster than BLAS calls. */
    private static final int FEW_ROWS = 4;

    /** Elements of the widest vector; divides the size of a key block. */
    private static final int WIDEST = 16;

    private static final double NONE = Double.NEGATIVE_INFINITY;

    private final AttentionProblem problem;
    private final DType compute;
    private final int bytes;
    private final BlockMath blocks;
    private final RowMath math;
    private final long queries;
    private final long scores;
    private final long sums;
    private final long maskRow;
    /** Of each row: the greatest score so far, the sum of exp(score − greatest), and the query's position. */
    private final double[] greatest;

    private final double[] weight;
    private final long[] position;

    private int rows;

    /** @param space holds the working memory as long as this is used */
    AttentionBlock(AttentionProblem problem, int mostRows, WorkSpace space) {
        this.problem = problem;
        compute = problem.compute();
        bytes = compute.bytes();
        blocks = Blocks.of(compute);
        math = Rows.of(compute);
        queries = space.take((long) mostRows * problem.queryWidth() * bytes);
        scores = space.take((long) mostRows * KeyBlocks.SIZE * bytes);
        sums = space.take((long) mostRows * problem.valueWidth() * bytes);
        maskRow = space.take((long) KeyBlocks.SIZE * bytes);
        greatest = new double[mostRows];
        weight = new double[mostRows];
        position = new long[mostRows];
    }

    /** Fills the outputs for queries {@code firstQuery…} of heads {@code firstHead…} of the group of {@code keyHead}. */
    void compute(long n, long keyHead, long firstHead, long heads, long firstQuery, long count) {
        long head = keyHead * problem.headsPerKey() + firstHead;
        rows = (int) (heads * count);
        Arrays.fill(greatest, 0, rows, NONE);
        Arrays.fill(weight, 0, rows, 0);
        for (int r = 0; r < rows; r++) {
            Tensor4 q = problem.q();
            long query = firstQuery + r % count;
            long row = queries + (long) r * problem.queryWidth() * bytes;
            blocks.load(q.dtype(), row, q.at(n, head + r / count, query, 0), q.step(), problem.queryWidth());
            position[r] = problem.queryPositions() == null ? 0 : problem.queryPositions()[(int) query];
        }
        long last = Arrays.stream(position, 0, rows).max().orElseThrow();
        boolean started = false;
        KeyBlocks keyBlocks = problem.keyBlocks();
        for (int block = 0; block < keyBlocks.count(); block++) {
            if (keyBlocks.isSeenFrom(block, last)) {
                addKeys(n, keyHead, head, firstQuery, count, block, last, started);
                started = true;
            }
        }
        store(n, head, firstQuery, count);
    }

    private void addKeys(
            long n, long keyHead, long head, long firstQuery, long count, int block, long last, boolean started) {
        KeyBlocks keyBlocks = problem.keyBlocks();
        int keys = keyBlocks.isAscending(block) ? keyBlocks.seen(block, last) : keyBlocks.size(block);
        long firstKey = keyBlocks.first(block);
        try (WorkSpace space = WorkSpace.open()) {
            score(problem.k().rows(n, keyHead, firstKey, keys).forBlas(compute, space));
            for (int r = 0; r < rows; r++) {
                if (problem.mask() != null) {
                    applyMask(scores(r), problem.mask(), n, head + r / count, firstQuery + r % count, firstKey, keys);
                }
                softmax(r, seen(r, block, keys), keys, started);
            }
            addValues(problem.v().rows(n, keyHead, firstKey, keys).forBlas(compute, space), keys, started);
        }
    }

    private void score(Matrix k) {
        int width = problem.queryWidth();
        long step = k.rowMajorLeading();
        if (width == 0) {
            new Matrix(scores, compute, rows, k.rows(), KeyBlocks.SIZE, 1).zero();
        } else if (rows <= FEW_ROWS && step > 0) {
            for (int r = 0; r < rows; r++) {
                long query = queries + (long) r * width * bytes;
                math.rowDots(query, k.address(), step, (int) k.rows(), width, problem.scale(), scores(r));
            }
        } else {
            Matrix q = new Matrix(queries, compute, rows, width, width, 1);
            Matrix target = new Matrix(scores, compute, rows, k.rows(), KeyBlocks.SIZE, 1);
            MatrixProduct.gemm(q, k.transposed(), target, problem.scale(), false);
        }
    }

    /** How many leading keys row r sees; where they are not the leading ones the others' scores become −inf here. */
    private int seen(int r, int block, int keys) {
        KeyBlocks keyBlocks = problem.keyBlocks();
        if (keyBlocks.isWhollySeenFrom(block, position[r])) {
            return keys;
        }
        if (keyBlocks.isAscending(block)) {
            return Math.min(keys, keyBlocks.seen(block, position[r]));
        }
        for (int j = 0; j < keys; j++) {
            if (keyBlocks.position(block, j) > position[r]) {
                exclude(scores(r), j);
            }
        }
        return keys;
    }

    private void applyMask(long row, Tensor4 mask, long n, long head, long query, long firstKey, int keys) {
        long from = mask.at(n, head, query, firstKey);
        if (mask.dtype() == DType.BOOL) {
            for (int j = 0; j < keys; j++) {
                if (Native.getByte(from + j * mask.step()) == 0) {
                    exclude(row, j);
                }
            }
        } else {
            blocks.load(mask.dtype(), maskRow, from, mask.step(), keys);
            math.add(maskRow, row, keys);
        }
    }

    /** Turns the scores of row r into weights relative to the greatest score so far; keys not seen get weight 0. */
    private void softmax(int r, int seen, int keys, boolean started) {
        long row = scores(r);
        double before = greatest[r];
        double now = Math.max(before, math.max(row, seen));
        if (now == NONE && (seen == 0 || !Double.isNaN(math.sum(row, seen)))) {
            blocks.fill(row, 0, 0, wholeVectors(keys));
            return;
        }
        double shift = now == NONE ? 0 : now; // only NaN and −inf: NaN is to come out
        // Whole vectors: what lies between the keys seen and the end of the last vector gets weight exp(−inf) = 0.
        int whole = wholeVectors(seen);
        for (int j = seen; j < whole; j++) {
            exclude(row, j);
        }
        double sum = math.exp(row, row, whole, shift);
        if (keys > whole) {
            blocks.fill(row + (long) whole * bytes, 0, 0, wholeVectors(keys - whole));
        }
        double kept = before == NONE ? 0 : Math.exp(before - shift);
        weight[r] = before == NONE && weight[r] == 0 ? sum : weight[r] * kept + sum;
        greatest[r] = now;
        if (started && kept != 1 && problem.valueWidth() > 0) {
            math.scale(sums(r), problem.valueWidth(), kept);
        }
    }

    private void addValues(Matrix v, int keys, boolean add) {
        int width = problem.valueWidth();
        if (width == 0) {
            return;
        }
        long step = v.rowMajorLeading();
        if (rows <= FEW_ROWS && step > 0) {
            for (int r = 0; r < rows; r++) {
                if (!add) {
                    clear(sums(r), width);
                }
                math.addWeightedRows(scores(r), v.address(), step, keys, width, sums(r));
            }
        } else {
            Matrix weights = new Matrix(scores, compute, rows, keys, KeyBlocks.SIZE, 1);
            MatrixProduct.gemm(weights, v, new Matrix(sums, compute, rows, width, width, 1), 1, add);
        }
    }

    private void store(long n, long head, long firstQuery, long count) {
        Tensor4 out = problem.out();
        Tensor4 lse = problem.lse();
        int width = problem.valueWidth();
        for (int r = 0; r < rows; r++) {
            boolean none = weight[r] == 0;
            if (none) {
                clear(sums(r), width);
            } else {
                math.scale(sums(r), width, 1 / weight[r]);
            }
            long query = firstQuery + r % count;
            blocks.store(out.dtype(), out.at(n, head + r / count, query, 0), out.step(), sums(r), width);
            double value = none ? NONE : greatest[r] + Math.log(weight[r]);
            long at = lse.at(n, head + r / count, query, 0);
            if (lse.dtype() == DType.FLOAT64) {
                Native.putDouble(at, value);
            } else {
                Native.putFloat(at, (float) value);
            }
        }
    }

    private long scores(int r) {
        return scores + (long) r * KeyBlocks.SIZE * bytes;
    }

    private long sums(int r) {
        return sums + (long) r * problem.valueWidth() * bytes;
    }

    /** A number of scores rounded up to whole vectors; a row of scores has room for them. */
    private static int wholeVectors(int n) {
        return (n + WIDEST - 1) & -WIDEST;
    }

    private void exclude(long row, int key) {
        if (compute == DType.FLOAT64) {
            Native.putDouble(row + key * 8L, NONE);
        } else {
            Native.putFloat(row + key * 4L, Float.NEGATIVE_INFINITY);
        }
    }

    private void clear(long row, int n) {
        if (n > 0) {
            Native.ALL.asSlice(row, (long) n * bytes).fill((byte) 0);
        }
    }
}
