package org.dtorch.backend.cpu.simd;

import org.dtorch.backend.cpu.memory.Native;

/** Writes elements of four bytes, which lie along columns, along rows: two by two, each pair as one long. */
public class Transpose {
    /**
     * Column {@code c} begins at {@code from + c * fromColumn}, row {@code r} of the result at {@code to + r * toRow};
     * both are dense.
     */
    public void run(long from, long fromColumn, long to, long toRow, int rows, int columns) {
        int c = 0;
        for (; c + 1 < columns; c += 2) {
            long left = from + c * fromColumn;
            long right = left + fromColumn;
            long upper = to + c * 4L;
            int r = 0;
            for (; r + 1 < rows; r += 2) {
                long a = Native.getLong(left + 4L * r);
                long b = Native.getLong(right + 4L * r);
                Native.putLong(upper + r * toRow, (a & 0xFFFFFFFFL) | (b << 32));
                Native.putLong(upper + (r + 1) * toRow, (a >>> 32) | (b & 0xFFFFFFFF00000000L));
            }
            if (r < rows) {
                Native.putInt(upper + r * toRow, Native.getInt(left + 4L * r));
                Native.putInt(upper + r * toRow + 4, Native.getInt(right + 4L * r));
            }
        }
        for (int r = 0; r < rows && c < columns; r++) {
            Native.putInt(to + r * toRow + 4L * c, Native.getInt(from + c * fromColumn + 4L * r));
        }
    }
}
