package org.dtorch.op;

/** Views of local shards along single dimensions. */
final class Strides {
    private Strides() {}

    /** Whether the elements lie dense in row-major order. */
    static boolean isDense(StridedView view) {
        long step = 1;
        boolean dense = true;
        for (int d = view.sizes().length - 1; d >= 0; d--) {
            long size = view.sizes()[d];
            if (size == 0) {
                return true;
            }
            dense &= size == 1 || view.strides()[d] == step;
            step *= size;
        }
        return dense;
    }

    /** Every {@code step}th element from {@code start} along {@code dim}. */
    static StridedView along(StridedView in, long[] sizes, int dim, long start, long step) {
        long[] strides = in.strides().clone();
        long offset = in.offset() + start * strides[dim];
        strides[dim] *= step;
        return new StridedView(offset, sizes, strides);
    }

    /** The slice at {@code index} along {@code dim}, which goes away. */
    static StridedView without(StridedView in, int dim, long index) {
        int rank = in.sizes().length - 1;
        long[] sizes = new long[rank];
        long[] strides = new long[rank];
        for (int d = 0; d < rank; d++) {
            sizes[d] = in.sizes()[d < dim ? d : d + 1];
            strides[d] = in.strides()[d < dim ? d : d + 1];
        }
        return new StridedView(in.offset() + index * in.strides()[dim], sizes, strides);
    }
}
