package org.dtorch.backend.cpu.pointwise;

import java.lang.foreign.MemorySegment;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.backend.cpu.memory.View;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.ffi.HostMemory;
import org.dtorch.values.DTorchError;

/**
 * An input that is dense along the output's rows, not along its columns: read strip by strip, each strip some rows that are
 * transposed into memory of the second cache, so that every cache line of the input is read once.
 */
final class TransposedInput implements AutoCloseable {
    private static final int STRIP_ROWS = 16;
    private static final long MAX_STRIP_BYTES = 1 << 20;
    private static final long MIN_JUMP_BYTES = 64;

    private final View view;
    private final int bytes;
    private final long inner;
    private final long rows;
    private final MemorySegment strip;

    /** The positions that the strip holds. */
    private long heldFrom;

    private long heldTo;

    TransposedInput(View view) {
        this.view = view;
        this.bytes = view.dtype.bytes();
        this.inner = view.innerSize();
        this.rows = view.sizes[view.sizes.length - 2];
        this.strip = HostMemory.allocate(STRIP_ROWS * inner * bytes, 64);
        if (strip == null) {
            throw new DTorchError(
                    DTorchError.Kind.OUT_OF_MEMORY, "cpu: cannot allocate " + STRIP_ROWS * inner * bytes + " bytes");
        }
    }

    /** Whether a view is read better in this way. */
    static boolean fits(View view) {
        int rank = view.sizes.length;
        int bytes = view.dtype.bytes();
        return rank >= 2
                && view.steps[rank - 2] == bytes
                && Math.abs(view.innerStep()) >= MIN_JUMP_BYTES
                && view.innerSize() >= STRIP_ROWS
                && STRIP_ROWS * view.innerSize() * bytes <= MAX_STRIP_BYTES;
    }

    /** As {@link org.dtorch.backend.cpu.simd.Staging#load}. */
    void load(BlockMath math, long start, int n, long to) {
        int done = 0;
        while (done < n) {
            long position = start + done;
            if (position < heldFrom || position >= heldTo) {
                hold(position);
            }
            int run = (int) Math.min(n - done, heldTo - position);
            long from = strip.address() + (position - heldFrom) * bytes;
            math.load(view.dtype, to + (long) done * math.dtype().bytes(), from, bytes, run);
            done += run;
        }
    }

    private void hold(long position) {
        long row = position / inner;
        long plane = row / rows;
        long first = (row - plane * rows) / STRIP_ROWS * STRIP_ROWS;
        int count = (int) Math.min(STRIP_ROWS, rows - first);
        heldFrom = (plane * rows + first) * inner;
        heldTo = heldFrom + count * inner;
        long from = view.rowAddress(plane * rows + first);
        if (bytes == 4) {
            Blocks.transpose().run(from, view.innerStep(), strip.address(), inner * bytes, count, (int) inner);
            return;
        }
        for (int r = 0; r < count; r++) {
            long to = strip.address() + r * inner * bytes;
            Element.copy(bytes, from + (long) r * bytes, view.innerStep(), to, bytes, inner);
        }
    }

    @Override
    public void close() {
        HostMemory.free(strip);
    }
}
