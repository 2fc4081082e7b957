package org.dtorch.rule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Partial;
import org.dtorch.placement.Placement;
import org.dtorch.placement.Replicate;
import org.dtorch.placement.Shard;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/**
 * Chooses, on every mesh dimension, the legal placements that cost the least redistribution from where the inputs are.
 *
 * <p>Mesh dimensions are chosen one by one: what moves on one dimension does not depend on the others but for the size of
 * the local shard, which is taken from the inputs' current layouts.
 */
public final class Selector {
    /** Cost of starting any collective, in bytes that could be moved in the same time. */
    private static final double START = 64 * 1024;
    /** A local slice or mask is nearly free, yet never preferred to staying. */
    private static final double LOCAL = 1;
    /** There is no such conversion. */
    private static final double NEVER = 1e30;

    private Selector() {}

    /**
     * The cheapest legal layouts.
     *
     * @param rule the operator's rule for these arguments
     * @param shapes global shapes of the inputs, null where absent
     * @param itemBytes bytes per element of each input
     * @param current the inputs' layouts, all on {@code mesh}
     * @param fixed outputs' layout that must result, or null (in-place operators cannot change it)
     */
    public static Selection select(
            Rule rule, Shape[] shapes, int[] itemBytes, Layout[] current, DeviceMesh mesh, Layout fixed) {
        int ndim = mesh.ndim();
        Placement[][] in = new Placement[current.length][ndim];
        Placement[][] out = new Placement[rule.outputs().length][ndim];
        for (int m = 0; m < ndim; m++) {
            Placement[] now = on(current, m);
            Strategy best = null;
            double bestCost = NEVER;
            for (Strategy strategy : rule.strategies(now)) {
                if (fixed != null && !sameOn(strategy.outputs()[0], fixed.placement(m), mesh.dimSize(m))) {
                    continue;
                }
                double cost = mesh.dimSize(m) == 1
                        ? (allReplicated(strategy) ? 0 : NEVER)
                        : cost(strategy, now, shapes, itemBytes, current, m, mesh.dimSize(m));
                if (cost < bestCost) {
                    best = strategy;
                    bestCost = cost;
                }
            }
            if (best == null) {
                return null;
            }
            for (int i = 0; i < in.length; i++) {
                in[i][m] = best.inputs()[i];
            }
            for (int o = 0; o < out.length; o++) {
                out[o][m] = best.outputs()[o];
            }
        }
        Layout[] inputs = new Layout[in.length];
        for (int i = 0; i < in.length; i++) {
            inputs[i] = current[i] == null ? null : same(current[i], Layout.of(mesh, in[i]));
        }
        Layout[] outputs = new Layout[out.length];
        for (int o = 0; o < out.length; o++) {
            outputs[o] = Layout.of(mesh, out[o]);
        }
        return new Selection(inputs, outputs);
    }

    /** The legal combinations on mesh dimension {@code m}, those nearest to the current placements first. */
    public static List<Strategy> nearest(Rule rule, Shape[] shapes, int[] itemBytes, Layout[] current, int m) {
        Placement[] now = on(current, m);
        int n = firstOf(current).mesh().dimSize(m);
        List<Strategy> all = new ArrayList<>(rule.strategies(now));
        all.sort(Comparator.comparingDouble(s -> cost(s, now, shapes, itemBytes, current, m, n)));
        return all;
    }

    private static Layout same(Layout current, Layout wanted) {
        return current.equals(wanted) ? current : wanted;
    }

    private static Layout firstOf(Layout[] layouts) {
        for (Layout layout : layouts) {
            if (layout != null) {
                return layout;
            }
        }
        throw DTorchError.runtime("an operator without tensor inputs has no placements to choose");
    }

    private static Placement[] on(Layout[] layouts, int m) {
        Placement[] placements = new Placement[layouts.length];
        for (int i = 0; i < layouts.length; i++) {
            placements[i] = layouts[i] == null ? null : layouts[i].placement(m);
        }
        return placements;
    }

    private static boolean sameOn(Placement a, Placement b, int size) {
        return a.equals(b) || (size == 1 && a.isReplicate());
    }

    private static boolean allReplicated(Strategy strategy) {
        for (Placement p : strategy.inputs()) {
            if (p != null && !p.isReplicate()) {
                return false;
            }
        }
        for (Placement p : strategy.outputs()) {
            if (!p.isReplicate()) {
                return false;
            }
        }
        return true;
    }

    private static double cost(
            Strategy strategy, Placement[] now, Shape[] shapes, int[] itemBytes, Layout[] current, int m, int n) {
        double sum = 0;
        for (int i = 0; i < now.length; i++) {
            if (now[i] != null) {
                double bytes = shapes[i].numel() * (double) itemBytes[i] / otherShards(current[i], m);
                sum += transition(now[i], strategy.inputs()[i], bytes, n);
            }
        }
        return sum;
    }

    private static double otherShards(Layout layout, int m) {
        double factor = 1;
        for (int d = 0; d < layout.mesh().ndim(); d++) {
            if (d != m && layout.placement(d).isShard()) {
                factor *= layout.mesh().dimSize(d);
            }
        }
        return factor;
    }

    /** The bytes that one device must receive, plus the start of a collective. */
    private static double transition(Placement from, Placement to, double bytes, int n) {
        if (from.equals(to)) {
            return 0;
        }
        double others = bytes * (n - 1) / n;
        return switch (from) {
            case Replicate r -> LOCAL;
            case Shard s ->
                switch (to) {
                    case Replicate r -> START + others;
                    case Shard t -> START + others / n;
                    case Partial p -> START + others + LOCAL;
                };
            case Partial p ->
                switch (to) {
                    case Replicate r -> START + 2 * others;
                    case Shard s -> START + others;
                    case Partial q -> NEVER;
                };
        };
    }
}
