package org.dtorch.nn;

import java.util.function.Consumer;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.op.CreationOptions;
import org.dtorch.placement.Layout;
import org.dtorch.random.Generator;
import org.dtorch.values.DTorchError;

/**
 * Initial values, written into a tensor that is returned. Random ones are PyTorch's for the seed, drawn for the global
 * shape, so that they are the same on every mesh. Source: {@code torch.nn.init}.
 */
public final class Init {
    /** The slope that PyTorch's layers initialise their weights with. */
    static final double LAYER_SLOPE = Math.sqrt(5);

    private Init() {}

    /** Uniform in [a, b). */
    public static <T extends Tensor> T uniform(T tensor, double a, double b) {
        return uniform(tensor, a, b, null);
    }

    /**
     * @param generator null for the context's own
     */
    public static <T extends Tensor> T uniform(T tensor, double a, double b, Generator generator) {
        return inPlace(tensor, whole -> whole.uniform_(a, b, generator));
    }

    public static <T extends Tensor> T normal(T tensor, double mean, double std) {
        return normal(tensor, mean, std, null);
    }

    /**
     * @param generator null for the context's own
     */
    public static <T extends Tensor> T normal(T tensor, double mean, double std, Generator generator) {
        return inPlace(tensor, whole -> whole.normal_(mean, std, generator));
    }

    public static <T extends Tensor> T constant(T tensor, double value) {
        return inPlace(tensor, whole -> whole.fill_(value));
    }

    public static <T extends Tensor> T zeros(T tensor) {
        return constant(tensor, 0);
    }

    public static <T extends Tensor> T ones(T tensor) {
        return constant(tensor, 1);
    }

    /** Uniform with the variance of Glorot and Bengio. */
    public static <T extends Tensor> T xavierUniform(T tensor, double gain, Generator generator) {
        double std = gain * Math.sqrt(2.0 / (fan(tensor, true) + fan(tensor, false)));
        double bound = Math.sqrt(3.0) * std;
        return uniform(tensor, -bound, bound, generator);
    }

    /** Normal with the variance of Glorot and Bengio. */
    public static <T extends Tensor> T xavierNormal(T tensor, double gain, Generator generator) {
        return normal(tensor, 0, gain * Math.sqrt(2.0 / (fan(tensor, true) + fan(tensor, false))), generator);
    }

    /**
     * Uniform with the variance of He and others.
     *
     * @param slope of a leaky ReLU; unused by other nonlinearities
     * @param mode {@code fan_in} or {@code fan_out}
     */
    public static <T extends Tensor> T kaimingUniform(
            T tensor, double slope, String mode, String nonlinearity, Generator generator) {
        if (tensor.shape().numel() == 0) {
            return tensor;
        }
        double std = gain(nonlinearity, slope) / Math.sqrt(correctFan(tensor, mode));
        double bound = Math.sqrt(3.0) * std;
        return uniform(tensor, -bound, bound, generator);
    }

    /** Normal with the variance of He and others; arguments as {@link #kaimingUniform}. */
    public static <T extends Tensor> T kaimingNormal(
            T tensor, double slope, String mode, String nonlinearity, Generator generator) {
        if (tensor.shape().numel() == 0) {
            return tensor;
        }
        return normal(tensor, 0, gain(nonlinearity, slope) / Math.sqrt(correctFan(tensor, mode)), generator);
    }

    /** What PyTorch's linear and convolution layers start with. */
    static <T extends Tensor> T layerWeight(T weight) {
        return kaimingUniform(weight, LAYER_SLOPE, "fan_in", "leaky_relu", null);
    }

    /** The bias that belongs to {@link #layerWeight}. */
    static <T extends Tensor> T layerBias(T bias, Tensor weight) {
        long fan = fan(weight, true);
        double bound = fan > 0 ? 1 / Math.sqrt(fan) : 0;
        return uniform(bias, -bound, bound);
    }

    /**
     * Normal, with what falls outside [a, b] drawn again.
     *
     * <p>Source: {@code torch.nn.init._no_grad_trunc_normal_}, of which both branches are followed draw by draw.
     */
    public static <T extends Tensor> T truncNormal(
            T tensor, double mean, double std, double a, double b, Generator generator) {
        return inPlace(tensor, whole -> new TruncatedNormal(mean, std, a, b, generator).draw(whole));
    }

    /** PyTorch's gain for a nonlinearity; an error of kind VALUE for one that it does not know. */
    public static double gain(String nonlinearity, double slope) {
        return switch (nonlinearity) {
            case "linear",
                    "conv1d",
                    "conv2d",
                    "conv3d",
                    "conv_transpose1d",
                    "conv_transpose2d",
                    "conv_transpose3d",
                    "sigmoid" -> 1;
            case "tanh" -> 5.0 / 3;
            case "relu" -> Math.sqrt(2.0);
            case "leaky_relu" -> Math.sqrt(2.0 / (1 + slope * slope));
            case "selu" -> 3.0 / 4;
            default -> throw DTorchError.value("Unsupported nonlinearity %s", nonlinearity);
        };
    }

    private static long correctFan(Tensor tensor, String mode) {
        return switch (mode) {
            case "fan_in" -> fan(tensor, true);
            case "fan_out" -> fan(tensor, false);
            default -> throw DTorchError.value("Mode %s not supported, please use one of ['fan_in', 'fan_out']", mode);
        };
    }

    private static long fan(Tensor tensor, boolean in) {
        int rank = tensor.dim();
        if (rank < 2) {
            throw DTorchError.value("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
        }
        long field = 1;
        for (int d = 2; d < rank; d++) {
            field *= tensor.size(d);
        }
        return tensor.size(in ? 1 : 0) * field;
    }

    /** Initialises the tensor, or the full value of a partial one, which the first device of the mesh dimension keeps. */
    private static <T extends Tensor> T inPlace(T tensor, Consumer<Tensor> init) {
        if (!tensor.layout().hasPartial()) {
            init.accept(tensor);
            return tensor;
        }
        DTorch owner = tensor.owner();
        Layout layout = StateDict.whole(tensor.layout());
        CreationOptions options = owner.options(tensor.dtype(), layout.mesh(), layout.placements());
        try (Tensor whole = owner.empty(tensor.shape().toArray(), options)) {
            init.accept(whole);
            try (Tensor placed = whole.redistribute(tensor.layout())) {
                tensor.setData(placed);
            }
        }
        return tensor;
    }
}
