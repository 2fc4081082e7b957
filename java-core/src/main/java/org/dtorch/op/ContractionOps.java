package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.dtorch.backend.Operand;
import org.dtorch.placement.ReduceOp;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Products that sum over an index. */
public final class ContractionOps {
    /** Multiplications and additions that cost as much as one simple element operation. */
    private static final double FLOPS_PER_OPERATION = 8;

    private ContractionOps() {}

    public static final Op MATMUL_KERNEL = kernel("_matmul(Tensor self, Tensor other) -> Tensor")
            .doc("[*, m, k] times [*, k, n]: the batch dimensions are equal, or one side has none.")
            .infer(ContractionOps::inferMatmul)
            .rule(ContractionOps::ruleMatmul)
            .kernel("matmul")
            .dense(ContractionOps::joinsDims)
            .fit((operands, inputs, site) -> fitMatmul(operands))
            .cost(operands -> {
                Operand a = operands[0];
                return 2.0 * operands[2].numel() * a.sizes()[a.rank() - 1] / FLOPS_PER_OPERATION;
            })
            .internal("matmul, mm and bmm bring their operands into this form")
            .samples(
                    Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6, 5)),
                    Sample.of(Sample.tensor(-1, 1, 3, 4, 6), Sample.tensor(-1, 1, 6, 5)),
                    Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 3, 6, 5)),
                    Sample.of(Sample.tensor(-1, 1, 2, 3, 4, 6), Sample.tensor(-1, 1, 2, 3, 6, 5)))
            .build();

    public static final Op LINEAR = kernel("linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor")
            .doc("input [*, in] times the transpose of weight [out, in], plus bias [out].")
            .infer(ContractionOps::inferLinear)
            .rule(ContractionOps::ruleLinear)
            .kernel("linear")
            .dense((site, input) -> input == 0 && site.shape("input").rank() > 2)
            .fit((operands, inputs, site) -> {
                operands[0] = Fits.rows(operands[0]);
                operands[3] = Fits.rows(operands[3]);
            })
            .cost(operands -> 2.0 * operands[0].numel() * operands[1].sizes()[0] / FLOPS_PER_OPERATION)
            .functional("linear(input, weight, bias=None)")
            .samples(
                    Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 5, 6)),
                    Sample.of(Sample.tensor(-1, 1, 2, 4, 6), Sample.tensor(-1, 1, 5, 6), Sample.tensor(-1, 1, 5)))
            .build();

    public static final Op MATMUL = composite("matmul(Tensor self, Tensor other) -> Tensor")
            .doc("The matrix product; vectors are rows or columns, leading dimensions are batches and broadcast.")
            .is((k, s) -> matmul(k, s.tensor("self"), s.tensor("other")))
            .both("matmul(input, other)")
            .operators("__matmul__")
            .samples(
                    Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6, 5)),
                    Sample.of(Sample.tensor(-1, 1, 6), Sample.tensor(-1, 1, 6)),
                    Sample.of(Sample.tensor(-1, 1, 6), Sample.tensor(-1, 1, 6, 5)),
                    Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6)),
                    Sample.of(Sample.tensor(-1, 1, 2, 3, 4, 6), Sample.tensor(-1, 1, 2, 3, 6, 5)),
                    Sample.of(Sample.tensor(-1, 1, 2, 1, 4, 6), Sample.tensor(-1, 1, 3, 6, 5)))
            .build();

    public static final Op MM = composite("mm(Tensor self, Tensor mat2) -> Tensor")
            .doc("The product of two matrices.")
            .is((k, s) -> {
                needsRank(s, "self", 2, "self must be a matrix");
                needsRank(s, "mat2", 2, "mat2 must be a matrix");
                return k.call(MATMUL_KERNEL, s.args());
            })
            .both("mm(input, mat2)")
            .samples(Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6, 5)))
            .build();

    public static final Op BMM = composite("bmm(Tensor self, Tensor mat2) -> Tensor")
            .doc("The products of two batches of matrices.")
            .is((k, s) -> {
                needsRank(s, "self", 3, "batch1 must be a 3D tensor");
                needsRank(s, "mat2", 3, "batch2 must be a 3D tensor");
                Shape a = s.shape("self");
                Shape b = s.shape("mat2");
                if (a.size(0) != b.size(0) || a.size(2) != b.size(1)) {
                    throw DTorchError.layout(
                            "Expected size for first two dimensions of batch2 tensor to be: [%d, %d] but got: [%d, %d].",
                            a.size(0), a.size(2), b.size(0), b.size(1));
                }
                return k.call(MATMUL_KERNEL, s.args());
            })
            .both("bmm(input, mat2)")
            .samples(Sample.of(Sample.tensor(-1, 1, 3, 4, 6), Sample.tensor(-1, 1, 3, 6, 5)))
            .build();

    public static final Op MV = composite("mv(Tensor self, Tensor vec) -> Tensor")
            .doc("The product of a matrix and a vector.")
            .is((k, s) -> {
                needsRank(
                        s,
                        "self",
                        2,
                        "vector + matrix @ vector expected, got self of "
                                + s.shape("self").rank() + "D");
                needsRank(
                        s,
                        "vec",
                        1,
                        "vector + matrix @ vector expected, got vec of "
                                + s.shape("vec").rank() + "D");
                return matmul(k, s.tensor("self"), s.tensor("vec"));
            })
            .both("mv(input, vec)")
            .samples(Sample.of(Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6)))
            .build();

    public static final Op DOT = composite("dot(Tensor self, Tensor tensor) -> Tensor")
            .doc("The sum of products of two vectors.")
            .is((k, s) -> {
                Shape a = s.shape("self");
                Shape b = s.shape("tensor");
                if (a.rank() != 1 || b.rank() != 1) {
                    throw DTorchError.layout("1D tensors expected, but got %dD and %dD tensors", a.rank(), b.rank());
                }
                return dot(k, s.tensor("self"), s.tensor("tensor"));
            })
            .both("dot(input, tensor|other)")
            .samples(Sample.of(Sample.tensor(-1, 1, 6), Sample.tensor(-1, 1, 6)))
            .build();

    public static final Op OUTER = composite("outer(Tensor self, Tensor vec2) -> Tensor")
            .doc("The products of all pairs of elements of two vectors.")
            .is((k, s) -> {
                needsRank(
                        s,
                        "self",
                        1,
                        "outer: Expected 1-D argument self, but got "
                                + s.shape("self").rank() + "-D");
                needsRank(
                        s,
                        "vec2",
                        1,
                        "outer: Expected 1-D argument vec2, but got "
                                + s.shape("vec2").rank() + "-D");
                return k.call(PointwiseOps.MUL, k.call(ViewOps.UNSQUEEZE, s.arg("self"), 1L), s.arg("vec2"));
            })
            .both("outer(input, vec2)")
            .samples(Sample.of(Sample.tensor(-1, 1, 4), Sample.tensor(-1, 1, 6)))
            .build();

    public static final Op ADDMM = composite(
                    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
            .doc("beta * self + alpha * (mat1 @ mat2).")
            .is((k, s) -> added(k, s, k.call(MM, s.arg("mat1"), s.arg("mat2"))))
            .both("addmm(input, mat1, mat2, *, beta=1, alpha=1)")
            .samples(Sample.of(Sample.tensor(-1, 1, 5), Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6, 5)))
            .build();

    public static final Op BADDBMM = composite(
                    "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor")
            .doc("beta * self + alpha * (batch1 @ batch2).")
            .is((k, s) -> added(k, s, k.call(BMM, s.arg("batch1"), s.arg("batch2"))))
            .both("baddbmm(input, batch1, batch2, *, beta=1, alpha=1)")
            .samples(Sample.of(Sample.tensor(-1, 1, 5), Sample.tensor(-1, 1, 3, 4, 6), Sample.tensor(-1, 1, 3, 6, 5)))
            .build();

    public static final Op ADDMM_ = TensorOps.inPlace(
            ADDMM,
            List.of(Sample.of(Sample.tensor(-1, 1, 4, 5), Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6, 5))));

    public static final Op BADDBMM_ = TensorOps.inPlace(
            BADDBMM,
            List.of(Sample.of(
                    Sample.tensor(-1, 1, 3, 4, 5), Sample.tensor(-1, 1, 3, 4, 6), Sample.tensor(-1, 1, 3, 6, 5))));

    public static final Op EINSUM = composite("einsum(str equation, Tensor[] operands) -> Tensor")
            .doc("Sums of products of the operands' elements by Einstein's convention.")
            .is((k, s) -> Einsum.evaluate(k, s.text("equation"), s.tensors("operands")))
            .function("einsum(equation, *operands)")
            .samples(
                    Sample.of(
                            "ij,jk->ik", new Sample.Tensor[] {Sample.tensor(-1, 1, 4, 6), Sample.tensor(-1, 1, 6, 5)}),
                    Sample.of(
                            "bij,bkj",
                            new Sample.Tensor[] {Sample.tensor(-1, 1, 2, 4, 6), Sample.tensor(-1, 1, 2, 5, 6)}),
                    Sample.of("ii->i", new Sample.Tensor[] {Sample.tensor(-1, 1, 4, 4)}),
                    Sample.of("i,j,k->kji", new Sample.Tensor[] {
                        Sample.tensor(-1, 1, 2), Sample.tensor(-1, 1, 3), Sample.tensor(-1, 1, 4)
                    }))
            .build();

    /** The matrix product of any ranks. */
    static Value matmul(Calls k, Value a, Value b) {
        int ra = a.shape().rank();
        int rb = b.shape().rank();
        if (ra == 0 || rb == 0) {
            throw DTorchError.layout(
                    "both arguments to matmul need to be at least 1D, but they are %dD and %dD", ra, rb);
        }
        if (ra == 1 && rb == 1) {
            return dot(k, a, b);
        }
        if (ra == 1) {
            checkInner(a.shape().size(0), b.shape().size(rb - 2), new Shape[] {
                Shape.of(1, a.shape().size(0)), b.shape()
            });
            return k.call(ViewOps.SQUEEZE, matmul(k, k.call(ViewOps.UNSQUEEZE, a, 0L), b), new long[] {-2});
        }
        if (rb == 1) {
            checkInner(a.shape().size(ra - 1), b.shape().size(0), new Shape[] {
                a.shape(), Shape.of(b.shape().size(0), 1)
            });
            return k.call(ViewOps.SQUEEZE, matmul(k, a, k.call(ViewOps.UNSQUEEZE, b, 1L)), new long[] {-1});
        }
        if (ra == 2 || rb == 2) {
            return k.call(MATMUL_KERNEL, a, b);
        }
        Shape batch;
        try {
            batch = Shape.broadcast(batch(a.shape()), batch(b.shape()));
        } catch (DTorchError e) {
            throw DTorchError.layout("matmul: %s (shapes %s and %s)", e.getMessage(), a.shape(), b.shape());
        }
        return k.call(MATMUL_KERNEL, batched(k, a, batch), batched(k, b, batch));
    }

    /** Whether the dimensions of an operand are joined: several of the batch, or rows of all batches against one matrix. */
    private static boolean joinsDims(Site site, int input) {
        int rank = site.shape(input == 0 ? "self" : "other").rank();
        return rank > 3 || (input == 0 && rank == 3 && site.shape("other").rank() == 2);
    }

    private static Value batched(Calls k, Value x, Shape batch) {
        int rank = x.shape().rank();
        if (batch(x.shape()).numel() == 1 && batch.numel() != 1) {
            long[] matrix = {x.shape().size(rank - 2), x.shape().size(rank - 1)};
            return k.call(ViewOps.RESHAPE, x, matrix);
        }
        Value full = x;
        if (!batch(x.shape()).equals(batch)) {
            long[] sizes = Arrays.copyOf(batch.toArray(), batch.rank() + 2);
            sizes[batch.rank()] = -1;
            sizes[batch.rank() + 1] = -1;
            full = k.call(ViewOps.EXPAND, x, sizes);
        }
        return full;
    }

    private static Shape batch(Shape shape) {
        return Shape.of(Arrays.copyOf(shape.toArray(), shape.rank() - 2));
    }

    private static Value dot(Calls k, Value a, Value b) {
        checkSameDType(a.dtype(), b.dtype(), "dot : expected both vectors to have same dtype, but found %s and %s");
        if (a.dtype() == DType.BOOL) {
            throw DTorchError.notImplemented("\"dot\" not implemented for 'Bool'");
        }
        if (a.shape().size(0) != b.shape().size(0)) {
            throw DTorchError.layout(
                    "inconsistent tensor size, expected tensor [%d] and src [%d] to have the same number of elements, but got"
                            + " %d and %d elements respectively",
                    a.shape().size(0),
                    b.shape().size(0),
                    a.shape().size(0),
                    b.shape().size(0));
        }
        return k.call(ReductionOps.SUM, k.call(PointwiseOps.MUL, a, b), null, false, a.dtype());
    }

    private static Value added(Calls k, Site s, Value product) {
        Scalar alpha = (Scalar) s.arg("alpha");
        Scalar beta = (Scalar) s.arg("beta");
        Value scaled = alpha.toDouble() == 1 ? product : k.call(PointwiseOps.MUL, product, alpha);
        if (beta.toDouble() == 0) {
            return scaled;
        }
        Value self = s.tensor("self");
        Value term = beta.toDouble() == 1 ? self : k.call(PointwiseOps.MUL, self, beta);
        Value sum = k.call(PointwiseOps.ADD, term, scaled);
        if (!sum.shape().equals(product.shape())) {
            throw DTorchError.layout(
                    "%s: expand(%s, size=%s) of self to the product's shape is not possible",
                    s.op().name(), self.shape(), product.shape());
        }
        return sum;
    }

    private static void needsRank(Site s, String name, int rank, String message) {
        if (s.shape(name).rank() != rank) {
            throw DTorchError.layout(message);
        }
    }

    private static void checkInner(long left, long right, Shape[] shapes) {
        if (left != right) {
            throw DTorchError.layout(
                    "mat1 and mat2 shapes cannot be multiplied (%s and %s)", by(shapes[0]), by(shapes[1]));
        }
    }

    /** A matrix as PyTorch's message shows it, 2x3; leading dimensions are rows. */
    private static String by(Shape shape) {
        long columns = shape.size(shape.rank() - 1);
        long rows = columns == 0 ? shape.size(shape.rank() - 2) : shape.numel() / columns;
        return rows + "x" + columns;
    }

    private static void checkSameDType(DType a, DType b, String format) {
        if (a != b) {
            throw DTorchError.runtime(format, TypeNames.c(a), TypeNames.c(b));
        }
    }

    private static TensorMeta[] inferMatmul(Site site) {
        Shape a = site.shape("self");
        Shape b = site.shape("other");
        checkSameDType(
                site.dtype("self"),
                site.dtype("other"),
                "expected m1 and m2 to have the same dtype, but got: %s != %s");
        if (site.dtype("self") == DType.BOOL) {
            throw DTorchError.notImplemented("\"addmm_impl_cpu_\" not implemented for 'Bool'");
        }
        long k = a.size(a.rank() - 1);
        if (k != b.size(b.rank() - 2)) {
            if (a.rank() > 2 && b.rank() > 2) {
                throw DTorchError.layout(
                        "Expected size for first two dimensions of batch2 tensor to be: [%d, %d] but got: [%d, %d].",
                        batch(a).numel(), k, batch(b).numel(), b.size(b.rank() - 2));
            }
            checkInner(k, b.size(b.rank() - 2), new Shape[] {a, b});
        }
        Shape lead = a.rank() >= b.rank() ? a : b;
        long[] out = lead.toArray();
        out[out.length - 2] = a.size(a.rank() - 2);
        out[out.length - 1] = b.size(b.rank() - 1);
        return new TensorMeta[] {new TensorMeta(Shape.of(out), site.dtype("self"))};
    }

    private static Rule ruleMatmul(Site site, TensorMeta[] outputs) {
        int ra = site.shape("self").rank();
        int rb = site.shape("other").rank();
        int rank = outputs[0].shape().rank();
        int[] out = Rule.fresh(rank);
        int inner = rank + 1;
        int[] a = new int[ra];
        int[] b = new int[rb];
        for (int d = 0; d < ra - 2; d++) {
            a[d] = out[d];
        }
        for (int d = 0; d < rb - 2; d++) {
            b[d] = out[d];
        }
        a[ra - 2] = out[rank - 2];
        a[ra - 1] = inner;
        b[rb - 2] = inner;
        b[rb - 1] = out[rank - 1];
        return Rule.letters(new int[][] {a, b}, new int[][] {out})
                .contracting(ReduceOp.SUM)
                .linearIn(List.of(Set.of(0), Set.of(1)), Rule.SUMS);
    }

    private static void fitMatmul(Operand[] operands) {
        boolean batchA = operands[0].rank() > 2;
        boolean batchB = operands[1].rank() > 2;
        if (batchA && !batchB) {
            operands[0] = Fits.batch(Fits.rows(operands[0]));
            operands[1] = Fits.batch(operands[1]);
            operands[2] = Fits.batch(Fits.rows(operands[2]));
            return;
        }
        for (int i = 0; i < 3; i++) {
            operands[i] = Fits.batch(operands[i]);
        }
        if (batchB && !batchA) {
            Operand a = operands[0];
            operands[0] = Fits.broadcast(a, new long[] {operands[2].sizes()[0], a.sizes()[1], a.sizes()[2]});
        }
    }

    private static TensorMeta[] inferLinear(Site site) {
        Shape x = site.shape("input");
        Shape w = site.shape("weight");
        if (x.rank() == 0 || w.rank() != 2) {
            throw DTorchError.layout(
                    "linear: input must have at least 1 dimension and weight 2, got shapes %s and %s", x, w);
        }
        checkSameDType(
                site.dtype("input"),
                site.dtype("weight"),
                "expected m1 and m2 to have the same dtype, but got: %s != %s");
        Shape rows = x.rank() == 1 ? Shape.of(1, x.size(0)) : x;
        checkInner(x.size(x.rank() - 1), w.size(1), new Shape[] {rows, Shape.of(w.size(1), w.size(0))});
        if (!site.isAbsent("bias")) {
            Shape bias = site.shape("bias");
            checkSameDType(
                    site.dtype("input"),
                    site.dtype("bias"),
                    "linear: expected input and bias to have the same dtype, but got: %s != %s");
            if (bias.rank() != 1 || bias.size(0) != w.size(0)) {
                throw DTorchError.layout(
                        "linear: bias must have shape [%d], the rows of weight %s, but has %s", w.size(0), w, bias);
            }
        }
        return new TensorMeta[] {new TensorMeta(x.with(x.rank() - 1, w.size(0)), site.dtype("input"))};
    }

    private static Rule ruleLinear(Site site, TensorMeta[] outputs) {
        int rank = outputs[0].shape().rank();
        int[] out = Rule.fresh(rank);
        int inner = rank + 1;
        int[] x = out.clone();
        x[rank - 1] = inner;
        int[] weight = {out[rank - 1], inner};
        boolean biased = !site.isAbsent("bias");
        int[] bias = biased ? new int[] {out[rank - 1]} : null;
        List<Set<Integer>> linear = biased ? List.of(Set.of(0, 2), Set.of(1, 2)) : List.of(Set.of(0), Set.of(1));
        Rule rule = Rule.letters(new int[][] {x, weight, bias}, new int[][] {out})
                .contracting(ReduceOp.SUM)
                .linearIn(linear, Rule.SUMS);
        return biased ? rule.adding(2) : rule;
    }
}
