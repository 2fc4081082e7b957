package org.dtorch.op;

import java.util.Arrays;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** The arithmetic of a diagonal view: two dimensions become one, the last. */
final class Diagonal {
    private Diagonal() {}

    static TensorMeta[] infer(Site site) {
        Shape in = site.shape("self");
        int a = site.dim("dim1", "self");
        int b = site.dim("dim2", "self");
        if (a == b) {
            throw DTorchError.runtime(
                    "diagonal dimensions cannot be identical %d, %d", site.integer("dim1"), site.integer("dim2"));
        }
        long offset = site.integer("offset");
        long length =
                offset >= 0 ? Math.min(in.size(a), in.size(b) - offset) : Math.min(in.size(a) + offset, in.size(b));
        int[] rest = rest(in.rank(), a, b);
        long[] out = new long[rest.length + 1];
        for (int i = 0; i < rest.length; i++) {
            out[i] = in.size(rest[i]);
        }
        out[rest.length] = Math.max(length, 0);
        return new TensorMeta[] {new TensorMeta(Shape.of(out), site.dtype("self"))};
    }

    static int[] keeps(Site site, TensorMeta[] outputs) {
        int rank = site.shape("self").rank();
        int[] keeps = new int[rank];
        Arrays.fill(keeps, -1);
        int[] rest = rest(rank, site.dim("dim1", "self"), site.dim("dim2", "self"));
        for (int i = 0; i < rest.length; i++) {
            keeps[rest[i]] = i;
        }
        return keeps;
    }

    static StridedView local(StridedView in, long[] sizes, Site site) {
        int a = site.dim("dim1", "self");
        int b = site.dim("dim2", "self");
        int[] rest = rest(in.sizes().length, a, b);
        long[] strides = new long[sizes.length];
        for (int i = 0; i < rest.length; i++) {
            strides[i] = in.strides()[rest[i]];
        }
        strides[rest.length] = in.strides()[a] + in.strides()[b];
        long offset = site.integer("offset");
        long start = offset >= 0 ? offset * in.strides()[b] : -offset * in.strides()[a];
        boolean empty = sizes[rest.length] == 0;
        return new StridedView(empty ? in.offset() : in.offset() + start, sizes, strides);
    }

    private static int[] rest(int rank, int a, int b) {
        return Arrays.stream(ViewOps.identity(rank))
                .filter(d -> d != a && d != b)
                .toArray();
    }
}
