package org.dtorch.op;

import org.dtorch.backend.Operand;
import org.dtorch.recipe.Recipe;
import org.dtorch.rule.Rule;
import org.dtorch.values.Scalar;

/** How a row gets its result. */
public sealed interface OpKind {

    /** A kernel on every device that holds a different part of the result. */
    record Computed(
            Infer infer, RuleOf rule, RecipeOf recipe, Arguments arguments, NeedsDense needsDense, Fit fit, Cost cost)
            implements OpKind {}

    /** A strided look at the input's storage. */
    record View(Infer infer, RuleOf rule, LocalView local) implements OpKind {}

    /** A sentence in other operators; needs no rule, kernel or gradient of its own. */
    record Composite(Body body) implements OpKind {}

    /** A tensor made from nothing, laid out as its options say. */
    record Created(Infer infer, RecipeOf recipe, Arguments arguments) implements OpKind {}

    /**
     * A tensor of random numbers from the session's generator or the one in the parameter {@code generator}, equal on any
     * layout; new, or written into the mutated parameter.
     */
    record Random(Infer infer, Draw draw) implements OpKind {}

    /** Shapes and dtypes of the results; raises for arguments that do not fit. */
    @FunctionalInterface
    interface Infer {
        TensorMeta[] apply(Site site);
    }

    @FunctionalInterface
    interface RuleOf {
        Rule apply(Site site, TensorMeta[] outputs);
    }

    @FunctionalInterface
    interface RecipeOf {
        Recipe apply(Site site, TensorMeta[] outputs);
    }

    /** The non-tensor arguments that the kernel takes. */
    @FunctionalInterface
    interface Arguments {
        Object[] apply(Site site);
    }

    /** Which tensor inputs {@link Fit} can only take if their shards lie dense in row-major order. */
    @FunctionalInterface
    interface NeedsDense {
        /** No input needs to. */
        NeedsDense NONE = (site, input) -> false;

        boolean test(Site site, int input);
    }

    /** Turns local operands into the form that the kernel takes; changes only offsets, sizes and strides. */
    @FunctionalInterface
    interface Fit {
        /** {@code operands} are the inputs followed by the outputs; the array is replaced in place. */
        void apply(Operand[] operands, int inputs, Site site);
    }

    /** An estimate of the work on one device, in units of one simple element operation. */
    @FunctionalInterface
    interface Cost {
        double apply(Operand[] operands);
    }

    @FunctionalInterface
    interface LocalView {
        /**
         * The local view.
         *
         * @param in the input's shard
         * @param outSizes the local sizes that the result must have
         * @return null where strides cannot express it, so that the data must be copied
         */
        StridedView apply(StridedView in, long[] outSizes, Site site, int output);
    }

    @FunctionalInterface
    interface Body {
        /** The results: one value, or several in schema order. */
        Value[] apply(Calls calls, Site site);
    }

    /** Which stream of random numbers a row draws. */
    @FunctionalInterface
    interface Draw {
        RandomDraw apply(Site site);
    }

    /** A distribution and its parameters. */
    record RandomDraw(Distribution distribution, Scalar first, Scalar second) {}

    /** The distributions of PyTorch's CPU generator. */
    enum Distribution {
        UNIFORM,
        NORMAL,
        INTEGER,
        PERMUTATION,
        /** One with the probability that is the first parameter, else zero. */
        BERNOULLI
    }
}
