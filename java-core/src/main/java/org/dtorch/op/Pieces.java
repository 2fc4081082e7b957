package org.dtorch.op;

import java.util.Arrays;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** Into which sizes the operators of the split family cut a dimension. */
final class Pieces {
    private Pieces() {}

    /** The sizes that {@code split_sizes} names, if they add up. */
    static long[] sizes(Site site) {
        long size = size(site);
        long[] sizes = site.integers("split_sizes");
        long sum = 0;
        for (long s : sizes) {
            if (s < 0) {
                throw DTorchError.runtime(
                        "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=%s",
                        Arrays.toString(sizes));
            }
            sum += s;
        }
        if (sum != size) {
            throw DTorchError.layout(
                    "split_with_sizes expects split_sizes to sum exactly to %d (input tensor's size at dimension %d), but got"
                            + " split_sizes=%s",
                    size, site.dim("dim", "self"), Arrays.toString(sizes));
        }
        return sizes;
    }

    /** Pieces of {@code split_size}. */
    static long[] equal(Site site) {
        long split = site.integer("split_size");
        if (split < 0) {
            throw DTorchError.runtime("split expects split_size be non-negative, but got split_size=%d", split);
        }
        long size = size(site);
        if (split == 0 && size != 0) {
            throw DTorchError.runtime(
                    "split_size can only be 0 if dimension size is 0, but got dimension size of %d", size);
        }
        return cut(size, split);
    }

    /** At most {@code chunks} pieces. */
    static long[] chunks(Site site) {
        long chunks = site.integer("chunks");
        if (chunks <= 0) {
            throw DTorchError.runtime("chunk expects `chunks` to be greater than 0, got: %d", chunks);
        }
        long size = size(site);
        if (size == 0) {
            return new long[(int) chunks];
        }
        return cut(size, (size + chunks - 1) / chunks);
    }

    private static long[] cut(long size, long piece) {
        int count = piece == 0 ? 1 : (int) Math.max((size + piece - 1) / piece, 1);
        long[] sizes = new long[count];
        Arrays.fill(sizes, piece);
        sizes[count - 1] = size - piece * (count - 1);
        return sizes;
    }

    private static long size(Site site) {
        Shape shape = site.shape("self");
        if (shape.rank() == 0) {
            throw DTorchError.runtime(
                    "%s expects at least a 1-dimensional tensor", site.op().name());
        }
        return shape.size(site.dim("dim", "self"));
    }
}
