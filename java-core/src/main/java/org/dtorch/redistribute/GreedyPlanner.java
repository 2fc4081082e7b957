package org.dtorch.redistribute;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.placement.Replicate;
import org.dtorch.values.DType;

/**
 * The plain reference: mesh dimension by mesh dimension, each by its single step where there is one.
 *
 * <p>What has no single step, be it for its kind or because a later mesh dimension stands in the way, goes through
 * Replicate. Across meshes it reduces the partial mesh dimensions first, then moves blocks.
 */
final class GreedyPlanner {
    private GreedyPlanner() {}

    /** The steps from {@code from} to {@code to}, which are both normalized. */
    static List<Step> plan(Layout from, Layout to, DType dtype) {
        List<Step> steps = new ArrayList<>();
        if (from.mesh().equals(to.mesh())) {
            convert(from, to, dtype, steps);
        } else {
            Layout reduced = convert(from, withoutPartials(from), dtype, steps);
            Layout arrived = withoutPartials(to);
            steps.add(new Step.Blocks(reduced, arrived));
            convert(arrived, to, dtype, steps);
        }
        return steps;
    }

    static Layout withoutPartials(Layout layout) {
        Layout result = layout;
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (layout.placement(m).isPartial()) {
                result = result.with(m, Replicate.INSTANCE);
            }
        }
        return result;
    }

    private static Layout convert(Layout from, Layout to, DType dtype, List<Step> steps) {
        Layout current = from;
        boolean progress = true;
        while (progress) {
            progress = false;
            for (int m = 0; m < to.mesh().ndim(); m++) {
                Layout next = take(current, m, to.placement(m), dtype, steps);
                progress |= next != current;
                current = next;
            }
        }
        if (current.equals(to)) {
            return current;
        }
        int first = 0;
        while (current.placement(first).equals(to.placement(first))) {
            first++;
        }
        for (int m = to.mesh().ndim() - 1; m >= first; m--) {
            current = take(current, m, Replicate.INSTANCE, dtype, steps);
        }
        for (int m = first; m < to.mesh().ndim(); m++) {
            current = take(current, m, to.placement(m), dtype, steps);
        }
        if (!current.equals(to)) {
            throw new IllegalStateException("no way from " + from.shortName() + " to " + to.shortName());
        }
        return current;
    }

    private static Layout take(Layout current, int meshDim, Placement target, DType dtype, List<Step> steps) {
        Optional<Step> step = Conversions.direct(current, meshDim, target, dtype);
        step.ifPresent(steps::add);
        return step.map(Step::to).orElse(current);
    }
}
