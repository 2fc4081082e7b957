package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import org.dtorch.backend.Operand;
import org.dtorch.values.Shape;

/** A run of consecutive elements of a global tensor in row-major order. */
final class RowMajorBlock {
    private RowMajorBlock() {}

    /**
     * Copies what a local operand holds of the block.
     *
     * @param block elements of the operand's dtype
     * @param start the linear global index of the block's first element
     * @param offsets where the operand lies in the global tensor
     */
    static void write(MemorySegment block, long start, Shape global, Operand to, long[] offsets) {
        int item = to.dtype().bytes();
        long count = block.byteSize() / item;
        int rank = global.rank();
        if (to.numel() == 0 || count == 0) {
            return;
        }
        if (rank == 0) {
            MemorySegment.copy(block, 0, to.memory().segment(), to.byteOffset(), item);
            return;
        }
        long rowLength = global.size(rank - 1);
        long[] index = new long[rank];
        // Row by row of the last dimension: the part of each row that the block and the operand share is one run.
        for (long row = start / rowLength; row * rowLength < start + count; row++) {
            long rest = row;
            long local = to.offset();
            boolean held = true;
            for (int d = rank - 2; d >= 0; d--) {
                index[d] = rest % global.size(d) - offsets[d];
                rest /= global.size(d);
                held &= index[d] >= 0 && index[d] < to.sizes()[d];
                local += index[d] * to.strides()[d];
            }
            if (held) {
                long low = Math.max(Math.max(start - row * rowLength, 0), offsets[rank - 1]);
                long high = Math.min(
                        Math.min(start + count - row * rowLength, rowLength), offsets[rank - 1] + to.sizes()[rank - 1]);
                if (low < high) {
                    long from = (row * rowLength + low - start) * item;
                    long step = to.strides()[rank - 1];
                    long at = local + (low - offsets[rank - 1]) * step;
                    copy(block, from, to.memory().segment(), at * item, step * item, item, high - low);
                }
            }
        }
    }

    private static void copy(
            MemorySegment from, long fromByte, MemorySegment to, long toByte, long toStep, int item, long count) {
        if (toStep == item) {
            MemorySegment.copy(from, fromByte, to, toByte, count * item);
            return;
        }
        for (long i = 0; i < count; i++) {
            MemorySegment.copy(from, fromByte + i * item, to, toByte + i * toStep, item);
        }
    }
}
