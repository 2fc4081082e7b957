package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;

import java.util.List;
import java.util.Set;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** Operators that go along a dimension in order: extremes with their places, sorting, cumulation. */
public final class OrderOps {
    private OrderOps() {}

    public static final Op ARG_REDUCE = kernel(
                    "arg_reduce(Tensor self, int dim, bool largest, bool keepdim=False) -> (Tensor values, Tensor indices)")
            .doc("The greatest or smallest element along dim and its index, the first on ties.")
            .infer(site -> {
                int dim = site.dim("dim", "self");
                Shape in = site.shape("self");
                if (in.size(dim) == 0) {
                    throw DTorchError.index(
                            "%s(): Expected reduction dim %d to have non-zero size.",
                            site.flag("largest") ? "max" : "min", dim);
                }
                Shape out = ReductionRow.reduced(in, new int[] {dim}, site.flag("keepdim"));
                return new TensorMeta[] {new TensorMeta(out, site.dtype("self")), new TensorMeta(out, DType.INT64)};
            })
            .rule((site, out) -> alongDim(site, out, site.flag("keepdim")))
            .kernel("arg_reduce")
            .args(site -> new Object[] {(long) site.dim("dim", "self"), site.arg("largest")})
            .fit((operands, inputs, site) -> {
                int[] dim = {site.dim("dim", "self")};
                for (int i = inputs; i < operands.length; i++) {
                    operands[i] = Fits.keepDims(operands[i], operands[0], dim);
                }
            })
            .internal("max, min, argmax and argmin with dim are written in it")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), 1L, true),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, false, true))
            .build();

    public static final Op MAX_DIM = composite(
                    "max_dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
            .doc("The greatest element along dim and its index, the first on ties.")
            .body((k, s) -> extreme(k, s, true))
            .both("max(input, dim, keepdim=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 1L), Sample.of(Sample.tensor(-5, 5), -1L))
            .build();

    public static final Op MIN_DIM = composite(
                    "min_dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)")
            .doc("The smallest element along dim and its index, the first on ties.")
            .body((k, s) -> extreme(k, s, false))
            .both("min(input, dim, keepdim=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 1L))
            .build();

    public static final Op ARGMAX = composite("argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
            .doc("The index of the greatest element along dim, or of the flattened tensor.")
            .gradient(Gradient.none("an index does not change continuously"))
            .is((k, s) -> argExtreme(k, s, true))
            .both("argmax(input, dim=None, keepdim=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 5, 4), 0L))
            .build();

    public static final Op ARGMIN = composite("argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
            .doc("The index of the smallest element along dim, or of the flattened tensor.")
            .gradient(Gradient.none("an index does not change continuously"))
            .is((k, s) -> argExtreme(k, s, false))
            .both("argmin(input, dim=None, keepdim=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 5, 4), 0L))
            .build();

    public static final Op SORT = kernel(
                    "sort(Tensor self, int dim=-1, bool descending=False, bool stable=False) -> (Tensor values, Tensor"
                            + " indices)")
            .doc("The elements along dim in order, and where they were; always stable.")
            .infer(OrderOps::sameShape)
            .rule((site, out) -> alongDim(site, out, true))
            .kernel("sort")
            .args(site -> new Object[] {(long) site.dim("dim", "self"), site.arg("descending")})
            .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
            .both("sort(input, dim=-1, descending=False, stable=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, true))
            .build();

    public static final Op ARGSORT = composite(
                    "argsort(Tensor self, int dim=-1, bool descending=False, bool stable=False) -> Tensor")
            .doc("The indices that put the elements along dim in order.")
            .gradient(Gradient.none("an index does not change continuously"))
            .is((k, s) -> k.all(SORT, s.args())[1])
            .both("argsort(input, dim=-1, descending=False, stable=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op TOPK = kernel(
                    "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor"
                            + " indices)")
            .doc("The k greatest or smallest elements along dim and where they were.")
            .infer(site -> {
                Shape in = site.shape("self");
                int dim = site.dim("dim", "self");
                long k = site.integer("k");
                if (k < 0 || k > (in.rank() == 0 ? 1 : in.size(dim))) {
                    throw DTorchError.runtime("selected index k out of range");
                }
                Shape out = in.rank() == 0 ? in : in.with(dim, k);
                return new TensorMeta[] {new TensorMeta(out, site.dtype("self")), new TensorMeta(out, DType.INT64)};
            })
            .rule((site, out) -> alongDim(site, out, true))
            .kernel("topk")
            .args(site -> new Object[] {(long) site.dim("dim", "self"), site.arg("largest"), site.arg("sorted")})
            .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
            .both("topk(input, k, dim=-1, largest=True, sorted=True)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 2L), Sample.of(Sample.tensor(-5, 5, 5, 4), 3L, 0L, false))
            .build();

    public static final Op CUMSUM_KERNEL = kernel("_cumsum(Tensor self, int dim) -> Tensor")
            .doc("The running sum along dim, in the dtype of the input.")
            .infer(site -> new TensorMeta[] {sameShape(site)[0]})
            .rule((site, out) -> alongDim(site, out, true).linearIn(List.of(Set.of(0)), Rule.SUMS))
            .kernel("cumsum")
            .args(site -> new Object[] {(long) site.dim("dim", "self")})
            .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
            .internal("cumsum casts before it")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0L))
            .build();

    public static final Op CUMPROD_KERNEL = kernel("_cumprod(Tensor self, int dim) -> Tensor")
            .doc("The running product along dim, in the dtype of the input.")
            .infer(site -> new TensorMeta[] {sameShape(site)[0]})
            .rule((site, out) -> alongDim(site, out, true))
            .kernel("cumprod")
            .args(site -> new Object[] {(long) site.dim("dim", "self")})
            .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
            .internal("cumprod casts before it")
            .samples(Sample.of(Sample.tensor(0.5, 2, 5, 4), 0L))
            .build();

    public static final Op CUMSUM = composite("cumsum(Tensor self, int dim, *, DType? dtype=None) -> Tensor")
            .doc("The running sum along dim; integers and bool sum to int64.")
            .is((k, s) -> k.call(CUMSUM_KERNEL, accumulated(k, s), s.arg("dim")))
            .both("cumsum(input, dim, *, dtype=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0L), Sample.of(Sample.tensor(-5, 5, 5, 4), -1L))
            .build();

    public static final Op CUMPROD = composite("cumprod(Tensor self, int dim, *, DType? dtype=None) -> Tensor")
            .doc("The running product along dim; integers and bool give int64.")
            .is((k, s) -> k.call(CUMPROD_KERNEL, accumulated(k, s), s.arg("dim")))
            .both("cumprod(input, dim, *, dtype=None)")
            .samples(Sample.of(Sample.tensor(0.5, 2, 5, 4), 0L))
            .build();

    public static final Op CUMSUM_ = TensorOps.inPlace(CUMSUM);

    public static final Op CUMPROD_ = TensorOps.inPlace(CUMPROD);

    private static Value[] extreme(Calls k, Site s, boolean largest) {
        if (s.shape("self").rank() > 0) {
            return k.all(ARG_REDUCE, s.arg("self"), s.arg("dim"), largest, s.arg("keepdim"));
        }
        Shape.wrapDim(s.integer("dim"), 0);
        return k.all(ARG_REDUCE, k.call(ViewOps.UNSQUEEZE, s.arg("self"), 0L), 0L, largest, false);
    }

    private static Value argExtreme(Calls k, Site s, boolean largest) {
        if (s.dtype("self") == DType.BOOL) {
            throw DTorchError.runtime("%s(): does not support bool input", s.op().name());
        }
        if (!s.isAbsent("dim")) {
            return extreme(k, s, largest)[1];
        }
        Shape shape = s.shape("self");
        if (shape.numel() == 0) {
            throw DTorchError.index(
                    "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with"
                            + " the 'dim' argument.",
                    s.op().name());
        }
        Value flat = k.call(ViewOps.RESHAPE, s.arg("self"), new long[] {-1});
        Value index = k.all(ARG_REDUCE, flat, 0L, largest, false)[1];
        if (!s.flag("keepdim")) {
            return index;
        }
        long[] ones = new long[shape.rank()];
        java.util.Arrays.fill(ones, 1);
        return k.call(ViewOps.RESHAPE, index, ones);
    }

    private static Value accumulated(Calls k, Site s) {
        DType in = s.dtype("self");
        DType dtype = s.dtypeOr("dtype", in.isFloating() ? in : DType.INT64);
        return in == dtype ? s.tensor("self") : k.call(CastOps.CAST, s.arg("self"), dtype);
    }

    private static TensorMeta[] sameShape(Site site) {
        site.dim("dim", "self");
        Shape in = site.shape("self");
        return new TensorMeta[] {new TensorMeta(in, site.dtype("self")), new TensorMeta(in, DType.INT64)};
    }

    /** Every dimension but dim may be cut; {@code keeps} says whether dim stays in the outputs. */
    private static Rule alongDim(Site site, TensorMeta[] outputs, boolean keeps) {
        int rank = site.shape("self").rank();
        int dim = site.dim("dim", "self");
        int[] in = Rule.whole(Rule.fresh(rank), dim);
        int[] out = in;
        if (!keeps && rank > 0) {
            out = new int[rank - 1];
            for (int d = 0; d < rank; d++) {
                if (d != dim) {
                    out[d < dim ? d : d - 1] = in[d];
                }
            }
        }
        int[][] outs = new int[outputs.length][];
        java.util.Arrays.fill(outs, out);
        return Rule.letters(new int[][] {in}, outs);
    }
}
