package org.dtorch.dispatch;

import java.util.function.Supplier;
import org.dtorch.redistribute.Step;
import org.dtorch.runtime.Origin;

/** The redistribution step that issued an instruction. */
record StepOrigin(Step step, TensorData tensor, Supplier<String> line) implements Origin {
    @Override
    public String operator() {
        return step.label();
    }

    @Override
    public String description() {
        return tensor.describe() + " to " + step.to().shortName() + " on "
                + step.to().mesh();
    }

    @Override
    public String scriptLine() {
        return line.get();
    }
}
