package org.dtorch.redistribute;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.placement.Replicate;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * One shortest-path search from a layout to another over the layouts between them.
 *
 * <p>Edges are the single steps of {@link Conversions} on each mesh dimension, to Replicate, to the placements that the
 * dimension starts and ends with, and to shards of the tensor dimensions that occur or are longest; and {@link Step.Blocks}
 * towards the target. Dijkstra's order, bounded by a share of the greedy plan's cost: what reaches it is dropped, so the
 * answer is never worse, and the plain way stays where another is hardly cheaper. After {@link #MAX_EXPANSIONS} layouts the
 * best so far stands.
 */
final class Search {
    /** Layouts looked at before the search settles for what it has; keeps the worst case at a few milliseconds. */
    static final int MAX_EXPANSIONS = 300;
    /** The share of the greedy plan's cost that another way must stay below; the costs are no truer than that. */
    private static final double WORTHWHILE = 0.9;
    /** Tensor dimensions beside those that occur in the layouts, to go round or to reduce in parts. */
    private static final int EXTRA_DIMS = 1;

    private record Node(Layout layout, double micros, Step arrival, Node previous) {}

    private final Layout from;
    private final Layout to;
    private final Shape shape;
    private final DType dtype;
    private final CostModel costs;
    private final boolean sameMesh;
    private final List<Integer> usefulDims;
    private final Map<Layout, Double> best = new HashMap<>();
    private final PriorityQueue<Node> open = new PriorityQueue<>(Comparator.comparingDouble(Node::micros));
    private double bound;

    Search(Layout from, Layout to, Shape shape, DType dtype, CostModel costs) {
        this.from = from;
        this.to = to;
        this.shape = shape;
        this.dtype = dtype;
        this.costs = costs;
        this.sameMesh = from.mesh().equals(to.mesh());
        this.usefulDims = usefulDims();
    }

    /** The steps of the cheapest way found, {@code greedy} itself where nothing is cheaper. */
    List<Step> run(List<Step> greedy) {
        bound = WORTHWHILE * Plan.total(greedy, shape, dtype, costs);
        open.add(new Node(from, 0, null, null));
        best.put(from, 0.0);
        for (int expanded = 0; expanded < MAX_EXPANSIONS && !open.isEmpty(); expanded++) {
            Node node = open.poll();
            if (node.layout.equals(to)) {
                return steps(node);
            }
            if (node.micros <= best.get(node.layout)) {
                expand(node);
            }
        }
        Optional<Node> arrived = open.stream()
                .filter(node -> node.layout.equals(to))
                .min(Comparator.comparingDouble(Node::micros));
        return arrived.map(Search::steps).orElse(greedy);
    }

    private void expand(Node node) {
        DeviceMesh mesh = node.layout.mesh();
        for (int m = 0; m < mesh.ndim(); m++) {
            if (mesh.dimSize(m) > 1 && mayChange(mesh, m)) {
                for (Placement target : targets(mesh, m)) {
                    Conversions.direct(node.layout, m, target, dtype).ifPresent(step -> follow(node, step));
                }
            }
        }
        if (mesh.equals(from.mesh()) && startsBlocks(node.layout)) {
            for (Layout arrival : arrivals(node.layout)) {
                if (!arrival.equals(node.layout) && BlockMoves.partialsMatch(node.layout, arrival)) {
                    follow(node, new Step.Blocks(node.layout, arrival));
                }
            }
        }
    }

    /** Blocks leave a mesh in any shards, so there only partial dimensions are worth a step before. */
    private boolean mayChange(DeviceMesh mesh, int meshDim) {
        return sameMesh || mesh.equals(to.mesh()) || from.placement(meshDim).isPartial();
    }

    private void follow(Node node, Step step) {
        double micros = node.micros + costs.micros(step, shape, dtype);
        if (micros < bound && micros < best.getOrDefault(step.to(), Double.MAX_VALUE)) {
            best.put(step.to(), micros);
            open.add(new Node(step.to(), micros, step, node));
            if (step.to().equals(to)) {
                bound = Math.nextUp(micros);
            }
        }
    }

    private Set<Placement> targets(DeviceMesh mesh, int meshDim) {
        Set<Placement> found = new LinkedHashSet<>();
        if (mesh.equals(to.mesh())) {
            found.add(to.placement(meshDim));
        }
        if (mesh.equals(from.mesh()) && from.placement(meshDim).isShard()) {
            found.add(from.placement(meshDim));
        }
        found.add(Replicate.INSTANCE);
        for (int dim : usefulDims) {
            found.add(Placement.shard(dim));
        }
        return found;
    }

    /** Tensor dimensions of more than one element that either layout shards, and the longest others. */
    private List<Integer> usefulDims() {
        List<Integer> found = new ArrayList<>();
        List<Integer> others = new ArrayList<>();
        for (int d = 0; d < shape.rank(); d++) {
            if (from.isShardedOn(d) || to.isShardedOn(d)) {
                found.add(d);
            } else if (shape.size(d) > 1) {
                others.add(d);
            }
        }
        others.sort(Comparator.comparingLong(d -> -shape.size(d)));
        found.addAll(others.subList(0, Math.min(EXTRA_DIMS, others.size())));
        return found;
    }

    /** Blocks leave from the start, or from where only partial dimensions have been changed. */
    private boolean startsBlocks(Layout layout) {
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (!from.placement(m).isPartial() && !layout.placement(m).equals(from.placement(m))) {
                return false;
            }
        }
        return true;
    }

    /** Where blocks from {@code source} can arrive: what is partial stays so, the rest is as in the target. */
    private List<Layout> arrivals(Layout source) {
        boolean aligned = to.mesh().ndim() == source.mesh().ndim();
        Layout main = to;
        for (int m = 0; m < to.mesh().ndim(); m++) {
            if (aligned && source.placement(m).isPartial()) {
                main = main.with(m, source.placement(m));
            } else if (to.placement(m).isPartial()) {
                main = main.with(m, Replicate.INSTANCE);
            }
        }
        List<Layout> found = new ArrayList<>();
        found.add(main);
        if (!sameMesh) {
            for (int dim : usefulDims) {
                Layout scattered = main;
                for (int m = 0; m < to.mesh().ndim(); m++) {
                    if (to.mesh().dimSize(m) > 1 && main.placement(m).isReplicate()) {
                        scattered = scattered.with(m, Placement.shard(dim));
                    }
                }
                found.add(scattered);
            }
        }
        return found;
    }

    private static List<Step> steps(Node node) {
        Deque<Step> steps = new ArrayDeque<>();
        for (Node at = node; at.arrival != null; at = at.previous) {
            steps.addFirst(at.arrival);
        }
        return List.copyOf(steps);
    }
}
