package org.dtorch.op;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * Advanced indexing, brought into the form of the kernels.
 *
 * @param indices int64 index tensors of one common shape, null where a dimension is taken whole
 * @param first the result dimension at which the index shape stands: where the indexed dimensions are if they lie side by
 *     side, else 0
 */
record Indexing(Value[] indices, int first, Shape indexShape) {

    /**
     * Bool tensors become the indices of their True elements, which waits for their number; integers are broadcast against
     * each other and become int64.
     *
     * @throws DTorchError of kind INDEX with PyTorch's texts
     */
    static Indexing of(Calls k, Op op, Value self, Value[] given) {
        List<Value> indices = new ArrayList<>();
        for (Value index : given) {
            if (index != null && (index.dtype() == DType.BOOL || index.dtype() == DType.UINT8)) {
                checkMask(index, self.shape(), indices.size());
                if (index.shape().rank() == 0) {
                    throw DTorchError.notImplemented("%s with a 0-dimensional bool index", op.name());
                }
                indices.addAll(List.of(columns(k, IndexOps.nonzero(k, index))));
            } else {
                if (index != null && !index.dtype().isIntegral()) {
                    throw DTorchError.index(
                            "tensors used as indices must be long, int, byte or bool tensors, got %s",
                            TypeNames.scalar(index.dtype()));
                }
                indices.add(index);
            }
        }
        if (indices.size() > self.shape().rank()) {
            throw DTorchError.index(
                    "too many indices for tensor of dimension %d", self.shape().rank());
        }
        Shape common = Shape.SCALAR;
        for (Value index : indices) {
            common = index == null ? common : common(common, index.shape(), indices);
        }
        Value[] ready = new Value[self.shape().rank()];
        for (int i = 0; i < indices.size(); i++) {
            Value index = indices.get(i);
            if (index != null) {
                ready[i] = broadcast(k, CastOps.to(k, index, DType.INT64), common);
            }
        }
        return new Indexing(ready, first(ready), common);
    }

    /** Whether no dimension is indexed. */
    boolean isEmpty() {
        for (Value index : indices) {
            if (index != null) {
                return false;
            }
        }
        return true;
    }

    /** The dimensions that are indexed. */
    long[] dims() {
        return java.util.stream.LongStream.range(0, indices.length)
                .filter(d -> indices[(int) d] != null)
                .toArray();
    }

    Shape resultShape(Shape self) {
        return resultShape(self, indices, first, indexShape);
    }

    /** The columns of a matrix of indices. */
    static Value[] columns(Calls k, Value places) {
        return k.all(ViewOps.UNBIND, places, 1L);
    }

    /** {@code x} expanded to {@code shape}, itself where it has it. */
    static Value broadcast(Calls k, Value x, Shape shape) {
        return x.shape().equals(shape) ? x : k.call(ViewOps.EXPAND, x, shape.toArray());
    }

    /** The shape of the result of the row {@code _index}. */
    static Shape resultShape(Site site) {
        Value[] indices = site.tensors("indices");
        return resultShape(site.shape("self"), indices, (int) site.integer("first"), indexShape(indices));
    }

    /**
     * Dimensions that are not indexed may be cut in self and result alike. When reading, so may those of the index shape;
     * when writing, every device must see all writes.
     *
     * @param reading for {@code _index}; else for {@code _index_put_}, whose second operand has the result's shape
     */
    static Rule rule(Site site, boolean reading) {
        Shape self = site.shape("self");
        Value[] indices = site.tensors("indices");
        int first = (int) site.integer("first");
        int rank = indexShape(indices).rank();
        int[] own = Rule.fresh(self.rank());
        int[] index = new int[rank];
        for (int d = 0; d < rank && reading; d++) {
            index[d] = self.rank() + 1 + d;
        }
        List<Integer> result = new ArrayList<>();
        for (int d = 0; d < self.rank(); d++) {
            if (d < indices.length && indices[d] != null) {
                own[d] = Rule.WHOLE;
            } else {
                result.add(own[d]);
            }
        }
        for (int d = 0; d < rank; d++) {
            result.add(first + d, index[d]);
        }
        int[] indexed = result.stream().mapToInt(l -> l).toArray();
        List<int[]> inputs = new ArrayList<>();
        inputs.add(own);
        if (!reading) {
            inputs.add(indexed);
        }
        for (Value i : indices) {
            inputs.add(i == null ? null : index);
        }
        return Rule.letters(inputs.toArray(int[][]::new), new int[][] {reading ? indexed : own});
    }

    private static Shape resultShape(Shape self, Value[] indices, int first, Shape indexShape) {
        List<Long> sizes = new ArrayList<>();
        for (int d = 0; d < self.rank(); d++) {
            if (d >= indices.length || indices[d] == null) {
                sizes.add(self.size(d));
            }
        }
        for (int d = 0; d < indexShape.rank(); d++) {
            sizes.add(first + d, indexShape.size(d));
        }
        return Shape.of(sizes.stream().mapToLong(l -> l).toArray());
    }

    private static Shape indexShape(Value[] indices) {
        for (Value index : indices) {
            if (index != null) {
                return index.shape();
            }
        }
        return Shape.SCALAR;
    }

    private static int first(Value[] indices) {
        int start = -1;
        int end = -1;
        int count = 0;
        for (int d = 0; d < indices.length; d++) {
            if (indices[d] != null) {
                start = start < 0 ? d : start;
                end = d;
                count++;
            }
        }
        return count > 0 && end - start + 1 == count ? start : 0;
    }

    private static Shape common(Shape a, Shape b, List<Value> indices) {
        try {
            return Shape.broadcast(a, b);
        } catch (DTorchError e) {
            List<String> shapes = new ArrayList<>();
            for (Value index : indices) {
                if (index != null) {
                    shapes.add(index.shape().toString());
                }
            }
            throw DTorchError.index(
                    "shape mismatch: indexing tensors could not be broadcast together with shapes %s",
                    String.join(", ", shapes));
        }
    }

    private static void checkMask(Value mask, Shape self, int at) {
        for (int d = 0; d < mask.shape().rank(); d++) {
            if (at + d >= self.rank()) {
                throw DTorchError.index("too many indices for tensor of dimension %d", self.rank());
            }
            if (mask.shape().size(d) != self.size(at + d)) {
                throw DTorchError.index(
                        "The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index %d",
                        mask.shape(), d, self, at + d);
            }
        }
    }
}
