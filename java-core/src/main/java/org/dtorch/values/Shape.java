package org.dtorch.values;

import java.util.Arrays;

/** An immutable list of dimension sizes, outermost first; each size is at least 0. */
public final class Shape {
    /** The shape of a 0-dimensional tensor. */
    public static final Shape SCALAR = new Shape(new long[0]);

    private final long[] sizes;
    private final long numel;
    private final int hash;

    private Shape(long[] sizes) {
        this.sizes = sizes;
        long product = 1;
        for (long size : sizes) {
            if (size < 0) {
                throw DTorchError.runtime(
                        "Trying to create tensor with negative dimension %d: %s", size, Arrays.toString(sizes));
            }
            product = Math.multiplyExact(product, size);
        }
        this.numel = product;
        this.hash = Arrays.hashCode(sizes);
    }

    public static Shape of(long... sizes) {
        return sizes.length == 0 ? SCALAR : new Shape(sizes.clone());
    }

    public int rank() {
        return sizes.length;
    }

    /** The size of dimension {@code dim}, which must be in [0, rank). */
    public long size(int dim) {
        return sizes[dim];
    }

    /** A copy of the sizes. */
    public long[] toArray() {
        return sizes.clone();
    }

    /** The number of elements. */
    public long numel() {
        return numel;
    }

    /** The strides, in elements, of a dense row-major tensor of this shape. */
    public long[] contiguousStrides() {
        long[] strides = new long[sizes.length];
        long step = 1;
        for (int d = sizes.length - 1; d >= 0; d--) {
            strides[d] = step;
            step *= Math.max(sizes[d], 1);
        }
        return strides;
    }

    /** This shape with dimension {@code dim} set to {@code size}. */
    public Shape with(int dim, long size) {
        if (sizes[dim] == size) {
            return this;
        }
        long[] copy = sizes.clone();
        copy[dim] = size;
        return new Shape(copy);
    }

    /**
     * A dimension index in [0, rank) for one in [-rank, rank); a 0-dimensional tensor takes -1 and 0.
     *
     * @throws DTorchError of kind INDEX with PyTorch's text
     */
    public static int wrapDim(long dim, int rank) {
        int bound = Math.max(rank, 1);
        if (dim < -bound || dim >= bound) {
            throw DTorchError.index(
                    "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -bound, bound - 1, dim);
        }
        return (int) (dim < 0 ? dim + bound : dim);
    }

    /**
     * The common shape of two operands, dimensions aligned at the right.
     *
     * @throws DTorchError of kind LAYOUT with PyTorch's text
     */
    public static Shape broadcast(Shape a, Shape b) {
        if (a.equals(b)) {
            return a;
        }
        int rank = Math.max(a.rank(), b.rank());
        long[] out = new long[rank];
        for (int i = 1; i <= rank; i++) {
            long left = i <= a.rank() ? a.sizes[a.rank() - i] : 1;
            long right = i <= b.rank() ? b.sizes[b.rank() - i] : 1;
            if (left != right && left != 1 && right != 1) {
                throw DTorchError.layout(
                        "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d",
                        left, right, rank - i);
            }
            out[rank - i] = left == 1 ? right : left;
        }
        return new Shape(out);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof Shape that && hash == that.hash && Arrays.equals(sizes, that.sizes));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** PyTorch's form, for example {@code [2, 3]}. */
    @Override
    public String toString() {
        return Arrays.toString(sizes);
    }
}
