package org.dtorch.redistribute;

import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * What a step costs: a latency for each message and a time for each byte, by mesh dimension.
 *
 * <p>Collectives on m devices count as rings: m - 1 messages for all-gather, reduce-scatter and all-to-all, twice as
 * many for all-reduce. Bytes are those that the busiest device receives. The defaults (2 us and 10 GB/s between
 * devices, 0.2 us and 20 GB/s within one) stand for devices that share a host's memory; what matters for choosing is
 * their ratio.
 *
 * @param meshDims the link along each mesh dimension; the last one serves the dimensions beyond
 * @param between the link from one mesh to another
 * @param local what a device's own copying costs
 */
public record CostModel(List<Link> meshDims, Link between, Link local) {
    private static final Link SHARED_MEMORY = new Link(2, 10_000);
    private static final Link OWN_MEMORY = new Link(0.2, 20_000);

    /** Devices in one host's memory. */
    public static final CostModel DEFAULT = new CostModel(List.of(SHARED_MEMORY), SHARED_MEMORY, OWN_MEMORY);

    public CostModel {
        meshDims = List.copyOf(meshDims);
        if (meshDims.isEmpty()) {
            throw new IllegalArgumentException("a cost model needs at least one link");
        }
    }

    /** The link along {@code meshDim}. */
    public Link link(int meshDim) {
        return meshDims.get(Math.min(meshDim, meshDims.size() - 1));
    }

    /**
     * The cost of one step.
     *
     * @param bytes what the step moves to the busiest device (for {@link Step.Blocks}: to it or from it)
     * @param micros the estimated time
     */
    public record StepCost(long bytes, double micros) {}

    /** What {@code step} costs for a tensor of {@code shape} and {@code dtype}. */
    public StepCost of(Step step, Shape shape, DType dtype) {
        return switch (step) {
            case Step.Slice slice -> own(largest(slice.to(), shape), dtype);
            case Step.Mask mask -> own(mask.changesValues() ? largest(mask.to(), shape) : 0, dtype);
            case Step.PartialCast cast -> own(largest(cast.to(), shape), dtype);
            case Step.AllGather gather -> {
                int others = others(step, gather.meshDim());
                long kept = held(gather.from(), shape, gather.meshDim(), others);
                yield collective(gather.meshDim(), others, largest(gather.to(), shape) - kept, dtype);
            }
            case Step.ReduceScatter scatter -> {
                int others = others(step, scatter.meshDim());
                yield collective(scatter.meshDim(), others, others * largest(scatter.to(), shape), dtype);
            }
            case Step.AllReduce reduce -> {
                int others = others(step, reduce.meshDim());
                long piece = (largest(reduce.from(), shape) + others) / (others + 1);
                yield collective(reduce.meshDim(), 2 * others, 2 * others * piece, dtype);
            }
            case Step.AllToAll swap ->
                collective(swap.meshDim(), others(step, swap.meshDim()), swapped(swap, shape), dtype);
            case Step.Blocks blocks ->
                blocks(blocks, BlockMoves.traffic(blocks.from(), blocks.to(), shape), shape, dtype);
        };
    }

    /** Microseconds that blocks take at least; quicker than {@link #of} where meshes are large. */
    double least(Step.Blocks step, Shape shape, DType dtype) {
        return blocks(step, BlockMoves.leastTraffic(step.from(), step.to(), shape), shape, dtype)
                .micros();
    }

    /**
     * Microseconds that any steps from {@code from} to {@code to} take at least: what a device must still receive, by
     * the fastest link, and one collective for each mesh dimension to be reduced.
     */
    double least(Layout from, Layout to, Shape shape, DType dtype) {
        boolean sameMesh = from.mesh().equals(to.mesh());
        double latency = 0;
        boolean reduces = false;
        double bandwidth = between.bytesPerMicro();
        for (int m = 0; m < from.mesh().ndim(); m++) {
            if (from.mesh().dimSize(m) > 1) {
                boolean open = sameMesh
                        && from.placement(m).isPartial()
                        && !to.placement(m).isPartial();
                reduces |= open;
                latency += open ? (from.mesh().dimSize(m) - 1) * link(m).latencyMicros() : 0;
                bandwidth = Math.max(bandwidth, link(m).bytesPerMicro());
            }
        }
        if (!sameMesh) {
            return 0;
        }
        long wanted = largest(to, shape);
        long missing = reduces ? wanted : Math.max(0, wanted - largest(from, shape));
        return latency + missing * dtype.bytes() / bandwidth;
    }

    private StepCost own(long elements, DType dtype) {
        return new StepCost(0, local.micros(1, elements * dtype.bytes()));
    }

    private StepCost collective(int meshDim, int messages, long elements, DType dtype) {
        long bytes = elements * dtype.bytes();
        return new StepCost(bytes, link(meshDim).micros(messages, bytes));
    }

    private StepCost blocks(Step.Blocks step, BlockMoves.Traffic traffic, Shape shape, DType dtype) {
        if (traffic.totalElements() == 0) {
            return own(largest(step.to(), shape), dtype);
        }
        long bytes = traffic.maxElements() * dtype.bytes();
        return new StepCost(bytes, blocksLink(step).micros(traffic.maxMessages() + 1, bytes));
    }

    private Link blocksLink(Step.Blocks step) {
        DeviceMesh mesh = step.from().mesh();
        if (!mesh.equals(step.to().mesh())) {
            return between;
        }
        Link worst = null;
        for (int m = 0; m < mesh.ndim(); m++) {
            if (mesh.dimSize(m) > 1) {
                worst = worst == null ? link(m) : worst.worst(link(m));
            }
        }
        return worst == null ? local : worst;
    }

    /**
     * What the busiest device lacks of its new shard; chunks shrink along the mesh dimension, on both sides of the
     * swap.
     */
    private static long swapped(Step.AllToAll swap, Shape shape) {
        int meshDim = swap.meshDim();
        long most = 0;
        for (int c = 0; c <= others(swap, meshDim); c++) {
            long after = held(swap.to(), shape, meshDim, c);
            long whole = at(swap.to(), shape, swap.fromDim(), meshDim, c);
            long own = at(swap.from(), shape, swap.fromDim(), meshDim, c);
            most = Math.max(most, whole == 0 ? 0 : after / whole * (whole - own));
        }
        return most;
    }

    /** How many devices a device works with along {@code meshDim}, also the last coordinate. */
    private static int others(Step step, int meshDim) {
        return step.from().mesh().dimSize(meshDim) - 1;
    }

    /** The elements of the first device's shard, which is the largest. */
    private static long largest(Layout layout, Shape shape) {
        return held(layout, shape, 0, 0);
    }

    /** The elements held at {@code coordinate} along {@code meshDim} and 0 along the other mesh dimensions. */
    private static long held(Layout layout, Shape shape, int meshDim, int coordinate) {
        return layout.localNumel(shape, coordinate * layout.mesh().stride(meshDim));
    }

    private static long at(Layout layout, Shape shape, int tensorDim, int meshDim, int coordinate) {
        int position = coordinate * layout.mesh().stride(meshDim);
        return layout.localChunk(shape.size(tensorDim), tensorDim, position).size();
    }
}
