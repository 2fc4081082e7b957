package org.dtorch.backend.cpu.vector;

import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.Transpose;

/** Transposes squares of whole vectors: columns are written to an array, rows gathered from it. */
public final class VectorTranspose extends Transpose {
    private static final VectorSpecies<Integer> SPECIES = VectorWidth.shape().withLanes(int.class);
    private static final int L = SPECIES.length();

    /** One more than the lanes, so that a gather does not meet one cache bank only. */
    private static final int PITCH = L + 1;

    private static final int[] DOWN = new int[L];

    static {
        for (int i = 0; i < L; i++) {
            DOWN[i] = i * PITCH;
        }
    }

    @Override
    public void run(long from, long fromColumn, long to, long toRow, int rows, int columns) {
        int wholeRows = rows - rows % L;
        int wholeColumns = columns - columns % L;
        int[] square = new int[L * PITCH];
        for (int c = 0; c < wholeColumns; c += L) {
            for (int r = 0; r < wholeRows; r += L) {
                square(from + c * fromColumn + 4L * r, fromColumn, to + r * toRow + 4L * c, toRow, square);
            }
        }
        super.run(
                from + wholeColumns * fromColumn,
                fromColumn,
                to + 4L * wholeColumns,
                toRow,
                rows,
                columns - wholeColumns);
        super.run(from + 4L * wholeRows, fromColumn, to + wholeRows * toRow, toRow, rows - wholeRows, wholeColumns);
    }

    private static void square(long from, long fromColumn, long to, long toRow, int[] square) {
        for (int c = 0; c < L; c++) {
            IntVector.fromMemorySegment(SPECIES, Native.ALL, from + c * fromColumn, ByteOrder.LITTLE_ENDIAN)
                    .intoArray(square, c * PITCH);
        }
        for (int r = 0; r < L; r++) {
            IntVector.fromArray(SPECIES, square, r, DOWN, 0)
                    .intoMemorySegment(Native.ALL, to + r * toRow, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
