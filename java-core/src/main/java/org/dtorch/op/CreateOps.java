package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.create;
import static org.dtorch.op.Rows.pointwise;

import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.recipe.Expr;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Tensors made from nothing. */
public final class CreateOps {
    private CreateOps() {}

    public static final Op EMPTY = create("empty(int[] size, *, Options options) -> Tensor")
            .doc("A tensor whose elements nobody has chosen; they are 0, so that runs repeat.")
            .filledWith(Expr.constant(0))
            .function("empty(*size, options)")
            .samples(Sample.of(new long[] {5, 4}, Sample.DEFAULTS))
            .build();

    public static final Op ZEROS = create("zeros(int[] size, *, Options options) -> Tensor")
            .doc("A tensor of zeros.")
            .filledWith(Expr.constant(0))
            .function("zeros(*size, options)")
            .samples(
                    Sample.of(new long[] {5, 4}, Sample.DEFAULTS),
                    Sample.of(new long[0], new Sample.Options(DType.INT64)))
            .build();

    public static final Op ONES = create("ones(int[] size, *, Options options) -> Tensor")
            .doc("A tensor of ones.")
            .filledWith(Expr.constant(1))
            .function("ones(*size, options)")
            .samples(Sample.of(new long[] {5, 4}, Sample.DEFAULTS))
            .build();

    public static final Op FULL = create("full(int[] size, Scalar fill_value, *, Options options) -> Tensor")
            .doc("A tensor of one number, in the default dtype unless another is asked for.")
            .filledWith(Expr.arg(0))
            .args(site -> new Object[] {site.arg("fill_value")})
            .function("full(size|shape, fill_value, options)")
            .samples(Sample.of(new long[] {5, 4}, Scalar.of(2.5), Sample.DEFAULTS))
            .build();

    public static final Op ARANGE = create(
                    "arange(Scalar start, Scalar? end=None, Scalar? step=None, *, Options options) -> Tensor")
            .doc("start, start + step, ... before end; with one number from 0 to it. int64 if all are integers.")
            .variant(site -> (int) arangeLength(site))
            .shape(site -> Shape.of(arangeLength(site)))
            .dtypeIfOpen(site -> {
                boolean floating = isFloating(site, "start") || isFloating(site, "end") || isFloating(site, "step");
                DType fallback = CreateRow.options(site).fallback();
                return floating ? (fallback == null ? DType.FLOAT32 : fallback) : DType.INT64;
            })
            .kernel("arange")
            .args(site -> new Object[] {
                site.isAbsent("end") ? Scalar.of(0) : site.arg("start"),
                site.isAbsent("step") ? Scalar.of(1) : site.arg("step")
            })
            .function("arange(start, end=None, step=None, options)")
            .samples(
                    Sample.of(Scalar.of(5), null, null, Sample.DEFAULTS),
                    Sample.of(Scalar.of(1.0), Scalar.of(3.0), Scalar.of(0.5), Sample.DEFAULTS))
            .build();

    public static final Op EYE = create("eye(int n, int? m=None, *, Options options) -> Tensor")
            .doc("Ones on the diagonal, zeros elsewhere.")
            .shape(site -> Shape.of(site.integer("n"), site.integer(site.isAbsent("m") ? "n" : "m")))
            .kernel("eye")
            .function("eye(n, m=None, options)")
            .samples(Sample.of(4L, null, Sample.DEFAULTS), Sample.of(3L, 5L, Sample.DEFAULTS))
            .build();

    public static final Op SPACED = pointwise(
                    "_spaced(Tensor index, Scalar start, Scalar end, Scalar step, Scalar last) -> Tensor")
            .doc("start + step * index in the first half, end - step * (last - index) in the second.")
            .gradient(Gradient.none("indices have no gradient"))
            .computeAt((site, e) ->
                    e[0].add(e[0]).lt(e[4].add(1)).select(e[1].add(e[3].mul(e[0])), e[2].sub(e[3].mul(e[4].sub(e[0])))))
            .withoutInPlace()
            .internal("linspace is written in it")
            .samples(Sample.of(Sample.tensor(0, 4, 5), Scalar.of(0.0), Scalar.of(1.0), Scalar.of(0.25), Scalar.of(4.0)))
            .build();

    public static final Op LINSPACE = composite(
                    "linspace(Scalar start, Scalar end, int steps, *, Options options) -> Tensor")
            .doc("steps numbers from start to end at equal distances, both included.")
            .gradient(Gradient.none("there is no input"))
            .is(CreateOps::linspace)
            .function("linspace(start, end, steps, options)")
            .samples(Sample.of(Scalar.of(0), Scalar.of(1), 5L, Sample.DEFAULTS))
            .build();

    public static final Op EMPTY_LIKE = like("empty");
    public static final Op ZEROS_LIKE = like("zeros");
    public static final Op ONES_LIKE = like("ones");

    public static final Op FULL_LIKE = composite(
                    "full_like(Tensor self, Scalar fill_value, *, Options? options=None) -> Tensor")
            .doc("A tensor of one number with shape, dtype and layout of self.")
            .gradient(Gradient.none("only the shape of the input is used"))
            .is((k, s) -> k.call(FULL, s.shape("self").toArray(), s.arg("fill_value"), following(s, true)))
            .function("full_like(input, fill_value, options)")
            .samples(Sample.of(Sample.tensor(0, 1, 5, 4), Scalar.of(2.5)))
            .build();

    public static final Op NEW_EMPTY = sibling("empty");
    public static final Op NEW_ZEROS = sibling("zeros");
    public static final Op NEW_ONES = sibling("ones");

    public static final Op NEW_FULL = composite(
                    "new_full(Tensor self, int[] size, Scalar fill_value, *, Options? options=None) -> Tensor")
            .doc("A tensor of one number with the dtype and on the mesh of self.")
            .gradient(Gradient.none("only dtype and mesh of the input are used"))
            .is((k, s) -> k.call(FULL, s.arg("size"), s.arg("fill_value"), following(s, false)))
            .method("new_full(size, fill_value, options)")
            .samples(Sample.of(Sample.tensor(0, 1, 5), new long[] {2, 3}, Scalar.of(2.5)))
            .build();

    /** A 0-dimensional tensor, replicated on the mesh of {@code like}. */
    static Value scalar(Calls k, Scalar value, DType dtype, Value like) {
        Layout layout = Layout.replicated(like.layout().mesh());
        return k.call(FULL, new long[0], value, new CreationOptions(dtype, layout));
    }

    /**
     * The options of a call, with what they leave open taken from self.
     *
     * @param sameShape whether the result has self's shape, so that it can have self's shards
     */
    static CreationOptions following(Site s, boolean sameShape) {
        CreationOptions given = (CreationOptions) s.arg("options");
        DType dtype = given == null || given.dtype() == null ? s.dtype("self") : given.dtype();
        if (given != null && given.layout() != null) {
            return new CreationOptions(dtype, given.layout());
        }
        Layout layout = s.tensor("self").layout();
        return new CreationOptions(dtype, sameShape ? withoutPartial(layout) : Layout.replicated(layout.mesh()));
    }

    /** A layout in which every element has its value: partial dimensions are replicated. */
    static Layout withoutPartial(Layout layout) {
        Layout result = layout;
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (layout.placement(m).isPartial()) {
                result = result.with(m, Placement.replicate());
            }
        }
        return result;
    }

    private static Op filler(String name) {
        return switch (name) {
            case "empty" -> EMPTY;
            case "zeros" -> ZEROS;
            default -> ONES;
        };
    }

    private static Op like(String name) {
        return composite(name + "_like(Tensor self, *, Options? options=None) -> Tensor")
                .doc("As " + name + ", with shape, dtype and layout of self.")
                .gradient(Gradient.none("only the shape of the input is used"))
                .is((k, s) -> k.call(filler(name), s.shape("self").toArray(), following(s, true)))
                .function(name + "_like(input, options)")
                .samples(Sample.of(Sample.tensor(0, 1, 5, 4)))
                .build();
    }

    private static Op sibling(String name) {
        return composite("new_" + name + "(Tensor self, int[] size, *, Options? options=None) -> Tensor")
                .doc("As " + name + ", with the dtype and on the mesh of self.")
                .gradient(Gradient.none("only dtype and mesh of the input are used"))
                .is((k, s) -> k.call(filler(name), s.arg("size"), following(s, false)))
                .method("new_" + name + "(*size, options)")
                .samples(Sample.of(Sample.tensor(0, 1, 5), new long[] {2, 3}))
                .build();
    }

    private static boolean isFloating(Site site, String name) {
        return site.arg(name) instanceof Scalar.Float;
    }

    private static long arangeLength(Site site) {
        Scalar zero = Scalar.of(0);
        Scalar start = site.isAbsent("end") ? zero : (Scalar) site.arg("start");
        Scalar end = (Scalar) site.arg(site.isAbsent("end") ? "start" : "end");
        Scalar step = site.isAbsent("step") ? Scalar.of(1) : (Scalar) site.arg("step");
        if (site.isAbsent("end") && !site.isAbsent("step")) {
            throw DTorchError.value("arange: step is given without end");
        }
        if (step.toDouble() == 0) {
            throw DTorchError.runtime("step must be nonzero");
        }
        double span = end.toDouble() - start.toDouble();
        if (!Double.isFinite(span)) {
            throw DTorchError.runtime("unsupported range: %s -> %s", start, end);
        }
        if (span != 0 && Math.signum(span) != Math.signum(step.toDouble())) {
            throw DTorchError.runtime("upper bound and lower bound inconsistent with step sign");
        }
        if (start instanceof Scalar.Int(long a)
                && end instanceof Scalar.Int(long b)
                && step instanceof Scalar.Int(long c)) {
            return Math.ceilDiv(b - a, c);
        }
        return (long) Math.ceil(span / step.toDouble());
    }

    private static Value linspace(Calls k, Site s) {
        long steps = s.integer("steps");
        if (steps < 0) {
            throw DTorchError.runtime("number of steps must be non-negative");
        }
        CreationOptions options = CreateRow.options(s);
        DType dtype = options.dtypeOrDefault();
        DType wide = dtype == DType.FLOAT64 || !dtype.isFloating() ? DType.FLOAT64 : DType.FLOAT32;
        double start = s.number("start");
        double end = s.number("end");
        double step = steps > 1 ? (end - start) / (steps - 1) : 0;
        Value index = k.call(ARANGE, Scalar.of(steps), null, null, new CreationOptions(wide, options.layout()));
        Value spaced = k.call(SPACED, index, Scalar.of(start), Scalar.of(end), Scalar.of(step), Scalar.of((double)
                Math.max(steps - 1, 0)));
        return CastOps.to(k, spaced, dtype);
    }
}
