package org.dtorch.runtime;

import java.util.Arrays;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.values.DType;

/** What one device holds of a tensor: a strided piece of a buffer. Immutable; holds no reference of the buffer. */
public final class LocalShard {
    private final Buffer buffer;
    private final long offset;
    private final long[] sizes;
    private final long[] strides;
    private final DType dtype;

    /** Kept because it is asked for at every launch; valid while it names the buffer's memory. */
    private Operand operand;

    /**
     * @param offset the first element's position in the buffer, in elements
     * @param sizes the local sizes; not to be changed
     * @param strides in elements; not to be changed
     */
    public LocalShard(Buffer buffer, long offset, long[] sizes, long[] strides, DType dtype) {
        this.buffer = buffer;
        this.offset = offset;
        this.sizes = sizes;
        this.strides = strides;
        this.dtype = dtype;
    }

    /** A dense shard in a new buffer on {@code device}; the caller has the buffer's first reference. */
    public static LocalShard allocate(Device device, DType dtype, long... sizes) {
        return new LocalShard(Buffer.on(device, bytes(dtype, sizes)), 0, sizes, contiguousStrides(sizes), dtype);
    }

    /** A dense shard that stands for equal ones on all of {@code devices}, see {@link Buffer#sharedBy}. */
    public static LocalShard allocateShared(Device[] devices, DType dtype, long... sizes) {
        return new LocalShard(Buffer.sharedBy(devices, bytes(dtype, sizes)), 0, sizes, contiguousStrides(sizes), dtype);
    }

    /** The bytes of a dense shard. */
    public static long bytes(DType dtype, long... sizes) {
        long product = dtype.bytes();
        for (long size : sizes) {
            product = Math.multiplyExact(product, size);
        }
        return product;
    }

    /** The strides, in elements, of a dense row-major shard. */
    public static long[] contiguousStrides(long... sizes) {
        long[] strides = new long[sizes.length];
        long step = 1;
        for (int d = sizes.length - 1; d >= 0; d--) {
            strides[d] = step;
            step *= Math.max(sizes[d], 1);
        }
        return strides;
    }

    public Buffer buffer() {
        return buffer;
    }

    public Device device() {
        return buffer.device();
    }

    /** The first element's position in the buffer, in elements. */
    public long offset() {
        return offset;
    }

    /** Not to be changed. */
    public long[] sizes() {
        return sizes;
    }

    /** In elements; not to be changed. */
    public long[] strides() {
        return strides;
    }

    public DType dtype() {
        return dtype;
    }

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

    /** The bytes of its elements, as if dense. */
    public long bytes() {
        return numel() * dtype.bytes();
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

    /** Another piece of the same buffer, with absolute {@code offset}. */
    public LocalShard view(long newOffset, long[] newSizes, long[] newStrides) {
        return new LocalShard(buffer, newOffset, newSizes, newStrides, dtype);
    }

    /** What a kernel works on; allocates the buffer's memory if need be, see {@link Buffer#memory}. */
    public Operand operand() {
        Memory memory = buffer.memory();
        Operand last = operand;
        if (last == null || last.memory() != memory) {
            last = new Operand(memory, offset, dtype, sizes, strides);
            operand = last;
        }
        return last;
    }

    @Override
    public String toString() {
        return dtype.torchName() + Arrays.toString(sizes) + " on " + device();
    }
}
