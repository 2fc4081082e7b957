package org.dtorch.nn;

import java.util.Map;
import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;

/** A module that takes one tensor, called {@code input}, and gives one. */
public abstract class Layer extends Module {
    /** The layers of this package make what they hand from step to step themselves, so it can be freed at once. */
    private final boolean ownsSteps = getClass().getPackageName().equals(Layer.class.getPackageName());

    /** The computation. */
    public abstract Tensor forward(Tensor input);

    /** Checks or changes the input's layout before forward. */
    public Tensor redistributeInput(Tensor input) {
        return input;
    }

    /** Changes the layout of what forward gave. */
    public Tensor redistributeOutput(Tensor output) {
        return output;
    }

    @Override
    public final Object call(Object[] args, Map<String, Object> kwargs) {
        return isDirect() ? callDirect(only(args, kwargs)) : super.call(args, kwargs);
    }

    private Tensor callDirect(Tensor input) {
        Tensor placed = redistributeInput(input);
        Tensor output = forward(placed);
        Tensor result = redistributeOutput(output);
        if (ownsSteps && placed != input && placed != output && placed != result) {
            placed.close();
        }
        if (ownsSteps && output != result && output != input) {
            output.close();
        }
        return result;
    }

    @Override
    public final Object forward(Object[] args, Map<String, Object> kwargs) {
        return forward(only(args, kwargs));
    }

    @Override
    public final Inputs redistributeInput(Object[] args, Map<String, Object> kwargs) {
        return Inputs.of(redistributeInput(only(args, kwargs)));
    }

    @Override
    public final Object redistributeOutput(Object output) {
        return redistributeOutput((Tensor) output);
    }

    private Tensor only(Object[] args, Map<String, Object> kwargs) {
        Object input = args.length == 1 && kwargs.isEmpty()
                ? args[0]
                : args.length == 0 && kwargs.size() == 1 ? kwargs.get("input") : null;
        if (input instanceof Tensor tensor) {
            return tensor;
        }
        throw DTorchError.type(
                "%s takes one tensor, input; got %d positional arguments%s and keywords %s",
                className(),
                args.length,
                args.length > 0 && args[0] != null ? " (" + args[0].getClass().getSimpleName() + ")" : "",
                kwargs.keySet());
    }
}
