package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;
import static org.dtorch.op.Rows.pointwise;

import java.util.List;
import java.util.Set;
import org.dtorch.op.PointwiseRow.DTypes;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Copies, fills and choices between elements. */
public final class TensorOps {
    private TensorOps() {}

    public static final Op CLONE = pointwise("clone(Tensor self) -> Tensor")
            .doc("A copy with storage of its own.")
            .compute(x -> x)
            .linear("self")
            .forAllReduceOps()
            .withoutInPlace()
            .both("clone(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op WHOLE_CLONE = kernel("_whole_clone(Tensor self, int[] dims) -> Tensor")
            .doc("A copy that is not sharded on dims, nor partial.")
            .infer(site -> new TensorMeta[] {new TensorMeta(site.shape("self"), site.dtype("self"))})
            .rule((site, out) -> {
                int[] letters = Rule.fresh(site.shape("self").rank());
                for (long dim : site.integers("dims")) {
                    letters[(int) dim] = Rule.WHOLE;
                }
                return Rule.letters(new int[][] {letters}, new int[][] {letters});
            })
            .recipe((site, out) -> identity(site))
            .internal("operators that write by index into a sharded dimension write into it first")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {0}))
            .build();

    public static final Op COPY_ = pointwise("copy_(Tensor! self, Tensor src, bool non_blocking=False) -> Tensor")
            .doc("Writes src, broadcast and converted, into self.")
            .dtypes(site -> site.dtype("self"), site -> site.dtype("src"))
            .compute2((self, src) -> src)
            .linear("self", "src")
            .linearIf(site -> site.dtype("self").isFloating() || site.dtype("self") == site.dtype("src"))
            .forAllReduceOps()
            .method("copy_(other|src, non_blocking=False)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 5, 4)),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.ints(DType.INT64, 0, 9, 4)))
            .build();

    public static final Op FILL_ = pointwise("fill_(Tensor! self, Operand value) -> Tensor")
            .doc("Writes one number into all of self.")
            .check(site -> checkFill(site, "fill_"))
            .dtypes(DTypes.KEEP)
            .compute2((self, value) -> value)
            .method("fill_(value)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Scalar.of(2.5)))
            .build();

    public static final Op ZERO_ = pointwise("zero_(Tensor! self) -> Tensor")
            .doc("Writes 0 into all of self.")
            .compute(self -> Expr.constant(0))
            .linear("self")
            .forAllReduceOps()
            .method("zero_()")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op MASKED_FILL = pointwise("masked_fill(Tensor self, Tensor mask, Operand value) -> Tensor")
            .doc("value where mask is True, else the element of self.")
            .check(site -> {
                if (site.dtype("mask") != DType.BOOL) {
                    throw DTorchError.runtime(
                            "%s only supports boolean masks, but got mask with dtype %s",
                            site.op().name(), TypeNames.scalar(site.dtype("mask")));
                }
                checkFill(site, site.op().name());
            })
            .dtypes(DTypes.KEEP)
            .computeAt((site, e) -> e[1].select(e[2], e[0]))
            .both("masked_fill(input, mask, value)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.mask(5, 4), Scalar.of(-1.0)),
                    Sample.of(Sample.tensor(-5, 5, 4), Sample.mask(5, 1), Scalar.of(Double.NEGATIVE_INFINITY)))
            .build();

    public static final Op WHERE = pointwise("where(Tensor condition, Operand self, Operand other) -> Tensor")
            .doc("The element of self where condition is True, else that of other.")
            .check(site -> {
                if (site.dtype("condition") != DType.BOOL) {
                    throw DTorchError.runtime(
                            "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
                            TypeNames.scalar(site.dtype("condition")));
                }
            })
            .promoting("self", "other")
            .computeAt((site, e) -> e[0].select(e[1], e[2]))
            .linear("self", "other")
            .forAllReduceOps()
            .withoutInPlace()
            .function("where(condition, input, other)")
            .method("where(condition, other)")
            .samples(
                    Sample.of(Sample.mask(5, 4), Sample.tensor(-5, 5, 5, 4), Sample.tensor(-5, 5, 4)),
                    Sample.of(Sample.mask(5, 4), Scalar.of(1.0), Sample.tensor(-5, 5, 5, 4)),
                    Sample.of(Sample.mask(5), Scalar.of(1), Scalar.of(0)))
            .build();

    public static final Op TRIL = triangle("tril", "The part on and below a diagonal, zeros elsewhere.");

    public static final Op TRIU = triangle("triu", "The part on and above a diagonal, zeros elsewhere.");

    public static final Op TRIL_ = inPlace(TRIL);

    public static final Op TRIU_ = inPlace(TRIU);

    private static Recipe identity(Site site) {
        return new Recipe.Pointwise(Expr.input(0), Promotion.compute(site.dtype("self")));
    }

    /** The in-place form of a row whose kernel cannot write into its input: its result is copied back. */
    static Op inPlace(Op op) {
        return inPlace(op, op.samples());
    }

    static Op inPlace(Op op, List<Sample> samples) {
        Schema schema = Schema.inPlace(op.schema());
        CompositeRow row = composite(schema.text())
                .doc("In-place form of " + op.name() + ".")
                .is((k, s) -> k.call(COPY_, s.args()[0], k.call(op, s.args())))
                .samples(samples);
        for (Spelling spelling : op.spellings()) {
            if (spelling.isMethod() && !spelling.isOperator()) {
                row.spellings.add(spelling.named(spelling.name() + "_"));
            }
        }
        return row.build();
    }

    private static Op triangle(String name, String doc) {
        return kernel(name + "(Tensor self, int diagonal=0) -> Tensor")
                .doc(doc)
                .infer(site -> {
                    if (site.shape("self").rank() < 2) {
                        throw DTorchError.runtime("%s: input tensor must have at least 2 dimensions", name);
                    }
                    return new TensorMeta[] {new TensorMeta(site.shape("self"), site.dtype("self"))};
                })
                .rule((site, out) -> {
                    int[] letters = Rule.fresh(site.shape("self").rank());
                    return Rule.letters(new int[][] {letters}, new int[][] {letters})
                            .linearIn(List.of(Set.of(0)), Rule.ALL);
                })
                .kernel(name)
                .args(site -> new Object[] {site.arg("diagonal")})
                .both(name + "(input, diagonal=0)")
                .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 2, 3, 3), 1L))
                .build();
    }

    /** A number that is written into a tensor of another kind must be one of its numbers. */
    private static void checkFill(Site site, String name) {
        Object value = site.arg("value");
        if (value instanceof Value v && v.shape().rank() > 0) {
            throw DTorchError.runtime(
                    "%s only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).",
                    name, v.shape().rank());
        }
    }
}
