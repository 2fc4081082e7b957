package org.dtorch.op;

import java.util.List;
import java.util.Set;
import org.dtorch.placement.ReduceOp;
import org.dtorch.recipe.Recipe;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * An operator that joins the elements along the dimensions of its parameter {@code dim} (absent or empty: all), with
 * {@code keepdim} where the schema has it and {@code dtype} where it has that.
 */
final class ReductionRow extends Row<ReductionRow> {
    private Recipe.Combine combine;
    private ReduceOp joins;
    private boolean linear;
    private boolean refusesEmpty;
    private ResultDType dtype = in -> in;

    ReductionRow(String schema) {
        super(schema);
    }

    @FunctionalInterface
    interface ResultDType {
        DType apply(DType in);
    }

    /** How elements are joined, and how the partial results of shards are. */
    ReductionRow joining(Recipe.Combine how, ReduceOp partials) {
        this.combine = how;
        this.joins = partials;
        return this;
    }

    /** A sum of partial sums is a partial sum. */
    ReductionRow linear() {
        this.linear = true;
        return this;
    }

    /** There is no value for no elements. */
    ReductionRow refusesEmpty() {
        this.refusesEmpty = true;
        return this;
    }

    ReductionRow dtype(ResultDType rule) {
        this.dtype = rule;
        return this;
    }

    @Override
    ReductionRow self() {
        return this;
    }

    /** The shape after reducing {@code dims}. */
    static Shape reduced(Shape in, int[] dims, boolean keepdim) {
        boolean[] gone = new boolean[in.rank()];
        for (int dim : dims) {
            gone[dim] = true;
        }
        long[] out = new long[in.rank()];
        int n = 0;
        for (int d = 0; d < in.rank(); d++) {
            if (!gone[d]) {
                out[n++] = in.size(d);
            } else if (keepdim) {
                out[n++] = 1;
            }
        }
        return Shape.of(java.util.Arrays.copyOf(out, n));
    }

    private int[] dims(Site site) {
        return schema.has("dim") ? site.dims("dim", "self") : all(site);
    }

    private static int[] all(Site site) {
        int[] dims = new int[site.shape("self").rank()];
        for (int d = 0; d < dims.length; d++) {
            dims[d] = d;
        }
        return dims;
    }

    private boolean keepdim(Site site) {
        return schema.has("keepdim") && site.flag("keepdim");
    }

    private TensorMeta[] infer(Site site) {
        Shape in = site.shape("self");
        int[] dims = dims(site);
        if (refusesEmpty) {
            for (int dim : dims) {
                if (in.size(dim) == 0) {
                    if (!schema.has("dim") || site.isAbsent("dim")) {
                        throw DTorchError.runtime(
                                "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the"
                                        + " reduction dim with the 'dim' argument.",
                                schema.name());
                    }
                    throw DTorchError.index(
                            "%s(): Expected reduction dim %d to have non-zero size, shape %s", schema.name(), dim, in);
                }
            }
        }
        DType result = schema.has("dtype") && !site.isAbsent("dtype")
                ? (DType) site.arg("dtype")
                : dtype.apply(site.dtype("self"));
        return new TensorMeta[] {new TensorMeta(reduced(in, dims, keepdim(site)), result)};
    }

    private Rule rule(Site site, TensorMeta[] outputs) {
        int[] in = Rule.fresh(site.shape("self").rank());
        int[] dims = dims(site);
        boolean keep = keepdim(site);
        int[] out = new int[outputs[0].shape().rank()];
        int n = 0;
        for (int d = 0; d < in.length; d++) {
            int dim = d;
            boolean gone = java.util.Arrays.stream(dims).anyMatch(x -> x == dim);
            if (!gone) {
                out[n++] = in[d];
            } else if (keep) {
                out[n++] = Rule.WHOLE;
            }
        }
        Rule rule = Rule.letters(new int[][] {in}, new int[][] {out}).contracting(joins);
        return linear ? rule.linearIn(List.of(Set.of(0)), Rule.SUMS) : rule;
    }

    @Override
    OpKind kind() {
        return new OpKind.Computed(
                this::infer,
                this::rule,
                (site, outputs) ->
                        new Recipe.Reduction(combine, Promotion.compute(computeType(site, outputs[0].dtype()))),
                site -> new Object[0],
                OpKind.NeedsDense.NONE,
                (operands, inputs, site) -> operands[1] = Fits.keepDims(operands[1], operands[0], dims(site)),
                KernelRow::elements);
    }

    /** Sums to bool or of bool count; everything else computes in the wider of the two. */
    private static DType computeType(Site site, DType result) {
        DType in = site.dtype("self");
        return result == DType.BOOL ? in : result;
    }
}
