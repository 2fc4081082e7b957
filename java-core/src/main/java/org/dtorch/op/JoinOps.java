package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.dtorch.placement.Layout;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Operators that lay elements one after another: joining, repeating, turning round. */
public final class JoinOps {
    private JoinOps() {}

    public static final Op CAT_KERNEL = kernel("_cat(Tensor[] tensors, int dim) -> Tensor")
            .doc("Tensors of one dtype one after another along dim.")
            .infer(JoinOps::inferCat)
            .rule((site, outputs) -> {
                Value[] tensors = site.tensors("tensors");
                int rank = outputs[0].shape().rank();
                int[] letters = Rule.whole(Rule.fresh(rank), Shape.wrapDim(site.integer("dim"), rank));
                int[][] inputs = new int[tensors.length][];
                Set<Integer> all = new TreeSet<>();
                for (int i = 0; i < tensors.length; i++) {
                    inputs[i] = letters;
                    all.add(i);
                }
                return Rule.letters(inputs, new int[][] {letters}).linearIn(List.of(all), Rule.ALL);
            })
            .kernel("cat")
            .args(site -> new Object[] {
                (long) Shape.wrapDim(
                        site.integer("dim"), site.tensors("tensors")[0].shape().rank())
            })
            .internal("cat brings its operands into this form")
            .samples(Sample.of(new Sample.Tensor[] {Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 2, 4)}, 0L))
            .build();

    public static final Op CAT = composite("cat(Tensor[] tensors, int dim=0) -> Tensor")
            .doc("Tensors one after another along dim; their dtypes promote.")
            .is(JoinOps::cat)
            .function("cat(tensors|inputs, dim=0)")
            .function("concat(tensors|inputs, dim=0)")
            .function("concatenate(tensors|inputs, dim=0)")
            .samples(Sample.of(new Sample.Tensor[] {Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 2)}, -1L))
            .build();

    public static final Op STACK = composite("stack(Tensor[] tensors, int dim=0) -> Tensor")
            .doc("Tensors of one shape along a new dimension.")
            .is((k, s) -> {
                Value[] tensors = s.tensors("tensors");
                if (tensors.length == 0) {
                    throw DTorchError.runtime("stack expects a non-empty TensorList");
                }
                Value[] raised = new Value[tensors.length];
                for (int i = 0; i < tensors.length; i++) {
                    if (!tensors[i].shape().equals(tensors[0].shape())) {
                        throw DTorchError.layout(
                                "stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %d",
                                tensors[0].shape(), tensors[i].shape(), i);
                    }
                    raised[i] = k.call(ViewOps.UNSQUEEZE, tensors[i], s.arg("dim"));
                }
                return k.call(CAT, raised, s.arg("dim"));
            })
            .function("stack(tensors, dim=0)")
            .samples(Sample.of(new Sample.Tensor[] {Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 4)}, 1L))
            .build();

    public static final Op REPEAT = composite("repeat(Tensor self, int[] repeats) -> Tensor")
            .doc("The tensor laid out repeats[d] times along each dimension d.")
            .is((k, s) -> repeat(k, s.tensor("self"), s.integers("repeats")))
            .method("repeat(*repeats)")
            .samples(Sample.of(Sample.tensor(-5, 5, 3, 2), new long[] {2, 1, 3}))
            .build();

    public static final Op TILE = composite("tile(Tensor self, int[] dims) -> Tensor")
            .doc("The tensor laid out dims[d] times along each dimension, missing leading counts are 1.")
            .is((k, s) -> {
                int missing = Math.max(s.shape("self").rank() - s.integers("dims").length, 0);
                long[] repeats = new long[missing + s.integers("dims").length];
                Arrays.fill(repeats, 1);
                System.arraycopy(s.integers("dims"), 0, repeats, missing, s.integers("dims").length);
                return repeat(k, s.tensor("self"), repeats);
            })
            .function("tile(input, dims)")
            .method("tile(*dims)")
            .samples(Sample.of(Sample.tensor(-5, 5, 3, 2), new long[] {2}))
            .build();

    public static final Op REPEAT_INTERLEAVE_KERNEL = kernel(
                    "_repeat_interleave(Tensor self, int repeats, int dim) -> Tensor")
            .doc("Each slice along dim repeated in place.")
            .infer(site -> {
                int dim = site.dim("dim", "self");
                if (site.integer("repeats") < 0) {
                    throw DTorchError.runtime("repeats can not be negative");
                }
                Shape in = site.shape("self");
                Shape out = in.with(dim, in.size(dim) * site.integer("repeats"));
                return new TensorMeta[] {new TensorMeta(out, site.dtype("self"))};
            })
            .rule((site, out) -> {
                int[] letters = Rule.whole(Rule.fresh(out[0].shape().rank()), site.dim("dim", "self"));
                return Rule.letters(new int[][] {letters}, new int[][] {letters})
                        .linearIn(List.of(Set.of(0)), Rule.ALL);
            })
            .kernel("repeat_interleave")
            .args(site -> new Object[] {(long) site.dim("dim", "self"), site.arg("repeats")})
            .internal("repeat_interleave flattens before it where dim is absent")
            .samples(Sample.of(Sample.tensor(-5, 5, 3, 2), 2L, 0L))
            .build();

    public static final Op REPEAT_INTERLEAVE = composite(
                    "repeat_interleave(Tensor self, int repeats, int? dim=None) -> Tensor")
            .doc("Each element along dim, or of the flattened tensor, repeated in place.")
            .is((k, s) -> {
                boolean flat = s.isAbsent("dim") || s.shape("self").rank() == 0;
                Value x = flat ? k.call(ViewOps.RESHAPE, s.arg("self"), new long[] {-1}) : s.tensor("self");
                return k.call(REPEAT_INTERLEAVE_KERNEL, x, s.arg("repeats"), flat ? 0L : s.arg("dim"));
            })
            .both("repeat_interleave(input, repeats, dim=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 3, 2), 2L), Sample.of(Sample.tensor(-5, 5, 3, 2), 3L, 1L))
            .build();

    public static final Op FLIP = composite("flip(Tensor self, int[] dims) -> Tensor")
            .doc("The elements in reverse order along dims.")
            .is((k, s) -> {
                Value x = s.tensor("self");
                if (s.integers("dims").length == 0) {
                    return k.call(TensorOps.CLONE, x);
                }
                for (int dim : s.dims("dims", "self")) {
                    long size = x.shape().size(dim);
                    Value backwards = k.call(
                            CreateOps.ARANGE,
                            Scalar.of(size - 1),
                            Scalar.of(-1L),
                            Scalar.of(-1L),
                            new CreationOptions(
                                    DType.INT64, Layout.replicated(x.layout().mesh())));
                    x = k.call(IndexOps.INDEX_SELECT, x, (long) dim, backwards);
                }
                return x;
            })
            .function("flip(input, dims)")
            .method("flip(*dims)")
            .samples(Sample.of(Sample.tensor(-5, 5, 3, 4), new long[] {0, 1}))
            .build();

    public static final Op ROLL = composite("roll(Tensor self, int[] shifts, int[]? dims=None) -> Tensor")
            .doc("The elements shifted along dims, those that leave coming back at the other end.")
            .is(JoinOps::roll)
            .both("roll(input, shifts, dims=None)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 3, 4), new long[] {1}),
                    Sample.of(Sample.tensor(-5, 5, 3, 4), new long[] {2, -1}, new long[] {0, 1}))
            .build();

    private static TensorMeta[] inferCat(Site site) {
        Value[] tensors = site.tensors("tensors");
        Shape first = tensors[0].shape();
        if (first.rank() == 0) {
            throw DTorchError.layout("zero-dimensional tensor (at position 0) cannot be concatenated");
        }
        int dim = Shape.wrapDim(site.integer("dim"), first.rank());
        long size = 0;
        for (int i = 0; i < tensors.length; i++) {
            Shape shape = tensors[i].shape();
            if (shape.rank() != first.rank()) {
                throw DTorchError.layout(
                        "Tensors must have same number of dimensions: got %d and %d", first.rank(), shape.rank());
            }
            for (int d = 0; d < first.rank(); d++) {
                if (d != dim && shape.size(d) != first.size(d)) {
                    throw DTorchError.layout(
                            "Sizes of tensors must match except in dimension %d. Expected size %d but got size %d for tensor"
                                    + " number %d in the list.",
                            dim, first.size(d), shape.size(d), i);
                }
            }
            size += shape.size(dim);
        }
        return new TensorMeta[] {new TensorMeta(first.with(dim, size), tensors[0].dtype())};
    }

    private static Value cat(Calls k, Site s) {
        Value[] tensors = s.tensors("tensors");
        if (tensors.length == 0) {
            throw DTorchError.value("torch.cat(): expected a non-empty list of Tensors");
        }
        DType dtype = tensors[0].dtype();
        boolean alike = true;
        for (Value tensor : tensors) {
            alike &= tensor.dtype() == dtype && !isLegacyEmpty(tensor);
            dtype = DType.promote(dtype, tensor.dtype());
        }
        if (alike) {
            return k.call(CAT_KERNEL, tensors, s.arg("dim"));
        }
        // A 1-dimensional tensor without elements joins anything, as in PyTorch.
        List<Value> parts = new ArrayList<>();
        for (Value tensor : tensors) {
            if (!isLegacyEmpty(tensor)) {
                parts.add(CastOps.to(k, tensor, dtype));
            }
        }
        if (parts.isEmpty()) {
            return k.call(TensorOps.CLONE, CastOps.to(k, tensors[0], dtype));
        }
        return k.call(CAT_KERNEL, parts.toArray(Value[]::new), s.arg("dim"));
    }

    private static boolean isLegacyEmpty(Value tensor) {
        return tensor.shape().rank() == 1 && tensor.shape().size(0) == 0;
    }

    private static Value repeat(Calls k, Value x, long[] repeats) {
        int rank = x.shape().rank();
        int lead = repeats.length - rank;
        if (lead < 0) {
            throw DTorchError.layout(
                    "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
        }
        // [r0, s0, r1, s1, ...], expanded from [1, s0, 1, s1, ...], joins to [r0 * s0, r1 * s1, ...].
        long[] raised = new long[2 * repeats.length];
        long[] expanded = new long[raised.length];
        long[] joined = new long[repeats.length];
        for (int d = 0; d < repeats.length; d++) {
            long size = d < lead ? 1 : x.shape().size(d - lead);
            raised[2 * d] = 1;
            raised[2 * d + 1] = size;
            expanded[2 * d] = repeats[d];
            expanded[2 * d + 1] = size;
            joined[d] = repeats[d] * size;
        }
        Value wide = k.call(ViewOps.EXPAND, k.call(ViewOps.RESHAPE, x, raised), expanded);
        return k.call(ViewOps.RESHAPE, k.call(TensorOps.CLONE, wide), joined);
    }

    private static Value roll(Calls k, Site s) {
        Value x = s.tensor("self");
        long[] shifts = s.integers("shifts");
        if (s.isAbsent("dims") || s.integers("dims").length == 0) {
            if (shifts.length != 1) {
                throw DTorchError.runtime("shifts and dimensions must align. shifts: %d, dims:0", shifts.length);
            }
            Value flat = k.call(ViewOps.RESHAPE, x, new long[] {-1});
            return k.call(
                    ViewOps.RESHAPE, rolled(k, flat, 0, shifts[0]), x.shape().toArray());
        }
        long[] dims = s.integers("dims");
        if (shifts.length != dims.length) {
            throw DTorchError.runtime(
                    "shifts and dimensions must align. shifts: %d, dims:%d", shifts.length, dims.length);
        }
        for (int i = 0; i < dims.length; i++) {
            x = rolled(k, x, Shape.wrapDim(dims[i], x.shape().rank()), shifts[i]);
        }
        return x;
    }

    private static Value rolled(Calls k, Value x, int dim, long shift) {
        long size = x.shape().size(dim);
        long front = size == 0 ? 0 : Math.floorMod(shift, size);
        if (front == 0) {
            return k.call(TensorOps.CLONE, x);
        }
        Value tail = k.call(ViewOps.NARROW, x, (long) dim, size - front, front);
        Value head = k.call(ViewOps.NARROW, x, (long) dim, 0L, size - front);
        return k.call(CAT_KERNEL, new Value[] {tail, head}, (long) dim);
    }
}
