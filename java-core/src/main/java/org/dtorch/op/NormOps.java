package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;

import java.util.Arrays;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** Operators that scale by what they find along dimensions: softmax and the normalisations. */
public final class NormOps {
    private NormOps() {}

    public static final Op SOFTMAX_KERNEL = softmaxKernel("softmax", "exp(x) over its sum along dim.");

    public static final Op LOG_SOFTMAX_KERNEL = softmaxKernel("log_softmax", "The logarithm of softmax along dim.");

    public static final Op SOFTMAX = softmax("softmax", SOFTMAX_KERNEL, "exp(x) over its sum along dim.");

    public static final Op LOG_SOFTMAX =
            softmax("log_softmax", LOG_SOFTMAX_KERNEL, "The logarithm of softmax along dim, safe from underflow.");

    public static final Op LAYER_NORM = kernel(
                    "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float"
                            + " eps=1e-05) -> Tensor")
            .doc("Subtracts the mean and divides by the deviation over the last dimensions, then scales and shifts.")
            .infer(site -> {
                checkNormalized(site);
                checkAffine(site, "weight");
                checkAffine(site, "bias");
                return same(site, "input");
            })
            .rule((site, out) -> overLast(site, "weight", "bias"))
            .kernel("layer_norm")
            .args(site -> new Object[] {(long) site.integers("normalized_shape").length, site.number("eps")})
            .cost(operands -> 8.0 * operands[0].numel())
            .function("layer_norm(input, normalized_shape, weight|scale=None, bias=None, eps=1e-05)")
            .functional("layer_norm(input, normalized_shape, weight|scale=None, bias=None, eps=1e-05)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {4}),
                    Sample.of(
                            Sample.tensor(-5, 5, 2, 3, 4),
                            new long[] {3, 4},
                            Sample.tensor(-2, 2, 3, 4),
                            Sample.tensor(-2, 2, 3, 4)))
            .build();

    public static final Op RMS_NORM_KERNEL = kernel(
                    "_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor")
            .doc("Divides by the root of the mean square over the last dimensions, then scales.")
            .infer(site -> {
                checkNormalized(site);
                checkAffine(site, "weight");
                return same(site, "input");
            })
            .rule((site, out) -> overLast(site, "weight"))
            .kernel("rms_norm")
            .args(site -> new Object[] {
                (long) site.integers("normalized_shape").length,
                site.isAbsent("eps") ? epsilon(site.dtype("input")) : site.number("eps")
            })
            .cost(operands -> 6.0 * operands[0].numel())
            .internal("rms_norm multiplies by a weight of another dtype itself")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {4}),
                    Sample.of(Sample.tensor(-5, 5, 2, 3, 4), new long[] {4}, Sample.tensor(-2, 2, 4), 1e-5))
            .build();

    public static final Op RMS_NORM = composite(
                    "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor")
            .doc("Divides by the root of the mean square over the last dimensions, then scales.")
            .is((k, s) -> {
                if (s.isAbsent("weight") || s.dtype("weight") == s.dtype("input")) {
                    return k.call(RMS_NORM_KERNEL, s.args());
                }
                Value normed = k.call(RMS_NORM_KERNEL, s.arg("input"), s.arg("normalized_shape"), null, s.arg("eps"));
                return k.call(PointwiseOps.MUL, normed, s.arg("weight"));
            })
            .function("rms_norm(input, normalized_shape, weight=None, eps=None)")
            .functional("rms_norm(input, normalized_shape, weight=None, eps=None)")
            .samples(Sample.of(Sample.tensor(-5, 5, 2, 3, 4), new long[] {4}, Sample.tensor(-2, 2, 4), 1e-5))
            .build();

    public static final Op GROUP_NORM = kernel(
                    "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) ->"
                            + " Tensor")
            .doc(
                    "Normalises groups of channels (dim 1) with all that is behind them, then scales and shifts by channel.")
            .infer(site -> {
                checkGroups(site);
                return same(site, "input");
            })
            .rule((site, out) -> {
                int[] x = new int[site.shape("input").rank()];
                x[0] = 1;
                return Rule.letters(
                        new int[][] {x, affine(site, "weight", 1), affine(site, "bias", 1)}, new int[][] {x});
            })
            .kernel("group_norm")
            .args(site -> new Object[] {site.arg("num_groups"), site.number("eps")})
            .cost(operands -> 8.0 * operands[0].numel())
            .function("group_norm(input, num_groups, weight|scale=None, bias=None, eps=1e-05)")
            .functional("group_norm(input, num_groups, weight|scale=None, bias=None, eps=1e-05)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 3, 4, 2), 2L),
                    Sample.of(Sample.tensor(-5, 5, 3, 4, 2, 2), 2L, Sample.tensor(-2, 2, 4), Sample.tensor(-2, 2, 4)))
            .build();

    private static Op softmaxKernel(String name, String doc) {
        return kernel("_" + name + "(Tensor self, int dim) -> Tensor")
                .doc(doc)
                .infer(site -> {
                    site.dim("dim", "self");
                    if (!site.dtype("self").isFloating()) {
                        throw DTorchError.notImplemented(
                                "\"%s_lastdim_kernel_impl\" not implemented for '%s'",
                                name, TypeNames.scalar(site.dtype("self")));
                    }
                    return same(site, "self");
                })
                .rule((site, out) -> {
                    int rank = site.shape("self").rank();
                    int[] letters = Rule.whole(Rule.fresh(rank), site.dim("dim", "self"));
                    return Rule.letters(new int[][] {letters}, new int[][] {letters});
                })
                .kernel(name)
                .args(site -> new Object[] {(long) site.dim("dim", "self")})
                .fit((operands, inputs, site) -> Fits.atLeastOneDim(operands))
                .cost(operands -> 8.0 * operands[0].numel())
                .internal(name + " converts before it")
                .samples(
                        Sample.of(Sample.tensor(-5, 5, 5, 4), 1L),
                        Sample.of(Sample.tensor(-5, 5, 5, 4), 0L),
                        Sample.of(Sample.tensor(-500, 500, 2, 3, 4), -1L))
                .build();
    }

    private static Op softmax(String name, Op kernel, String doc) {
        return composite(name + "(Tensor self, int? dim=None, DType? dtype=None) -> Tensor")
                .doc(doc)
                .is((k, s) -> {
                    if (s.isAbsent("dim")) {
                        throw DTorchError.value("%s: dim is None; name the dimension that is to sum to one", name);
                    }
                    Value x = CastOps.to(k, s.tensor("self"), s.dtypeOr("dtype", s.dtype("self")));
                    return k.call(kernel, x, s.arg("dim"));
                })
                .both(name + "(input, dim=None, dtype=None)")
                .functional(name + "(input, dim=None, dtype=None)")
                .samples(
                        Sample.of(Sample.tensor(-5, 5, 5, 4), 1L),
                        Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, DType.FLOAT64))
                .build();
    }

    private static TensorMeta[] same(Site site, String name) {
        return new TensorMeta[] {new TensorMeta(site.shape(name), site.dtype(name))};
    }

    /** The last dimensions are whole, those before may be cut; weights are whole. */
    private static Rule overLast(Site site, String... affine) {
        int rank = site.shape("input").rank();
        int normalized = site.integers("normalized_shape").length;
        int[] x = Rule.fresh(rank);
        Arrays.fill(x, rank - normalized, rank, Rule.WHOLE);
        int[][] inputs = new int[1 + affine.length][];
        inputs[0] = x;
        for (int i = 0; i < affine.length; i++) {
            inputs[i + 1] = affine(site, affine[i], normalized);
        }
        return Rule.letters(inputs, new int[][] {x});
    }

    private static int[] affine(Site site, String name, int rank) {
        return site.isAbsent(name) ? null : new int[rank];
    }

    private static double epsilon(DType dtype) {
        return switch (dtype) {
            case FLOAT16 -> 0x1p-10;
            case BFLOAT16 -> 0x1p-7;
            case FLOAT64 -> 0x1p-52;
            default -> 0x1p-23;
        };
    }

    private static void checkNormalized(Site site) {
        Shape in = site.shape("input");
        long[] normalized = site.integers("normalized_shape");
        if (normalized.length == 0) {
            throw DTorchError.runtime(
                    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got"
                            + " normalized_shape = []");
        }
        boolean fits = normalized.length <= in.rank();
        for (int i = 0; fits && i < normalized.length; i++) {
            fits = in.size(in.rank() - normalized.length + i) == normalized[i];
        }
        if (!fits) {
            String wanted = Arrays.toString(normalized);
            throw DTorchError.layout(
                    "Given normalized_shape=%s, expected input with shape [*, %s, but got input of size%s",
                    wanted, wanted.substring(1), in);
        }
        if (!site.dtype("input").isFloating()) {
            throw DTorchError.notImplemented(
                    "\"%s\" not implemented for '%s'", site.op().name(), TypeNames.scalar(site.dtype("input")));
        }
    }

    private static void checkAffine(Site site, String name) {
        if (site.isAbsent(name)) {
            return;
        }
        long[] normalized = site.integers("normalized_shape");
        if (!site.shape(name).equals(Shape.of(normalized))) {
            throw DTorchError.layout(
                    "Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = %s",
                    name, name, site.shape(name), Arrays.toString(normalized));
        }
        checkDType(site, name);
    }

    private static void checkDType(Site site, String name) {
        if (site.dtype(name) != site.dtype("input")) {
            throw DTorchError.runtime(
                    "%s: expected %s to have the dtype of input, %s, but got %s",
                    site.op().name(), name, TypeNames.scalar(site.dtype("input")), TypeNames.scalar(site.dtype(name)));
        }
    }

    private static void checkGroups(Site site) {
        Shape in = site.shape("input");
        long groups = site.integer("num_groups");
        if (in.rank() < 2) {
            throw DTorchError.layout("Expected at least 2 dimensions for input tensor but received %d", in.rank());
        }
        if (groups <= 0) {
            throw DTorchError.runtime("Expected num groups to be greater than 0, got %d", groups);
        }
        if (in.size(1) % groups != 0) {
            throw DTorchError.layout(
                    "Expected number of channels in input to be divisible by num_groups, but got input of shape %s and"
                            + " num_groups=%d",
                    in, groups);
        }
        if (!site.dtype("input").isFloating()) {
            throw DTorchError.notImplemented(
                    "\"GroupNormKernelImpl\" not implemented for '%s'", TypeNames.scalar(site.dtype("input")));
        }
        for (String name : new String[] {"weight", "bias"}) {
            if (site.isAbsent(name)) {
                continue;
            }
            if (!site.shape(name).equals(Shape.of(in.size(1)))) {
                throw DTorchError.layout(
                        "Expected %s to be a vector of size equal to the number of channels in input, but got %s of shape %s"
                                + " and input of shape %s",
                        name, name, site.shape(name), in);
            }
            checkDType(site, name);
        }
    }
}
