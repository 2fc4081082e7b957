package org.dtorch.redistribute;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.placement.Layout;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** Finds plans, and remembers the last ones; safe for many threads. */
public final class Planner {
    /** Plans remembered before the least recently used is forgotten. */
    public static final int DEFAULT_CAPACITY = 4096;

    /** Equality is written out, since it decides how long a known plan takes to find. */
    private record Key(Layout from, Layout to, Shape shape, DType dtype) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key that
                    && dtype == that.dtype
                    && from.equals(that.from)
                    && to.equals(that.to)
                    && shape.equals(that.shape);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * (31 * from.hashCode() + to.hashCode()) + shape.hashCode()) + dtype.ordinal();
        }
    }

    private final CostModel costs;
    private final Map<Key, Plan> known;

    public Planner(CostModel costs) {
        this(costs, DEFAULT_CAPACITY);
    }

    public Planner(CostModel costs, int capacity) {
        this.costs = costs;
        this.known = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Key, Plan> eldest) {
                return size() > capacity;
            }
        };
    }

    /** The costs by which this planner chooses. */
    public CostModel costs() {
        return costs;
    }

    /**
     * The cheapest known way to bring a tensor of {@code shape} from {@code from} to {@code to}, which may be on
     * different meshes; never dearer than going mesh dimension by mesh dimension.
     *
     * @throws org.dtorch.values.DTorchError of kind LAYOUT where a layout shards a dimension that the shape does
     *     not have
     */
    public Plan plan(Layout from, Layout to, Shape shape, DType dtype) {
        Key key = new Key(from, to, shape, dtype);
        synchronized (known) {
            Plan plan = known.get(key);
            if (plan != null) {
                return plan;
            }
        }
        Plan plan = compute(from, to, shape, dtype);
        synchronized (known) {
            known.put(key, plan);
        }
        return plan;
    }

    private Plan compute(Layout from, Layout to, Shape shape, DType dtype) {
        from.checkFits(shape);
        to.checkFits(shape);
        Layout start = from.normalized(shape.rank());
        Layout end = to.normalized(shape.rank());
        if (start.equals(end)) {
            return new Plan(start, end, shape, dtype, List.of(), costs);
        }
        Plan greedy = new Plan(start, end, shape, dtype, GreedyPlanner.plan(start, end, dtype), costs);
        if (greedy.isLocal()) {
            return greedy;
        }
        return new Search(greedy, costs)
                .run()
                .map(steps -> new Plan(start, end, shape, dtype, steps, costs))
                .orElse(greedy);
    }
}
