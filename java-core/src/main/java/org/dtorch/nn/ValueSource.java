package org.dtorch.nn;

import java.lang.foreign.MemorySegment;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** A full value outside the devices that can be read in parts, for example a tensor of a checkpoint file. */
public interface ValueSource {
    Shape shape();

    DType dtype();

    /** Copies a rectangular part, dense and row-major, to the beginning of {@code destination}. */
    void copyPart(long[] offsets, long[] sizes, MemorySegment destination);

    /** Reads parts. */
    @FunctionalInterface
    interface PartReader {
        void copyPart(long[] offsets, long[] sizes, MemorySegment destination);
    }

    static ValueSource of(Shape shape, DType dtype, PartReader reader) {
        return new ReadSource(shape, dtype, reader);
    }

    /** A source made of its parts. */
    record ReadSource(Shape shape, DType dtype, PartReader reader) implements ValueSource {
        @Override
        public void copyPart(long[] offsets, long[] sizes, MemorySegment destination) {
            reader.copyPart(offsets, sizes, destination);
        }
    }
}
