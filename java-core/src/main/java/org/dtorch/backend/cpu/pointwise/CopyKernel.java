package org.dtorch.backend.cpu.pointwise;

import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.memory.View;
import org.dtorch.backend.cpu.simd.Blocks;

/**
 * Copies elements of one dtype between any strides, bit by bit.
 *
 * <p>Dense runs are moved as bytes. Where the source lies transposed to the destination, both are walked in square tiles
 * that stay in the first cache.
 */
public final class CopyKernel {
    private static final long GRAIN_BYTES = 256 * 1024;
    private static final int TILE = 16;

    private CopyKernel() {}

    /** Copies {@code from} to {@code to}, which has the same dtype and sizes. */
    public static void copy(Operand from, Operand to) {
        long numel = to.numel();
        if (numel == 0) {
            return;
        }
        int[] order = View.memoryOrder(to);
        View source = View.of(from, order);
        View target = View.of(to, order);
        int bytes = to.dtype().bytes();
        if (source.isDense() && target.isDense()) {
            if (source.address == target.address) {
                return;
            }
            parallel(
                    numel * bytes,
                    GRAIN_BYTES,
                    (start, end) -> Native.copy(source.address + start, target.address + start, end - start));
            return;
        }
        new Nest(from, to, order).copy(numel);
    }

    private static void parallel(long n, long grain, Workers.RangeBody body) {
        if (n <= grain) {
            body.run(0, n);
        } else {
            Workers.shared().forRange(n, grain, body);
        }
    }

    /** The dimensions joined where both operands allow it; the last two are walked together. */
    private static final class Nest {
        private final long from;
        private final long to;
        private final int bytes;
        private final int rank;
        private final long[] sizes;
        private final long[] fromSteps;
        private final long[] toSteps;

        Nest(Operand source, Operand target, int[] order) {
            from = Native.address(source);
            to = Native.address(target);
            bytes = target.dtype().bytes();
            sizes = new long[order.length + 2];
            fromSteps = new long[order.length + 2];
            toSteps = new long[order.length + 2];
            int count = 0;
            for (int dim : order) {
                long size = target.sizes()[dim];
                long fromStep = source.strides()[dim] * bytes;
                long toStep = target.strides()[dim] * bytes;
                boolean joins =
                        count > 0 && fromSteps[count - 1] == fromStep * size && toSteps[count - 1] == toStep * size;
                if (joins) {
                    sizes[count - 1] *= size;
                    fromSteps[count - 1] = fromStep;
                    toSteps[count - 1] = toStep;
                } else {
                    sizes[count] = size;
                    fromSteps[count] = fromStep;
                    toSteps[count++] = toStep;
                }
            }
            while (count < 2) {
                System.arraycopy(sizes, 0, sizes, 1, count);
                System.arraycopy(fromSteps, 0, fromSteps, 1, count);
                System.arraycopy(toSteps, 0, toSteps, 1, count);
                sizes[0] = 1;
                fromSteps[0] = 0;
                toSteps[0] = 0;
                count++;
            }
            rank = count;
            bringTransposedInward();
        }

        /** Puts the dimension in which the source is densest beside the innermost one. */
        private void bringTransposedInward() {
            int best = rank - 2;
            if (Math.abs(fromSteps[rank - 1]) <= bytes) {
                return;
            }
            for (int d = rank - 2; d >= 0; d--) {
                if (sizes[d] > 1 && Math.abs(fromSteps[d]) < Math.abs(fromSteps[best])) {
                    best = d;
                }
            }
            for (long[] list : new long[][] {sizes, fromSteps, toSteps}) {
                long value = list[best];
                list[best] = list[rank - 2];
                list[rank - 2] = value;
            }
        }

        void copy(long numel) {
            long rows = sizes[rank - 2];
            long columns = sizes[rank - 1];
            long strips = (rows + TILE - 1) / TILE;
            long planes = numel / (rows * columns);
            long stripBytes = Math.min(rows, TILE) * columns * bytes;
            parallel(planes * strips, Math.max(1, GRAIN_BYTES / stripBytes), (start, end) -> {
                for (long strip = start; strip < end; strip++) {
                    long rest = strip / strips;
                    long row = (strip - rest * strips) * TILE;
                    long source = from + row * fromSteps[rank - 2];
                    long target = to + row * toSteps[rank - 2];
                    for (int d = rank - 3; d >= 0; d--) {
                        long index = rest % sizes[d];
                        source += index * fromSteps[d];
                        target += index * toSteps[d];
                        rest /= sizes[d];
                    }
                    strip(source, target, (int) Math.min(TILE, rows - row), columns);
                }
            });
        }

        private void strip(long source, long target, int rows, long columns) {
            long fromRow = fromSteps[rank - 2];
            long toRow = toSteps[rank - 2];
            long fromColumn = fromSteps[rank - 1];
            long toColumn = toSteps[rank - 1];
            if (fromColumn == bytes && toColumn == bytes) {
                for (int r = 0; r < rows; r++) {
                    Native.copy(source + r * fromRow, target + r * toRow, columns * bytes);
                }
                return;
            }
            if (bytes == 4 && fromRow == bytes && toColumn == bytes) {
                Blocks.transpose().run(source, fromColumn, target, toRow, rows, Math.toIntExact(columns));
                return;
            }
            for (long c = 0; c < columns; c += TILE) {
                int width = (int) Math.min(TILE, columns - c);
                tile(source + c * fromColumn, fromRow, fromColumn, target + c * toColumn, rows, width);
            }
        }

        private void tile(long source, long fromRow, long fromStep, long target, int rows, int columns) {
            long toStep = toSteps[rank - 1];
            for (int r = 0; r < rows; r++) {
                long a = source + r * fromRow;
                long b = target + r * toSteps[rank - 2];
                switch (bytes) {
                    case 1 -> {
                        for (int c = 0; c < columns; c++) {
                            Native.putByte(b + c * toStep, Native.getByte(a + c * fromStep));
                        }
                    }
                    case 2 -> {
                        for (int c = 0; c < columns; c++) {
                            Native.putShort(b + c * toStep, Native.getShort(a + c * fromStep));
                        }
                    }
                    case 4 -> {
                        for (int c = 0; c < columns; c++) {
                            Native.putInt(b + c * toStep, Native.getInt(a + c * fromStep));
                        }
                    }
                    default -> {
                        for (int c = 0; c < columns; c++) {
                            Native.putLong(b + c * toStep, Native.getLong(a + c * fromStep));
                        }
                    }
                }
            }
        }
    }
}
