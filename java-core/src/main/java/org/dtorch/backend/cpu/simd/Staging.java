package org.dtorch.backend.cpu.simd;

import org.dtorch.backend.cpu.memory.View;

/** Moves a range of positions of a strided view to a dense run of the compute dtype, and back. */
public final class Staging {
    private Staging() {}

    /** Loads the positions {@code start .. start + n - 1}. */
    public static void load(BlockMath math, View view, long start, int n, long to) {
        load(math, view, 0, start, n, to);
    }

    /** Loads the positions {@code start .. start + n - 1} of the view moved by {@code shift} bytes. */
    public static void load(BlockMath math, View view, long shift, long start, int n, long to) {
        long inner = view.innerSize();
        long step = view.innerStep();
        if (view.sizes.length <= 1) {
            math.load(view.dtype, to, view.address + shift + start * step, step, n);
            return;
        }
        int bytes = math.dtype().bytes();
        long row = start / inner;
        long column = start - row * inner;
        int done = 0;
        while (done < n) {
            int run = (int) Math.min(n - done, inner - column);
            long from = view.rowAddress(row) + shift + column * step;
            math.load(view.dtype, to + (long) done * bytes, from, step, run);
            done += run;
            row++;
            column = 0;
        }
    }

    /** Stores to the positions {@code start .. start + n - 1}. */
    public static void store(BlockMath math, View view, long start, int n, long from) {
        long inner = view.innerSize();
        long step = view.innerStep();
        if (view.sizes.length <= 1) {
            math.store(view.dtype, view.address + start * step, step, from, n);
            return;
        }
        int bytes = math.dtype().bytes();
        long row = start / inner;
        long column = start - row * inner;
        int done = 0;
        while (done < n) {
            int run = (int) Math.min(n - done, inner - column);
            long to = view.rowAddress(row) + column * step;
            math.store(view.dtype, to, step, from + (long) done * bytes, run);
            done += run;
            row++;
            column = 0;
        }
    }
}
