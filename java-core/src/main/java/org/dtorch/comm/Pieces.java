package org.dtorch.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;

/** Copies strided pieces of host memory. */
final class Pieces {
    private static final long GRAIN_BYTES = 256 << 10;

    private Pieces() {}

    /** The part of {@code whole} that starts at {@code start} along {@code dim} and is {@code size} long. */
    static Operand slice(Operand whole, int dim, long start, long size) {
        long[] sizes = whole.sizes().clone();
        sizes[dim] = size;
        return new Operand(
                whole.memory(), whole.offset() + start * whole.strides()[dim], whole.dtype(), sizes, whole.strides());
    }

    /** Copies all elements; sizes and dtype are equal. Nothing happens when both are the same piece. */
    static void copy(Operand from, Operand to) {
        long elements = from.numel();
        if (elements == 0 || from.memory().segment().address() + from.byteOffset()
                == to.memory().segment().address() + to.byteOffset()) {
            return;
        }
        Rows rows = Rows.of(from, to);
        int bytes = from.dtype().bytes();
        if (rows.isDense() && rows.count() == 1) {
            Workers.shared().forRange(elements * bytes, GRAIN_BYTES, (start, end) -> MemorySegment.copy(
                    from.memory().segment(),
                    from.byteOffset() + start,
                    to.memory().segment(),
                    to.byteOffset() + start,
                    end - start));
        } else {
            long grain = Math.max(1, GRAIN_BYTES / (rows.length() * bytes));
            Workers.shared().forRange(rows.count(), grain, (start, end) -> copyRows(rows, from, to, start, end));
        }
    }

    private static void copyRows(Rows rows, Operand from, Operand to, long start, long end) {
        int bytes = from.dtype().bytes();
        MemorySegment source = from.memory().segment();
        MemorySegment target = to.memory().segment();
        Rows.Cursor cursor = rows.cursor(start);
        for (long row = start; row < end; row++) {
            long sourceByte = (from.offset() + cursor.first()) * bytes;
            long targetByte = (to.offset() + cursor.second()) * bytes;
            if (rows.isDense()) {
                MemorySegment.copy(source, sourceByte, target, targetByte, rows.length() * bytes);
            } else {
                copyRow(rows, bytes, source, sourceByte, target, targetByte);
            }
            cursor.advance();
        }
    }

    private static void copyRow(Rows rows, int bytes, MemorySegment source, long s, MemorySegment target, long t) {
        long sourceStep = rows.firstStride() * bytes;
        long targetStep = rows.secondStride() * bytes;
        for (long i = 0; i < rows.length(); i++, s += sourceStep, t += targetStep) {
            switch (bytes) {
                case 1 -> target.set(JAVA_BYTE, t, source.get(JAVA_BYTE, s));
                case 2 -> target.set(JAVA_SHORT_UNALIGNED, t, source.get(JAVA_SHORT_UNALIGNED, s));
                case 4 -> target.set(JAVA_INT_UNALIGNED, t, source.get(JAVA_INT_UNALIGNED, s));
                case 8 -> target.set(JAVA_LONG_UNALIGNED, t, source.get(JAVA_LONG_UNALIGNED, s));
                default -> throw new IllegalArgumentException(bytes + " bytes");
            }
        }
    }
}
