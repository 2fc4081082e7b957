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
 * dimension starts and ends with, and to shards of the tensor dimensions that occur or are longest; and {@link
 * Step.Blocks} towards the target, whose exact price is found only when their turn comes. The order is A*'s, bounded by
 * a share of the greedy plan's cost: what reaches it is dropped, so the answer is never worse, and the plain way stays
 * where another is hardly cheaper. After {@link #MAX_EFFORT} layouts the best so far stands.
 */
final class Search {
    /** Layouts looked at before the search settles for what it has; keeps the worst case at a few milliseconds. */
    private static final int MAX_EFFORT = 200;
    /** Pricing blocks between this many devices takes about as long as looking at one more layout. */
    private static final int DEVICES_PER_EFFORT = 32;
    /** The share of the greedy plan's cost that another way must stay below; the costs are no truer than that. */
    private static final double WORTHWHILE = 0.9;
    /** Tensor dimensions beside those that occur in the layouts, to go round or to reduce in parts. */
    private static final int EXTRA_DIMS = 1;

    /**
     * A layout reached by {@code arrival}.
     *
     * @param micros the cost so far, with the least that the arrival can cost if {@code isPriced} is false
     * @param estimate {@code micros} and the least that the rest of the way can cost
     */
    private record Node(Step arrival, Node previous, double micros, double estimate, boolean isPriced) {}

    private final Layout from;
    private final Layout to;
    private final Shape shape;
    private final DType dtype;
    private final CostModel costs;
    private final boolean sameMesh;
    private final List<Integer> usefulDims;
    private final Map<Layout, Double> best = new HashMap<>();
    private final Map<Layout, Double> rest = new HashMap<>();
    private final PriorityQueue<Node> open = new PriorityQueue<>(Comparator.comparingDouble(Node::estimate));
    private final List<List<Placement>> before;
    private final List<List<Placement>> after;
    private double bound;
    private Node arrived;

    Search(Plan greedy, CostModel costs) {
        this.from = greedy.from();
        this.to = greedy.to();
        this.shape = greedy.shape();
        this.dtype = greedy.dtype();
        this.costs = costs;
        this.sameMesh = from.mesh().equals(to.mesh());
        this.usefulDims = usefulDims();
        this.before = targets(from.mesh());
        this.after = sameMesh ? before : targets(to.mesh());
        this.bound = WORTHWHILE * greedy.micros();
    }

    /** The steps of the cheapest way found, if it is worth leaving the greedy one. */
    Optional<List<Step>> run() {
        if (costs.least(from, to, shape, dtype) >= bound) {
            return Optional.empty();
        }
        expand(null, from);
        int effort = 0;
        while (effort < MAX_EFFORT && !open.isEmpty()) {
            Node node = open.poll();
            if (node.estimate >= bound && node != arrived) {
                break;
            }
            if (!node.isPriced) {
                price(node);
                effort += 1 + to.mesh().size() / DEVICES_PER_EFFORT;
            } else if (node == arrived) {
                break;
            } else if (node.micros <= best.get(node.arrival.to())) {
                expand(node, node.arrival.to());
                effort++;
            }
        }
        return Optional.ofNullable(arrived).map(Search::steps);
    }

    private void expand(Node node, Layout layout) {
        DeviceMesh mesh = layout.mesh();
        List<List<Placement>> targets = mesh.equals(from.mesh()) ? before : after;
        for (int m = 0; m < mesh.ndim(); m++) {
            for (Placement target : targets.get(m)) {
                Optional<Step> step = Conversions.direct(layout, m, target, dtype);
                if (step.isPresent()) {
                    follow(node, step.get(), costs.of(step.get(), shape, dtype).micros(), true);
                }
            }
        }
        if (mesh.equals(from.mesh()) && startsBlocks(layout)) {
            for (Layout arrival : arrivals(layout)) {
                if (!arrival.equals(layout) && BlockMoves.partialsMatch(layout, arrival)) {
                    Step.Blocks step = new Step.Blocks(layout, arrival);
                    follow(node, step, costs.least(step, shape, dtype), false);
                }
            }
        }
    }

    private void price(Node node) {
        follow(node.previous, node.arrival, costs.of(node.arrival, shape, dtype).micros(), true);
    }

    private void follow(Node node, Step step, double price, boolean isPriced) {
        double micros = price + (node == null ? 0 : node.micros);
        Layout reached = step.to();
        double estimate = micros + rest.computeIfAbsent(reached, l -> costs.least(l, to, shape, dtype));
        if (estimate >= bound || micros >= best.getOrDefault(reached, Double.MAX_VALUE)) {
            return;
        }
        Node next = new Node(step, node, micros, estimate, isPriced);
        open.add(next);
        if (isPriced) {
            best.put(reached, micros);
            if (reached.equals(to)) {
                bound = micros;
                arrived = next;
            }
        }
    }

    /** Per mesh dimension, what it may become; nothing on one device, nor where blocks leave in any shards as well. */
    private List<List<Placement>> targets(DeviceMesh mesh) {
        List<List<Placement>> found = new ArrayList<>();
        for (int m = 0; m < mesh.ndim(); m++) {
            Set<Placement> targets = new LinkedHashSet<>();
            if (mesh.dimSize(m) > 1
                    && (mesh.equals(to.mesh()) || from.placement(m).isPartial())) {
                if (mesh.equals(to.mesh())) {
                    targets.add(to.placement(m));
                }
                if (sameMesh && from.placement(m).isShard()) {
                    targets.add(from.placement(m));
                }
                targets.add(Replicate.INSTANCE);
                for (int dim : usefulDims) {
                    targets.add(Placement.shard(dim));
                }
            }
            found.add(List.copyOf(targets));
        }
        return found;
    }

    /** Tensor dimensions that either layout shards, and the longest others. */
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

    private static List<Step> steps(Node last) {
        Deque<Step> steps = new ArrayDeque<>();
        for (Node node = last; node != null; node = node.previous) {
            steps.addFirst(node.arrival);
        }
        return List.copyOf(steps);
    }
}
