package org.dtorch.op;

import org.dtorch.values.DTorchError;

/**
 * The elements that a Python slice takes of a dimension.
 *
 * @param whole the dimension's size
 */
record Slice(long start, long length, long step, long whole) {

    /** The slice that the arguments {@code start}, {@code end} and {@code step} of a call name. */
    static Slice of(Site site) {
        if (site.shape("self").rank() == 0) {
            throw DTorchError.index("slice() cannot be applied to a 0-dim tensor.");
        }
        long size = site.shape("self").size(site.dim("dim", "self"));
        long step = site.integer("step");
        if (step <= 0) {
            throw DTorchError.value("slice step must be positive");
        }
        long start = site.isAbsent("start") ? 0 : clip(site.integer("start"), size);
        long end = site.isAbsent("end") ? size : clip(site.integer("end"), size);
        long length = end <= start ? 0 : (end - start + step - 1) / step;
        return new Slice(start, length, step, size);
    }

    boolean isWhole() {
        return start == 0 && step == 1 && length == whole;
    }

    private static long clip(long index, long size) {
        long wrapped = index < 0 ? index + size : index;
        return Math.clamp(wrapped, 0, size);
    }
}
