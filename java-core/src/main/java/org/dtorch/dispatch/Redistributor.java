package org.dtorch.dispatch;

import java.util.function.Supplier;
import org.dtorch.placement.Layout;
import org.dtorch.redistribute.CostModel;
import org.dtorch.redistribute.Plan;
import org.dtorch.redistribute.Planner;
import org.dtorch.redistribute.Step;
import org.dtorch.runtime.Session;

/** Carries out redistribution plans: each step turns a tensor into the next, and what lies between is released. */
public final class Redistributor {
    private final Planner planner = new Planner(CostModel.DEFAULT);
    private final StepRunner runner;
    private final Supplier<String> scriptLine;

    Redistributor(Session session, Supplier<String> scriptLine) {
        this.runner = new StepRunner(session);
        this.scriptLine = scriptLine;
    }

    /** The plan that would be carried out, for explanation and tests. */
    public Plan plan(TensorData tensor, Layout to) {
        return planner.plan(
                tensor.layout().normalized(tensor.shape().rank()),
                to.normalized(tensor.shape().rank()),
                tensor.shape(),
                tensor.dtype());
    }

    /**
     * The tensor with layout {@code to}, owned by the caller. Where nothing has to change it shares the storage, otherwise
     * it has storage of its own.
     *
     * @throws org.dtorch.values.DTorchError of kind LAYOUT if the layout does not fit the shape
     */
    public TensorData redistribute(TensorData tensor, Layout to) {
        return run(tensor, to, false);
    }

    /** The tensor with layout {@code to} for reading only: local slices may share the storage. */
    TensorData forOperand(TensorData tensor, Layout to) {
        return run(tensor, to, true);
    }

    private TensorData run(TensorData tensor, Layout to, boolean readOnly) {
        tensor.requireFresh();
        to.checkFits(tensor.shape());
        Layout normalized = to.normalized(tensor.shape().rank());
        Plan plan = plan(tensor, normalized);
        TensorData current = tensor;
        for (Step step : plan.steps()) {
            TensorData next = runner.run(step, current, new StepOrigin(step, tensor, scriptLine), readOnly);
            if (current != tensor) {
                current.release();
            }
            current = next;
        }
        if (current == tensor || !current.layout().equals(normalized)) {
            TensorData labelled = current.relabelled(normalized);
            if (current != tensor) {
                current.release();
            }
            return labelled;
        }
        return current;
    }
}
