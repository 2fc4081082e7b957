package org.dtorch.nn;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.dtorch.api.Tensor;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** A full value in host memory, dense and row-major. */
public record HostValue(Shape shape, DType dtype, MemorySegment data) implements ValueSource {

    static HostValue of(Tensor tensor, Arena arena) {
        return new HostValue(tensor.shape(), tensor.dtype(), tensor.toSegment(arena));
    }

    @Override
    public void copyPart(long[] offsets, long[] sizes, MemorySegment destination) {
        long[] strides = shape.contiguousStrides();
        int item = dtype.bytes();
        int rank = sizes.length;
        // The longest run: trailing dimensions that are taken whole, and the one before them.
        long run = 1;
        int outerDims = rank;
        while (outerDims > 0) {
            outerDims--;
            run *= sizes[outerDims];
            if (sizes[outerDims] != shape.size(outerDims)) {
                break;
            }
        }
        long runs = 1;
        for (int d = 0; d < outerDims; d++) {
            runs *= sizes[d];
        }
        for (long r = 0; r < runs; r++) {
            long from = 0;
            long rest = r;
            for (int d = outerDims - 1; d >= 0; d--) {
                from += (offsets[d] + rest % sizes[d]) * strides[d];
                rest /= sizes[d];
            }
            for (int d = outerDims; d < rank; d++) {
                from += offsets[d] * strides[d];
            }
            MemorySegment.copy(data, from * item, destination, r * run * item, run * item);
        }
    }
}
