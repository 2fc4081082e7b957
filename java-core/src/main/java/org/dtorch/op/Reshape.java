package org.dtorch.op;

import java.util.Arrays;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/**
 * The arithmetic of reshaping: sizes, which shards survive, and strides.
 *
 * <p>Input and output dimensions fall into groups with the same number of elements, as [6, 4] and [8, 3] do. The elements
 * of a group are in row-major order, so only its outermost dimension can stay sharded, and only if every shard is a
 * whole number of outermost steps of both sides: the outermost sizes are equal, or both are divisible by the number of
 * shards. Dimensions of size 1 belong to no group and are not kept sharded.
 */
final class Reshape {
    private Reshape() {}

    /** The sizes asked for, with -1 worked out. */
    static Shape resolve(Shape in, long[] sizes) {
        long known = 1;
        int open = -1;
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == -1) {
                if (open >= 0) {
                    throw DTorchError.runtime("only one dimension can be inferred");
                }
                open = i;
            } else if (sizes[i] < 0) {
                throw DTorchError.runtime("invalid shape dimension %d", sizes[i]);
            } else {
                known *= sizes[i];
            }
        }
        boolean fits = open < 0 ? known == in.numel() : known != 0 && in.numel() % known == 0;
        if (open >= 0 && known == 0 && in.numel() == 0) {
            throw DTorchError.runtime(
                    "cannot reshape tensor of 0 elements into shape %s because the unspecified dimension size -1 can be any"
                            + " value and is ambiguous",
                    Arrays.toString(sizes));
        }
        if (!fits) {
            throw DTorchError.layout("shape '%s' is invalid for input of size %d", Arrays.toString(sizes), in.numel());
        }
        if (open < 0) {
            return Shape.of(sizes);
        }
        long[] out = sizes.clone();
        out[open] = in.numel() / known;
        return Shape.of(out);
    }

    /** For each input dimension the output dimension that carries its present shards on, or -1. */
    static int[] keeps(Value self, Shape out) {
        Shape in = self.shape();
        int[] keeps = new int[in.rank()];
        Arrays.fill(keeps, -1);
        if (in.numel() == 0) {
            for (int d = 0; d < Math.min(in.rank(), out.rank()) && in.size(d) == out.size(d); d++) {
                keeps[d] = d;
            }
            return keeps;
        }
        int i = 0;
        int o = 0;
        while (true) {
            i = skipOnes(in, i);
            o = skipOnes(out, o);
            if (i == in.rank() || o == out.rank()) {
                return keeps;
            }
            int firstIn = i;
            int firstOut = o;
            long left = in.size(i++);
            long right = out.size(o++);
            while (left != right) {
                if (left < right) {
                    left *= in.size(i++);
                } else {
                    right *= out.size(o++);
                }
            }
            long a = in.size(firstIn);
            long b = out.size(firstOut);
            int shards = self.layout().shardFactor(firstIn);
            if (a == b || (a % shards == 0 && b % shards == 0)) {
                keeps[firstIn] = firstOut;
            }
        }
    }

    private static int skipOnes(Shape shape, int d) {
        int next = d;
        while (next < shape.rank() && shape.size(next) == 1) {
            next++;
        }
        return next;
    }

    /** The shard with other sizes, or null where strides cannot express it. */
    static StridedView local(StridedView in, long[] sizes) {
        long numel = 1;
        for (long size : in.sizes()) {
            numel *= size;
        }
        if (numel == 0) {
            return new StridedView(in.offset(), sizes, Shape.of(sizes).contiguousStrides());
        }
        long[] strides = new long[sizes.length];
        int o = sizes.length - 1;
        long chunkBase = in.sizes().length == 0 ? 1 : in.strides()[in.sizes().length - 1];
        long inElements = 1;
        long outElements = 1;
        for (int i = in.sizes().length - 1; i >= 0; i--) {
            inElements *= in.sizes()[i];
            boolean chunkEnds = i == 0 || (in.sizes()[i - 1] != 1 && in.strides()[i - 1] != inElements * chunkBase);
            if (chunkEnds) {
                while (o >= 0 && (outElements < inElements || sizes[o] == 1)) {
                    strides[o] = outElements * chunkBase;
                    outElements *= sizes[o];
                    o--;
                }
                if (outElements != inElements) {
                    return null;
                }
                if (i > 0) {
                    chunkBase = in.strides()[i - 1];
                    inElements = 1;
                    outElements = 1;
                }
            }
        }
        for (; o >= 0; o--) {
            strides[o] = 1; // size 1
        }
        return new StridedView(in.offset(), sizes, strides);
    }
}
