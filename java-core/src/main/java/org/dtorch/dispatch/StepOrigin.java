package org.dtorch.dispatch;

import java.util.function.Supplier;
import org.dtorch.redistribute.Step;

/** The redistribution step that issued an instruction. */
final class StepOrigin extends IssuedOrigin {
    private final Step step;
    private final TensorData tensor;

    StepOrigin(Step step, TensorData tensor, Supplier<String> line) {
        super(line);
        this.step = step;
        this.tensor = tensor;
    }

    @Override
    public String operator() {
        return step.label();
    }

    @Override
    public String description() {
        return tensor.describe() + " to " + step.to().shortName() + " on "
                + step.to().mesh();
    }
}
