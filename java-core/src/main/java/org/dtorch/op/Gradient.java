package org.dtorch.op;

/** The gradient column of a row, written in other rows so that it can be differentiated again. */
public sealed interface Gradient {
    /** Not written yet: asking for it raises NotImplementedError with the operator's name. */
    Gradient PENDING = new None("the gradient of this operator is not implemented");

    /** There is none, for the reason given. */
    record None(String reason) implements Gradient {}

    /** Computes the gradients of the tensor inputs, null where an input has none. */
    non-sealed interface Formula extends Gradient {
        Value[] apply(Calls calls, Value[] outputGradients, Site site, Value[] outputs);
    }

    static Gradient none(String reason) {
        return new None(reason);
    }
}
