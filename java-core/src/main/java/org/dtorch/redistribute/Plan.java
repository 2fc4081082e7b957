package org.dtorch.redistribute;

import java.util.List;
import java.util.Locale;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * How a tensor gets from one layout to another: steps that follow each other, each from the layout where the last one
 * ended.
 *
 * <p>Both layouts are {@link Layout#normalized}. No steps mean that every device already holds its new shard.
 */
public final class Plan {
    private final Layout from;
    private final Layout to;
    private final Shape shape;
    private final DType dtype;
    private final List<Step> steps;
    private final List<CostModel.StepCost> costs;

    Plan(Layout from, Layout to, Shape shape, DType dtype, List<Step> steps, CostModel model) {
        this.from = from;
        this.to = to;
        this.shape = shape;
        this.dtype = dtype;
        this.steps = List.copyOf(steps);
        this.costs = steps.stream().map(step -> model.of(step, shape, dtype)).toList();
    }

    public Layout from() {
        return from;
    }

    public Layout to() {
        return to;
    }

    public Shape shape() {
        return shape;
    }

    public DType dtype() {
        return dtype;
    }

    public List<Step> steps() {
        return steps;
    }

    /** Whether nothing is to be done. */
    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Whether devices only work on what they hold. */
    public boolean isLocal() {
        return steps.stream().allMatch(Step::isLocal);
    }

    /** What each of the steps costs. */
    public List<CostModel.StepCost> costs() {
        return costs;
    }

    /** The estimated time in microseconds. */
    public double micros() {
        return costs.stream().mapToDouble(CostModel.StepCost::micros).sum();
    }

    /** The bytes that the busiest device of each step moves, summed over the steps. */
    public long bytesPerDevice() {
        return costs.stream().mapToLong(CostModel.StepCost::bytes).sum();
    }

    /**
     * The steps, the bytes that each moves per device and their estimated time, one line each, for example
     *
     * <pre>
     * redistribute [8, 16] torch.float32 on (2, 2): [S(0), P(sum)] -> [S(0), R]
     *   1. all-reduce on dim 1: [S(0), P(sum)] -> [S(0), R], 256 bytes per device, 4.03 us
     *   total: 256 bytes per device, 4.03 us
     * </pre>
     */
    public String explain() {
        StringBuilder text = new StringBuilder("redistribute ")
                .append(shape)
                .append(' ')
                .append(dtype)
                .append(on(from.mesh()))
                .append(": ")
                .append(from.shortName())
                .append(" -> ")
                .append(to.shortName());
        if (!to.mesh().equals(from.mesh())) {
            text.append(on(to.mesh()));
        }
        text.append('\n');
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            text.append(String.format(
                    Locale.ROOT,
                    "  %d. %s%s: %s -> %s, %s%n",
                    i + 1,
                    step.label(),
                    where(step),
                    step.from().shortName(),
                    step.to().shortName(),
                    cost(costs.get(i).bytes(), costs.get(i).micros())));
        }
        return text.append("  total: ")
                .append(cost(bytesPerDevice(), micros()))
                .append('\n')
                .toString();
    }

    private static String where(Step step) {
        return switch (step) {
            case Step.Slice s -> onDim(step, s.meshDim());
            case Step.AllGather s -> onDim(step, s.meshDim());
            case Step.ReduceScatter s -> onDim(step, s.meshDim());
            case Step.AllReduce s -> onDim(step, s.meshDim());
            case Step.AllToAll s -> onDim(step, s.meshDim());
            case Step.Mask s -> onDim(step, s.meshDim());
            case Step.PartialCast s -> onDim(step, s.meshDim());
            case Step.Blocks s -> s.from().mesh().equals(s.to().mesh()) ? "" : " between meshes";
        };
    }

    private static String onDim(Step step, int meshDim) {
        List<String> names = step.from().mesh().dimNames();
        return " on dim " + (names.isEmpty() ? meshDim : "'" + names.get(meshDim) + "'");
    }

    private static String on(DeviceMesh mesh) {
        StringBuilder text = new StringBuilder(" on (");
        for (int m = 0; m < mesh.ndim(); m++) {
            text.append(m == 0 ? "" : ", ");
            if (!mesh.dimNames().isEmpty()) {
                text.append(mesh.dimNames().get(m)).append('=');
            }
            text.append(mesh.dimSize(m));
        }
        return text.append(mesh.ndim() == 1 ? ",)" : ")").toString();
    }

    private static String cost(long bytes, double micros) {
        return String.format(Locale.ROOT, "%d bytes per device, %.2f us", bytes, micros);
    }

    @Override
    public String toString() {
        return explain();
    }
}
