package org.dtorch.backend.cpu.reduce;

import java.util.Arrays;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Scratch;
import org.dtorch.backend.cpu.memory.View;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.Staging;
import org.dtorch.recipe.Recipe;
import org.dtorch.recipe.Recipe.Combine;

/**
 * Reduces over any set of dimensions of a strided operand.
 *
 * <p>Where the input is densest in a reduced dimension, each result folds its own values ("inner"); otherwise rows of results
 * are accumulated side by side ("outer"). Floating sums of the first kind join vector sums of short runs in float64; those
 * of the second cascade: sixteen rows are summed before they are added to the level above. What is computed for a result
 * does not depend on the number of threads.
 */
public final class ReductionKernel implements Kernel {
    /** Scratch slots of one fold: each of its lanes adds up 64 values before the lanes are joined in float64. */
    private static final int RUN_SLOTS = 2;

    /** Elements of one part of a single large result. */
    private static final long PART = 64 * 1024;

    private static final int MIN_OUTER = 8;
    private static final int CASCADE = 16;
    private static final int LEVELS = 4;

    private final Combine combine;
    private final BlockMath math;
    private final int block;
    private final int run;

    public ReductionKernel(Recipe.Reduction recipe) {
        this.combine = recipe.combine();
        this.math = Blocks.of(recipe.compute());
        this.block = Scratch.SLOT_BYTES / recipe.compute().bytes();
        this.run = RUN_SLOTS * block;
    }

    @Override
    public void run(Launch launch) {
        Operand in = launch.inputs()[0];
        Operand out = launch.outputs()[0];
        long results = out.numel();
        if (results == 0) {
            return;
        }
        long values = in.numel() / results;
        int[] order = View.memoryOrder(in);
        int[] kept = new int[order.length];
        int[] reduced = new int[order.length];
        int keptCount = 0;
        int reducedCount = 0;
        for (int dim : order) {
            if (out.sizes()[dim] == 1) {
                reduced[reducedCount++] = dim;
            } else {
                kept[keptCount++] = dim;
            }
        }
        kept = Arrays.copyOf(kept, keptCount);
        View columns = View.of(in, kept);
        View rows = View.of(in, Arrays.copyOf(reduced, reducedCount));
        View target = View.of(out, kept);
        if (values == 0) {
            fillNeutral(target, results);
        } else if (innerIsKept(columns, rows)) {
            outer(columns, rows, target, results, values);
        } else {
            inner(columns, rows, target, results, values);
        }
    }

    private static boolean innerIsKept(View columns, View rows) {
        boolean denser = Math.abs(columns.innerStep()) < Math.abs(rows.innerStep());
        return denser && columns.innerStep() != 0 && columns.innerSize() >= MIN_OUTER;
    }

    private void fillNeutral(View target, long results) {
        long slot = Scratch.slots(RUN_SLOTS);
        math.put(slot, math.neutral(combine));
        for (long i = 0; i < results; i++) {
            math.store(target.dtype, target.elementAddress(i), 0, slot, 1);
        }
    }

    private void inner(View columns, View rows, View target, long results, long values) {
        if (results * values <= PART) {
            fold(columns, rows, target, 0, results, values);
        } else if (values <= PART || results >= 64) {
            Workers.shared()
                    .forRange(
                            results,
                            Math.max(1, PART / values),
                            (from, to) -> fold(columns, rows, target, from, to, values));
        } else {
            for (long result = 0; result < results; result++) {
                foldInParts(columns, rows, target, result, values);
            }
        }
    }

    private void foldInParts(View columns, View rows, View target, long result, long values) {
        long shift = columns.elementAddress(result) - columns.address;
        long[] parts = new long[(int) ((values + PART - 1) / PART)];
        Workers.shared().forRange(parts.length, 1, (from, to) -> {
            long slot = Scratch.slots(RUN_SLOTS);
            for (long part = from; part < to; part++) {
                long end = Math.min(values, (part + 1) * PART);
                parts[(int) part] = foldRange(rows, shift, part * PART, end, slot);
            }
        });
        long total = math.neutral(combine);
        for (long part : parts) {
            total = math.join(combine, total, part);
        }
        long slot = Scratch.slots(RUN_SLOTS);
        math.put(slot, total);
        math.store(target.dtype, target.elementAddress(result), 0, slot, 1);
    }

    private void fold(View columns, View rows, View target, long from, long to, long values) {
        long slot = Scratch.slots(RUN_SLOTS);
        for (long result = from; result < to; result++) {
            long shift = columns.elementAddress(result) - columns.address;
            math.put(slot, foldRange(rows, shift, 0, values, slot));
            math.store(target.dtype, target.elementAddress(result), 0, slot, 1);
        }
    }

    /** Folds the values {@code from .. to - 1} of the result whose first value lies {@code shift} bytes into the input. */
    private long foldRange(View rows, long shift, long from, long to, long slot) {
        long result = 0;
        boolean direct = rows.isDense() && rows.dtype == math.dtype();
        for (long start = from; start < to; start += run) {
            int n = (int) Math.min(run, to - start);
            long values = slot;
            if (direct) {
                values = rows.address + shift + start * math.dtype().bytes();
            } else {
                Staging.load(math, rows, shift, start, n, slot);
            }
            long part = math.fold(combine, values, n);
            result = start == from ? part : math.join(combine, result, part);
        }
        return result;
    }

    private void outer(View columns, View rows, View target, long results, long values) {
        long perThread =
                (results + Workers.shared().count() - 1) / Workers.shared().count();
        int width = (int) Math.min(block, Math.max(16L * math.lanes(), perThread));
        long chunks = (results + width - 1) / width;
        long grain = Math.max(1, PART / (width * values));
        Workers.shared().forRange(chunks, grain, (from, to) -> {
            for (long chunk = from; chunk < to; chunk++) {
                int n = (int) Math.min(width, results - chunk * width);
                accumulate(columns, rows, target, chunk * width, n, values);
            }
        });
    }

    /** The results {@code start .. start + n - 1}. */
    private void accumulate(View columns, View rows, View target, long start, int n, long values) {
        int levels = combine == Combine.SUM && math.dtype().isFloating() ? LEVELS : 1;
        long staging = Scratch.slots(levels + 1);
        long sums = staging + Scratch.SLOT_BYTES;
        int bytes = math.dtype().bytes();
        for (int level = 0; level < levels; level++) {
            clear(sums + (long) level * Scratch.SLOT_BYTES, n);
        }
        boolean direct = columns.isDense() && columns.dtype == math.dtype();
        for (long row = 0; row < values; row++) {
            long shift = rows.elementAddress(row) - rows.address;
            long from = staging;
            if (direct) {
                from = columns.address + shift + start * bytes;
            } else {
                Staging.load(math, columns, shift, start, n, staging);
            }
            math.accumulate(combine, sums, from, n);
            long full = row + 1;
            for (int level = 0; level < levels - 1 && full % CASCADE == 0; level++) {
                long lower = sums + (long) level * Scratch.SLOT_BYTES;
                math.accumulate(combine, lower + Scratch.SLOT_BYTES, lower, n);
                clear(lower, n);
                full /= CASCADE;
            }
        }
        for (int level = 1; level < levels; level++) {
            math.accumulate(combine, sums, sums + (long) level * Scratch.SLOT_BYTES, n);
        }
        Staging.store(math, target, start, n, sums);
    }

    private void clear(long slot, int n) {
        long neutral = math.neutral(combine);
        math.fill(slot, Double.longBitsToDouble(neutral), neutral, n);
    }
}
