package org.dtorch.checkpoint;

import java.util.Arrays;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** A rectangular part of a dense row-major tensor, walked as the longest runs that are contiguous in the tensor. */
final class Rectangle {
    private final Shape shape;
    private final long[] offsets;
    private final long[] sizes;
    private final long elements;

    /**
     * The part that begins at {@code offsets} and extends by {@code sizes}.
     *
     * @param what names the tensor in errors
     * @throws DTorchError of kind INDEX if the part does not lie within the shape
     */
    Rectangle(String what, Shape shape, long[] offsets, long[] sizes) {
        this.shape = shape;
        this.offsets = offsets.clone();
        this.sizes = sizes.clone();
        boolean inside = offsets.length == shape.rank() && sizes.length == shape.rank();
        long product = 1;
        for (int d = 0; inside && d < shape.rank(); d++) {
            inside = offsets[d] >= 0 && sizes[d] >= 0 && offsets[d] <= shape.size(d) - sizes[d];
            product *= sizes[d];
        }
        if (!inside) {
            throw DTorchError.index(
                    "%s: the part at %s of sizes %s does not lie within shape %s",
                    what, Arrays.toString(offsets), Arrays.toString(sizes), shape);
        }
        this.elements = product;
    }

    long elements() {
        return elements;
    }

    /** Takes a run of {@code elements}, given by where it begins in the tensor and in the part. */
    interface Run {
        void accept(long inTensor, long inPart, long elements);
    }

    void forEachRun(Run action) {
        if (elements == 0) {
            return;
        }
        // Dimensions from `outer` on are whole, or the first of them is cut but all after it are whole: one run.
        int outer = shape.rank();
        long run = 1;
        while (outer > 0) {
            outer--;
            run *= sizes[outer];
            if (sizes[outer] != shape.size(outer)) {
                break;
            }
        }
        long[] strides = shape.contiguousStrides();
        long begin = 0;
        for (int d = 0; d < shape.rank(); d++) {
            begin += offsets[d] * strides[d];
        }
        long[] at = new long[outer];
        long tensor = begin;
        for (long part = 0; part < elements; part += run) {
            action.accept(tensor, part, run);
            for (int d = outer - 1; d >= 0; d--) {
                tensor += strides[d];
                if (++at[d] < sizes[d]) {
                    break;
                }
                tensor -= at[d] * strides[d];
                at[d] = 0;
            }
        }
    }
}
