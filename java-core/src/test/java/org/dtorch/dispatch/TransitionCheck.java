package org.dtorch.dispatch;

import java.util.Random;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.fixtures.Array;
import org.dtorch.placement.Layout;
import org.dtorch.redistribute.Step;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** Carries out redistributions and holds what every device has afterwards against the meaning of the placements. */
final class TransitionCheck {
    private static final double TOLERANCE = 1e-9;

    private final DTorch dt;

    TransitionCheck(DTorch dt) {
        this.dt = dt;
    }

    private static Array whole(Shape shape, Random random) {
        Array whole = Array.zeros(shape);
        for (int i = 0; i < whole.values().length; i++) {
            whole.values()[i] = random.nextInt(-100, 100);
        }
        return whole;
    }

    /** The redistributor's own way; the tensor itself must stay as it is. */
    void redistribute(Shape shape, DType dtype, Layout from, Layout to, Random random) {
        Array whole = whole(shape, random);
        try (Tensor before = Parts.laidOut(dt, whole, dtype, from, random);
                Tensor after = before.redistribute(to)) {
            if (!after.layout().equals(to.normalized(shape.rank()))) {
                throw new AssertionError("arrived at " + after.layout());
            }
            Parts.joined(after).assertClose(whole.values(), TOLERANCE, "after");
            Parts.joined(before).assertClose(whole.values(), TOLERANCE, "before, afterwards");
        }
    }

    /** One step. */
    void carryOut(Step step, Shape shape, DType dtype, Random random) {
        Array whole = whole(shape, random);
        TensorData before = Parts.laidOut(dt, whole, dtype, step.from(), random).data();
        StepRunner runner = new StepRunner(dt.dispatcher().session());
        TensorData after = runner.run(step, before, new StepOrigin(step, before, () -> ""), false);
        Parts.joined(dt.dispatcher().session(), after).assertClose(whole.values(), TOLERANCE, step.label());
    }
}
