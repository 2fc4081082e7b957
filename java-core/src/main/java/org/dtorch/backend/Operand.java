package org.dtorch.backend;

import org.dtorch.values.DType;

/**
 * A strided n-dimensional piece of one device's memory: what a kernel reads or writes.
 *
 * @param memory the block
 * @param offset the first element's position in the block, in elements
 * @param dtype the element type
 * @param sizes the local size of each dimension; not to be changed
 * @param strides the distance between neighbours of each dimension, in elements; 0 where broadcast; not to be changed
 */
public record Operand(Memory memory, long offset, DType dtype, long[] sizes, long[] strides) {
    public int rank() {
        return sizes.length;
    }

    public long numel() {
        long product = 1;
        for (long size : sizes) {
            product *= size;
        }
        return product;
    }

    /** Whether the elements lie dense in row-major order. */
    public boolean isContiguous() {
        long step = 1;
        for (int d = sizes.length - 1; d >= 0; d--) {
            if (sizes[d] != 1 && strides[d] != step) {
                return numel() == 0;
            }
            step *= sizes[d];
        }
        return true;
    }

    /** The byte position of the first element in {@link Memory#segment}. */
    public long byteOffset() {
        return offset * dtype.bytes();
    }
}
