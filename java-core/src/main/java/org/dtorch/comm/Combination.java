package org.dtorch.comm;

import java.util.List;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.placement.ReduceOp;

/** Reduces equally sized pieces of host memory, member by member in group order, so that results repeat bit for bit. */
final class Combination {
    private static final int TILE = 2048;
    private static final long GRAIN_ELEMENTS = 32 << 10;

    private Combination() {}

    /** Fills each of {@code outs} with the combined {@code ins}; an output may be one of the inputs. */
    static void reduce(ReduceOp op, List<Operand> ins, List<Operand> outs) {
        long elements = ins.getFirst().numel();
        if (elements == 0 || outs.isEmpty()) {
            return;
        }
        Rows[] inRows = ins.stream().map(in -> Rows.of(in, in)).toArray(Rows[]::new);
        Rows[] outRows = outs.stream().map(out -> Rows.of(out, out)).toArray(Rows[]::new);
        Workers.shared().forRange(elements, GRAIN_ELEMENTS, (start, end) -> {
            int capacity = (int) Math.min(TILE, end - start);
            Tile sum = Tile.of(ins.getFirst().dtype(), capacity);
            Tile next = Tile.of(ins.getFirst().dtype(), capacity);
            Runs[] sources = runs(ins, inRows, start);
            Runs[] targets = runs(outs, outRows, start);
            for (long done = start; done < end; ) {
                int count = (int) Math.min(capacity, end - done);
                for (Runs run : sources) {
                    count = (int) Math.min(count, run.left());
                }
                for (Runs run : targets) {
                    count = (int) Math.min(count, run.left());
                }
                combine(op, sources, targets, sum, next, count);
                done += count;
            }
        });
    }

    private static void combine(ReduceOp op, Runs[] sources, Runs[] targets, Tile sum, Tile next, int count) {
        sources[0].load(sum, count);
        for (int m = 1; m < sources.length; m++) {
            sources[m].load(next, count);
            sum.join(op, next, count);
        }
        if (op == ReduceOp.AVG) {
            sum.divide(sources.length, count);
        }
        for (Runs target : targets) {
            target.store(sum, count);
        }
    }

    private static Runs[] runs(List<Operand> operands, Rows[] rows, long start) {
        Runs[] runs = new Runs[rows.length];
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new Runs(operands.get(i), rows[i], start);
        }
        return runs;
    }

    /** Walks over the elements of one operand in row-major order. */
    private static final class Runs {
        private final Operand operand;
        private final Rows rows;
        private final Rows.Cursor cursor;
        private long column;

        Runs(Operand operand, Rows rows, long start) {
            this.operand = operand;
            this.rows = rows;
            this.cursor = rows.cursor(start / rows.length());
            this.column = start % rows.length();
        }

        /** The elements left in the present row. */
        long left() {
            return rows.length() - column;
        }

        void load(Tile tile, int count) {
            tile.load(operand.memory().segment(), at(), rows.firstStride(), count);
            advance(count);
        }

        void store(Tile tile, int count) {
            tile.store(operand.memory().segment(), at(), rows.firstStride(), count);
            advance(count);
        }

        private long at() {
            return (operand.offset() + cursor.first() + column * rows.firstStride())
                    * operand.dtype().bytes();
        }

        private void advance(int count) {
            column += count;
            if (column == rows.length()) {
                column = 0;
                cursor.advance();
            }
        }
    }
}
