package org.dtorch.op;

import static org.dtorch.op.Rows.pointwise;

import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Activation functions. */
public final class ActivationOps {
    private static final double SQRT_HALF = Math.sqrt(0.5);
    private static final double SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI);
    /** Constants of the self-normalising unit. */
    private static final double SELU_ALPHA = 1.6732632423543772848170429916717;

    private static final double SELU_SCALE = 1.0507009873554804934193349852946;

    private ActivationOps() {}

    public static final Op RELU = pointwise("relu(Tensor self) -> Tensor")
            .doc("max(x, 0).")
            .check(ActivationOps::refuseBool)
            .compute(x -> x.maximum(Expr.constant(0)))
            .function("relu(input, inplace=False)")
            .method("relu()")
            .functional("relu(input, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op RELU6 = pointwise("relu6(Tensor self) -> Tensor")
            .doc("min(max(x, 0), 6).")
            .check(ActivationOps::refuseBool)
            .compute(x -> x.maximum(Expr.constant(0)).minimum(Expr.constant(6)))
            .functional("relu6(input, inplace=False)")
            .samples(Sample.unary(-5, 9))
            .build();

    public static final Op LEAKY_RELU = activation(
                    "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
                    "x where positive, else slope * x.")
            .computeAt((site, e) -> positive(e[0]).select(e[0], e[0].mul(e[1])))
            .functional("leaky_relu(input, negative_slope=0.01, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op ELU = activation(
                    "elu(Tensor self, Scalar alpha=1.0) -> Tensor", "x where positive, else alpha * (exp(x) - 1).")
            .computeAt((site, e) -> positive(e[0]).select(e[0], e[1].mul(e[0].apply(UnaryFunction.EXPM1))))
            .weight(4)
            .functional("elu(input, alpha=1.0, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op SELU = activation("selu(Tensor self) -> Tensor", "The self-normalising exponential unit.")
            .compute(x -> positive(x)
                    .select(x, x.apply(UnaryFunction.EXPM1).mul(SELU_ALPHA))
                    .mul(SELU_SCALE))
            .weight(4)
            .function("selu(input)")
            .functional("selu(input, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op CELU = activation(
                    "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
                    "x where positive, else alpha * (exp(x/alpha) - 1).")
            .computeAt((site, e) ->
                    positive(e[0]).select(e[0], e[1].mul(e[0].div(e[1]).apply(UnaryFunction.EXPM1))))
            .weight(4)
            .functional("celu(input, alpha=1.0, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op GELU = activation(
                    "gelu(Tensor self, *, str approximate='none') -> Tensor",
                    "x times the normal distribution at x, exactly or by its tanh approximation.")
            .check(site -> {
                refuseIntegers(site);
                String approximate = site.text("approximate");
                if (!approximate.equals("none") && !approximate.equals("tanh")) {
                    throw DTorchError.layout("approximate argument must be either none or tanh.");
                }
            })
            .computeAt((site, e) -> gelu(e[0], site.text("approximate").equals("tanh")))
            .weight(6)
            .functional("gelu(input, approximate='none')")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 4), "tanh"))
            .build();

    public static final Op SILU = activation("silu(Tensor self) -> Tensor", "x * sigmoid(x).")
            .compute(x -> x.mul(x.sigmoid()))
            .weight(4)
            .functional("silu(input, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op MISH = activation("mish(Tensor self) -> Tensor", "x * tanh(softplus(x)).")
            .compute(x -> x.mul(softplus(x).tanh()))
            .weight(8)
            .functional("mish(input, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op SOFTPLUS = activation(
                    "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
                    "log(1 + exp(beta * x)) / beta, and x where beta * x exceeds the threshold.")
            .computeAt((site, e) -> {
                Expr scaled = e[0].mul(e[1]);
                return scaled.gt(e[2])
                        .select(e[0], scaled.exp().apply(UnaryFunction.LOG1P).div(e[1]));
            })
            .weight(6)
            .withoutInPlace()
            .functional("softplus(input, beta=1, threshold=20)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op HARDTANH = pointwise("hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor")
            .doc("x limited to the range.")
            .check(ActivationOps::refuseBool)
            .computeAt((site, e) -> e[0].maximum(e[1]).minimum(e[2]))
            .functional("hardtanh(input, min_val=-1, max_val=1, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op HARDSIGMOID = activation("hardsigmoid(Tensor self) -> Tensor", "relu6(x + 3) / 6.")
            .compute(ActivationOps::hardsigmoid)
            .functional("hardsigmoid(input, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op HARDSWISH = activation("hardswish(Tensor self) -> Tensor", "x * hardsigmoid(x).")
            .compute(x -> x.mul(hardsigmoid(x)))
            .functional("hardswish(input, inplace=False)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op LOGSIGMOID = activation("logsigmoid(Tensor self) -> Tensor", "log(sigmoid(x)).")
            .compute(x -> x.minimum(Expr.constant(0))
                    .sub(x.apply(UnaryFunction.ABS).neg().exp().apply(UnaryFunction.LOG1P)))
            .weight(6)
            .withoutInPlace()
            .functional("logsigmoid(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op SOFTSIGN = pointwise("softsign(Tensor self) -> Tensor")
            .doc("x / (1 + |x|).")
            .dtypes(PointwiseRow.DTypes.INTEGERS_TO_FLOAT)
            .compute(x -> x.div(x.apply(UnaryFunction.ABS).add(1)))
            .withoutInPlace()
            .functional("softsign(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    public static final Op THRESHOLD = pointwise("threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor")
            .doc("x where it exceeds the threshold, else the value.")
            .computeAt((site, e) -> e[0].gt(e[1]).select(e[0], e[2]))
            .function("threshold(input, threshold, value)")
            .functional("threshold(input, threshold, value, inplace=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Scalar.of(0.5), Scalar.of(-1.0)))
            .build();

    private static PointwiseRow activation(String schema, String doc) {
        return pointwise(schema).doc(doc).check(ActivationOps::refuseIntegers);
    }

    private static Expr positive(Expr x) {
        return x.gt(Expr.constant(0));
    }

    private static Expr gelu(Expr x, boolean approximate) {
        Expr inner = approximate
                ? x.mul(x).mul(x).mul(0.044715).add(x).mul(SQRT_2_OVER_PI).tanh()
                : x.mul(SQRT_HALF).apply(UnaryFunction.ERF);
        return x.mul(0.5).mul(inner.add(1));
    }

    private static Expr softplus(Expr x) {
        return x.gt(Expr.constant(20)).select(x, x.exp().apply(UnaryFunction.LOG1P));
    }

    private static Expr hardsigmoid(Expr x) {
        return x.add(3).maximum(Expr.constant(0)).minimum(Expr.constant(6)).div(Expr.constant(6));
    }

    private static void refuseIntegers(Site site) {
        if (!site.dtype("self").isFloating()) {
            throw DTorchError.notImplemented(
                    "\"%s\" not implemented for '%s'", site.op().name(), TypeNames.scalar(site.dtype("self")));
        }
    }

    private static void refuseBool(Site site) {
        if (site.dtype("self") == DType.BOOL) {
            throw DTorchError.runtime(
                    "Boolean inputs not supported for %s", site.op().name());
        }
    }
}
