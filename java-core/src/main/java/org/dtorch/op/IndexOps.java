package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.dtorch.placement.ReduceOp;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Operators that choose or write elements by index tensors. */
public final class IndexOps {
    private IndexOps() {}

    public static final Op EMBEDDING = kernel("embedding(Tensor input, Tensor weight, int? padding_idx=None) -> Tensor")
            .doc("The rows of weight [v, e] that the integers of input name.")
            .infer(site -> {
                DType ids = site.dtype("input");
                if (ids != DType.INT64 && ids != DType.INT32) {
                    throw DTorchError.layout(
                            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int;"
                                    + " but got %s instead (while checking arguments for embedding)",
                            TypeNames.scalar(ids));
                }
                Shape weight = site.shape("weight");
                if (weight.rank() != 2) {
                    throw DTorchError.layout("'weight' must be 2-D, got shape %s", weight);
                }
                long[] out = java.util.Arrays.copyOf(
                        site.shape("input").toArray(), site.shape("input").rank() + 1);
                out[out.length - 1] = weight.size(1);
                return one(Shape.of(out), site.dtype("weight"));
            })
            .rule((site, outputs) -> {
                int rank = site.shape("input").rank();
                int vocabulary = rank + 2;
                int[] out = Rule.fresh(rank + 1);
                int[] weight = {vocabulary, out[rank]};
                // A device that holds some rows gives zeros for the others, so the parts add up.
                return Rule.letters(new int[][] {Rule.fresh(rank), weight}, new int[][] {out})
                        .contracting(ReduceOp.SUM)
                        .linearIn(List.of(Set.of(1)), Rule.SUMS);
            })
            .kernel("embedding")
            .args(site -> new Object[] {site.shape("weight").size(0)})
            .cost(operands -> operands[2].numel())
            .functional("embedding(input, weight, padding_idx=None)")
            .function("embedding(input, weight, padding_idx=None)")
            .samples(
                    Sample.of(Sample.ints(DType.INT64, 0, 6, 5), Sample.tensor(-1, 1, 7, 4)),
                    Sample.of(Sample.ints(DType.INT64, 0, 6, 3, 2), Sample.tensor(-1, 1, 7, 4)))
            .build();

    public static final Op INDEX_KERNEL = kernel("_index(Tensor self, Tensor?[] indices, int first) -> Tensor")
            .doc("Elements by integer indices of one common shape, which stands at dimension first of the result.")
            .infer(site -> one(Indexing.resultShape(site), site.dtype("self")))
            .rule((site, outputs) -> {
                Rule rule = Indexing.rule(site, true);
                return rule.linearIn(List.of(Set.of(0)), Rule.ALL);
            })
            .kernel("index")
            .args(site -> new Object[] {site.arg("first")})
            .cost(operands -> 4.0 * operands[operands.length - 1].numel())
            .internal("index brings its operands into this form")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), new Sample.Tensor[] {Sample.ints(DType.INT64, -5, 4, 3), null}, 0L))
            .build();

    public static final Op INDEX_PUT_KERNEL = kernel(
                    "_index_put_(Tensor! self, Tensor values, Tensor?[] indices, int first, bool accumulate=False) -> Tensor")
            .doc("Writes values to integer indices of one common shape, or adds them.")
            .infer(site -> one(site.shape("self"), site.dtype("self")))
            .rule((site, outputs) -> Indexing.rule(site, false).linearIn(List.of(Set.of(0, 1)), Rule.SUMS))
            .kernel("index_put")
            .args(site -> new Object[] {site.arg("first"), site.arg("accumulate")})
            .cost(operands -> 4.0 * operands[1].numel())
            .internal("index_put_ brings its operands into this form")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4),
                    Sample.tensor(-5, 5, 3, 4),
                    new Sample.Tensor[] {Sample.ints(DType.INT64, -5, 4, 3), null},
                    0L,
                    true))
            .build();

    public static final Op INDEX = composite("index(Tensor self, Tensor?[] indices) -> Tensor")
            .doc("Advanced indexing: integers choose elements, bool tensors those where they are True, None takes a"
                    + " dimension whole.")
            .is((k, s) -> {
                Indexing indexing = Indexing.of(k, s.op(), s.tensor("self"), s.tensors("indices"));
                return indexing.isEmpty()
                        ? k.call(ViewOps.ALIAS, s.arg("self"))
                        : k.call(INDEX_KERNEL, s.arg("self"), indexing.indices(), (long) indexing.first());
            })
            .internal("Tensor.__getitem__ splits its index into views and it")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), new Sample.Tensor[] {Sample.ints(DType.INT64, -5, 4, 3)}),
                    Sample.of(
                            Sample.tensor(-5, 5, 5, 4),
                            new Sample.Tensor[] {null, Sample.ints(DType.INT64, 0, 3, 2, 2)}),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), new Sample.Tensor[] {Sample.mask(5)}))
            .build();

    public static final Op INDEX_PUT_ = composite(
                    "index_put_(Tensor! self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor")
            .doc("Writes values, broadcast, to the elements that advanced indexing chooses, or adds them.")
            .is((k, s) -> {
                Value self = s.tensor("self");
                Value values = s.tensor("values");
                if (values.dtype() != self.dtype()) {
                    throw DTorchError.runtime(
                            "Index put requires the source and destination dtypes match, got %s for the destination and %s for"
                                    + " the source.",
                            TypeNames.scalar(self.dtype()), TypeNames.scalar(values.dtype()));
                }
                Indexing indexing = Indexing.of(k, s.op(), self, s.tensors("indices"));
                if (indexing.isEmpty()) {
                    Value source = s.flag("accumulate") ? k.call(PointwiseOps.ADD, self, values) : values;
                    return k.call(TensorOps.COPY_, self, source);
                }
                Shape target = indexing.resultShape(self.shape());
                if (!fits(values.shape(), target)) {
                    throw DTorchError.layout(
                            "shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s",
                            values.shape(), target);
                }
                Value full = Indexing.broadcast(k, values, target);
                return written(
                        k,
                        self,
                        indexing.dims(),
                        whole -> k.call(
                                INDEX_PUT_KERNEL,
                                whole,
                                full,
                                indexing.indices(),
                                (long) indexing.first(),
                                s.arg("accumulate")));
            })
            .method("index_put_(indices, values, accumulate=False)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4),
                    new Sample.Tensor[] {Sample.ints(DType.INT64, 0, 0, 1)},
                    Sample.tensor(-5, 5, 4)))
            .build();

    public static final Op INDEX_PUT = composite(
                    "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor")
            .doc("A copy of self with values at the elements that advanced indexing chooses.")
            .is((k, s) -> k.call(
                    INDEX_PUT_, copy(k, s.tensor("self")), s.arg("indices"), s.arg("values"), s.arg("accumulate")))
            .both("index_put(input, indices, values, accumulate=False)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4),
                    new Sample.Tensor[] {Sample.ints(DType.INT64, 0, 4, 3)},
                    Sample.tensor(-5, 5, 4),
                    true))
            .build();

    public static final Op INDEX_SELECT = kernel("index_select(Tensor self, int dim, Tensor index) -> Tensor")
            .doc("The slices along dim that index, a vector of integers, names.")
            .infer(site -> {
                Shape index = site.shape("index");
                if (index.rank() > 1) {
                    throw DTorchError.index("index_select(): Index is supposed to be a vector");
                }
                checkIndexDType(site, "index_select(): Expected dtype int32 or int64 for index");
                Shape self = site.shape("self");
                int dim = site.dim("dim", "self");
                if (self.rank() == 0 && index.numel() != 1) {
                    throw DTorchError.index(
                            "index_select(): Index to scalar can have only 1 value, got %d value(s)", index.numel());
                }
                return one(self.rank() == 0 ? self : self.with(dim, index.numel()), site.dtype("self"));
            })
            .rule((site, outputs) -> {
                int dim = site.dim("dim", "self");
                int[] out = Rule.fresh(site.shape("self").rank());
                boolean vector = out.length > 0 && site.shape("index").rank() > 0;
                int[] index = vector
                        ? new int[] {out[dim]}
                        : new int[site.shape("index").rank()];
                int[][] results = {vector ? out : Rule.whole(out, dim)};
                return Rule.letters(new int[][] {Rule.whole(out, dim), index}, results)
                        .linearIn(List.of(Set.of(0)), Rule.ALL);
            })
            .kernel("index_select")
            .args(site -> new Object[] {(long) site.dim("dim", "self")})
            .cost(operands -> operands[2].numel())
            .both("index_select(input, dim, index)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, Sample.ints(DType.INT64, 0, 4, 3)),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), 1L, Sample.ints(DType.INT64, 2, 2)),
                    Sample.of(Sample.tensor(-5, 5), 0L, Sample.ints(DType.INT64, 0, 0, 1)))
            .build();

    public static final Op INDEX_ADD_ = composite(
                    "index_add_(Tensor! self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor")
            .doc("Adds alpha times the slices of source to the slices along dim that index names.")
            .is((k, s) -> {
                Scalar alpha = (Scalar) s.arg("alpha");
                Value source = s.tensor("source");
                Value scaled = alpha.toDouble() == 1 ? source : k.call(PointwiseOps.MUL, source, alpha);
                return putSlices(k, s, CastOps.to(k, scaled, s.dtype("self")), true);
            })
            .method("index_add_(dim, index, source, *, alpha=1)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), 0L, Sample.ints(DType.INT64, 0, 4, 3), Sample.tensor(-5, 5, 3, 4)))
            .build();

    public static final Op INDEX_ADD = composite(
                    "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor")
            .doc("A copy of self with alpha times the slices of source added along dim.")
            .is((k, s) -> k.call(INDEX_ADD_, withCopy(k, s)))
            .both("index_add(input, dim, index, source, *, alpha=1)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), 0L, Sample.ints(DType.INT64, 0, 4, 3), Sample.tensor(-5, 5, 3, 4)))
            .build();

    public static final Op INDEX_COPY_ = composite(
                    "index_copy_(Tensor! self, int dim, Tensor index, Tensor source) -> Tensor")
            .doc("Writes the slices of source to the slices along dim that index names.")
            .is((k, s) -> putSlices(k, s, s.tensor("source"), false))
            .method("index_copy_(dim, index, source)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), 0L, Sample.ints(DType.INT64, 2, 2, 1), Sample.tensor(-5, 5, 1, 4)))
            .build();

    public static final Op INDEX_FILL_ = composite(
                    "index_fill_(Tensor! self, int dim, Tensor index, Scalar value) -> Tensor")
            .doc("Writes value to the slices along dim that index names.")
            .is((k, s) -> putSlices(
                    k, s, CreateOps.scalar(k, (Scalar) s.arg("value"), s.dtype("self"), s.tensor("self")), false))
            .method("index_fill_(dim, index, value)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, Sample.ints(DType.INT64, 0, 4, 3), Scalar.of(1.5)))
            .build();

    public static final Op GATHER = kernel("gather(Tensor self, int dim, Tensor index) -> Tensor")
            .doc("out[i][j] = self[index[i][j]][j], where dim is 0.")
            .infer(site -> {
                checkGather(site, "gather", "self");
                return one(site.shape("index"), site.dtype("self"));
            })
            .rule((site, outputs) -> {
                Shape self = site.shape("self");
                int dim = site.dim("dim", "self");
                int[] out = Rule.fresh(self.rank());
                int[] in = Rule.whole(out, dim);
                for (int d = 0; d < self.rank(); d++) {
                    if (d != dim && self.size(d) != site.shape("index").size(d)) {
                        in[d] = Rule.WHOLE;
                        out[d] = Rule.WHOLE;
                    }
                }
                return Rule.letters(new int[][] {in, out}, new int[][] {out}).linearIn(List.of(Set.of(0)), Rule.ALL);
            })
            .kernel("gather")
            .args(site -> new Object[] {(long) site.dim("dim", "self")})
            .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
            .cost(operands -> 4.0 * operands[2].numel())
            .both("gather(input, dim, index)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 1L, Sample.ints(DType.INT64, 0, 3, 5, 2)))
            .build();

    public static final Op SCATTER_KERNEL = kernel(
                    "_scatter_(Tensor! self, Tensor index, Tensor src, int dim, bool accumulate=False) -> Tensor")
            .doc("self[index[i][j]][j] = src[i][j], where dim is 0; or adds.")
            .infer(site -> one(site.shape("self"), site.dtype("self")))
            .rule((site, outputs) -> {
                Shape self = site.shape("self");
                int dim = site.dim("dim", "self");
                int[] letters = Rule.whole(Rule.fresh(self.rank()), dim);
                for (int d = 0; d < self.rank(); d++) {
                    if (self.size(d) != site.shape("index").size(d)
                            || self.size(d) != site.shape("src").size(d)) {
                        letters[d] = Rule.WHOLE;
                    }
                }
                return Rule.letters(new int[][] {letters, letters, letters}, new int[][] {letters})
                        .linearIn(List.of(Set.of(0, 2)), Rule.SUMS);
            })
            .kernel("scatter")
            .args(site -> new Object[] {(long) site.dim("dim", "self"), site.arg("accumulate")})
            .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
            .cost(operands -> 4.0 * operands[1].numel())
            .internal("scatter_ and scatter_add_ bring their operands into this form")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4),
                    Sample.ints(DType.INT64, 0, 3, 5, 2),
                    Sample.tensor(-5, 5, 5, 2),
                    1L,
                    true))
            .build();

    public static final Op SCATTER_ = composite(
                    "scatter_(Tensor! self, int dim, Tensor index, Operand src, *, str? reduce=None) -> Tensor")
            .doc("Writes src to self at the places along dim that index names.")
            .is((k, s) -> {
                String reduce = s.text("reduce");
                if (reduce != null && !reduce.equals("add")) {
                    throw DTorchError.notImplemented("scatter_ with reduce='%s'; 'add' and None are", reduce);
                }
                return scattered(k, s, reduce != null);
            })
            .method("scatter_(dim, index, src|value, *, reduce=None)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), 1L, Sample.ints(DType.INT64, 2, 2, 5, 1), Sample.tensor(-5, 5, 5, 1)))
            .build();

    public static final Op SCATTER = composite(
                    "scatter(Tensor self, int dim, Tensor index, Operand src, *, str? reduce=None) -> Tensor")
            .doc("A copy of self with src at the places along dim that index names.")
            .is((k, s) -> k.call(SCATTER_, withCopy(k, s)))
            .both("scatter(input, dim, index, src|value, *, reduce=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 1L, Sample.ints(DType.INT64, 2, 2, 5, 1), Scalar.of(1.5)))
            .build();

    public static final Op SCATTER_ADD_ = composite(
                    "scatter_add_(Tensor! self, int dim, Tensor index, Tensor src) -> Tensor")
            .doc("Adds src to self at the places along dim that index names.")
            .is((k, s) -> scattered(k, s, true))
            .method("scatter_add_(dim, index, src)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), 1L, Sample.ints(DType.INT64, 0, 3, 5, 6), Sample.tensor(-5, 5, 5, 6)))
            .build();

    public static final Op SCATTER_ADD = composite(
                    "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
            .doc("A copy of self with src added at the places along dim that index names.")
            .is((k, s) -> k.call(SCATTER_ADD_, withCopy(k, s)))
            .both("scatter_add(input, dim, index, src)")
            .samples(Sample.of(
                    Sample.tensor(-5, 5, 5, 4), 1L, Sample.ints(DType.INT64, 0, 3, 5, 6), Sample.tensor(-5, 5, 5, 6)))
            .build();

    public static final Op NONZERO_KERNEL = kernel("_nonzero(Tensor self, int count) -> Tensor")
            .doc("The indices of the non-zero elements, of which there are count, one a row.")
            .gradient(Gradient.none("indices do not change continuously"))
            .infer(site ->
                    one(Shape.of(site.integer("count"), site.shape("self").rank()), DType.INT64))
            .rule((site, outputs) ->
                    Rule.letters(new int[][] {new int[site.shape("self").rank()]}, new int[][] {{0, 0}}))
            .kernel("nonzero")
            .internal("nonzero counts first")
            .samples(Sample.of(Sample.tensor(1, 2, 2, 3), 6L))
            .build();

    public static final Op NONZERO = composite("nonzero(Tensor self) -> Tensor")
            .doc("The indices of the non-zero elements, one a row; waits for their number.")
            .gradient(Gradient.none("indices do not change continuously"))
            .is((k, s) -> nonzero(k, s.tensor("self")))
            .both("nonzero(input)")
            .samples(Sample.of(Sample.mask(5, 4)))
            .build();

    public static final Op MASKED_SELECT = composite("masked_select(Tensor self, Tensor mask) -> Tensor")
            .doc("The elements where mask is True, as a vector; waits for their number.")
            .is((k, s) -> {
                needsMask(s);
                Shape common = Shape.broadcast(s.shape("self"), s.shape("mask"));
                Value self = Indexing.broadcast(k, s.tensor("self"), common);
                Value mask = Indexing.broadcast(k, s.tensor("mask"), common);
                if (common.rank() == 0) {
                    self = k.call(ViewOps.RESHAPE, self, new long[] {1});
                    mask = k.call(ViewOps.RESHAPE, mask, new long[] {1});
                }
                return k.call(INDEX, self, new Value[] {mask});
            })
            .both("masked_select(input, mask)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.mask(5, 4)))
            .build();

    public static final Op MASKED_SCATTER_ = composite(
                    "masked_scatter_(Tensor! self, Tensor mask, Tensor source) -> Tensor")
            .doc("Writes the elements of source, in order, to where mask is True; waits for their number.")
            .is((k, s) -> {
                needsMask(s);
                if (s.dtype("self") != s.dtype("source")) {
                    throw DTorchError.runtime(
                            "masked_scatter: expected self and source to have same dtypes but got %s and %s",
                            TypeNames.scalar(s.dtype("self")), TypeNames.scalar(s.dtype("source")));
                }
                Value mask = Indexing.broadcast(k, s.tensor("mask"), s.shape("self"));
                Value places = nonzero(k, mask);
                long count = places.shape().size(0);
                Value flat = k.call(ViewOps.RESHAPE, s.arg("source"), new long[] {-1});
                if (flat.shape().size(0) < count) {
                    throw DTorchError.runtime(
                            "Number of elements of source < number of ones in mask (%d < %d)",
                            flat.shape().size(0), count);
                }
                Value values = k.call(ViewOps.NARROW, flat, 0L, 0L, count);
                return k.call(INDEX_PUT_, s.arg("self"), Indexing.columns(k, places), values);
            })
            .method("masked_scatter_(mask, source)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.mask(5, 4), Sample.tensor(-5, 5, 20)))
            .build();

    public static final Op MASKED_SCATTER = composite(
                    "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor")
            .doc("A copy of self with the elements of source, in order, where mask is True.")
            .is((k, s) -> {
                Shape common = Shape.broadcast(s.shape("self"), s.shape("mask"));
                Value copied = copy(k, Indexing.broadcast(k, s.tensor("self"), common));
                return k.call(MASKED_SCATTER_, copied, s.arg("mask"), s.arg("source"));
            })
            .both("masked_scatter(input, mask, source)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.mask(5, 4), Sample.tensor(-5, 5, 20)))
            .build();

    public static final Op TAKE_ALONG_DIM = composite(
                    "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor")
            .doc("Elements along dim by indices that broadcast against self; without dim, of the flattened tensor.")
            .is((k, s) -> {
                if (s.isAbsent("dim")) {
                    Value flat = k.call(ViewOps.RESHAPE, s.arg("self"), new long[] {-1});
                    return k.call(GATHER, flat, 0L, k.call(ViewOps.RESHAPE, s.arg("indices"), new long[] {-1}));
                }
                int dim = s.dim("dim", "self");
                Shape self = s.shape("self");
                Shape indices = s.shape("indices");
                Shape common = Shape.broadcast(self.with(dim, 1), indices.with(dim, 1));
                Value x = Indexing.broadcast(k, s.tensor("self"), common.with(dim, self.size(dim)));
                Value index = Indexing.broadcast(k, s.tensor("indices"), common.with(dim, indices.size(dim)));
                return k.call(GATHER, x, (long) dim, index);
            })
            .both("take_along_dim(input, indices, dim=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.ints(DType.INT64, 0, 3, 5, 1), 1L))
            .build();

    /** The indices of the non-zero elements of a tensor, one a row; waits for their number. */
    static Value nonzero(Calls k, Value x) {
        long count = k.readLong(k.call(ReductionOps.SUM, k.call(ComparisonOps.NE, x, Scalar.of(0))));
        return k.call(NONZERO_KERNEL, x, count);
    }

    private static boolean fits(Shape shape, Shape target) {
        try {
            return Shape.broadcast(shape, target).equals(target);
        } catch (DTorchError e) {
            return false;
        }
    }

    /** Writes slices along dim by index, which is advanced indexing of one dimension. */
    private static Value putSlices(Calls k, Site s, Value source, boolean accumulate) {
        int dim = s.dim("dim", "self");
        Value[] indices = new Value[dim + 1];
        indices[dim] = s.tensor("index");
        if (s.shape("index").rank() > 1) {
            throw DTorchError.index("%s: Index should have dimension 1 or 0", s.op().name());
        }
        return k.call(INDEX_PUT_, s.arg("self"), indices, source, accumulate);
    }

    /**
     * Writes by index into self. Where self is sharded on a dimension that the index reaches, or partial, the write goes
     * into a copy that is whole there, which is then copied back.
     */
    private static Value written(Calls k, Value self, long[] dims, UnaryOperator<Value> write) {
        boolean reaches = self.layout().hasPartial();
        for (long dim : dims) {
            reaches |= self.layout().isShardedOn((int) dim);
        }
        if (!reaches) {
            return write.apply(self);
        }
        return k.call(TensorOps.COPY_, self, write.apply(k.call(TensorOps.WHOLE_CLONE, self, dims)));
    }

    /** A copy that can be written by index. */
    private static Value copy(Calls k, Value self) {
        return self.layout().hasPartial()
                ? k.call(TensorOps.WHOLE_CLONE, self, new long[0])
                : k.call(TensorOps.CLONE, self);
    }

    private static Object[] withCopy(Calls k, Site s) {
        Object[] args = s.args().clone();
        args[0] = copy(k, s.tensor("self"));
        return args;
    }

    private static Value scattered(Calls k, Site s, boolean accumulate) {
        checkGather(s, s.op().name(), "self");
        if (s.arg("src") instanceof Value v) {
            for (int d = 0; d < s.shape("index").rank(); d++) {
                if (s.shape("index").size(d) > v.shape().size(d)) {
                    throw DTorchError.layout(
                            "Expected index %s to be no larger than src %s", s.shape("index"), v.shape());
                }
            }
            if (v.dtype() != s.dtype("self")) {
                throw DTorchError.runtime("%s(): Expected self.dtype to be equal to src.dtype", s.op().name());
            }
        }
        Value src = s.arg("src") instanceof Value v
                ? v
                : Indexing.broadcast(
                        k,
                        CreateOps.scalar(k, (Scalar) s.arg("src"), s.dtype("self"), s.tensor("self")),
                        s.shape("index"));
        long[] dims = new long[s.shape("self").rank()];
        int count = 0;
        for (int d = 0; d < dims.length; d++) {
            boolean same = d != s.dim("dim", "self")
                    && s.shape("self").size(d) == s.shape("index").size(d)
                    && s.shape("self").size(d) == src.shape().size(d);
            if (!same) {
                dims[count++] = d;
            }
        }
        return written(
                k,
                s.tensor("self"),
                java.util.Arrays.copyOf(dims, count),
                whole -> k.call(SCATTER_KERNEL, whole, s.arg("index"), src, s.arg("dim"), accumulate));
    }

    private static void checkGather(Site site, String name, String self) {
        Shape x = site.shape(self);
        Shape index = site.shape("index");
        if (Math.max(x.rank(), 1) != Math.max(index.rank(), 1)) {
            throw DTorchError.layout(
                    "Index tensor must have the same number of dimensions as %s tensor",
                    name.equals("gather") ? "input" : "self");
        }
        if (site.dtype("index") != DType.INT64 && site.dtype("index") != DType.INT32) {
            throw DTorchError.runtime("%s(): Expected dtype int32/int64 for index", name);
        }
        int dim = site.dim("dim", self);
        for (int d = 0; d < x.rank() && d < index.rank(); d++) {
            if (d != dim && index.size(d) > x.size(d)) {
                throw DTorchError.layout(
                        "Size does not match at dimension %d expected index %s to be no larger than self %s apart from"
                                + " dimension %d",
                        d, index, x, dim);
            }
        }
    }

    private static void checkIndexDType(Site site, String message) {
        if (site.dtype("index") != DType.INT64 && site.dtype("index") != DType.INT32) {
            throw DTorchError.runtime(message);
        }
    }

    private static void needsMask(Site s) {
        if (s.dtype("mask") != DType.BOOL) {
            throw DTorchError.runtime(
                    "%s: expected BoolTensor for mask, got %s", s.op().name(), TypeNames.scalar(s.dtype("mask")));
        }
    }

    private static TensorMeta[] one(Shape shape, DType dtype) {
        return new TensorMeta[] {new TensorMeta(shape, dtype)};
    }
}
