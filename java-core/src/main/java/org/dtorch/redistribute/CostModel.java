package org.dtorch.redistribute;

import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * What a step costs: a latency for each message and a time for each byte, by mesh dimension.
 *
 * <p>Collectives on m devices count as rings: m - 1 messages for all-gather, reduce-scatter and all-to-all, twice as many
 * for all-reduce. Bytes are those that the busiest device receives. The defaults (2 us and 10 GB/s between devices, 0.2 us
 * and 20 GB/s within one) stand for devices that share a host's memory; what matters for choosing is their ratio.
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

    /** Bytes that {@code step} moves to the busiest device (for {@link Step.Blocks}: to it or from it). */
    public long bytes(Step step, Shape shape, DType dtype) {
        return elements(step, shape) * dtype.bytes();
    }

    /** Estimated microseconds of {@code step}. */
    public double micros(Step step, Shape shape, DType dtype) {
        return switch (step) {
            case Step.Slice slice -> local.micros(1, largest(slice.to(), shape) * dtype.bytes());
            case Step.Mask mask ->
                local.micros(1, mask.changesValues() ? largest(mask.to(), shape) * dtype.bytes() : 0);
            case Step.PartialCast cast -> local.micros(1, largest(cast.to(), shape) * dtype.bytes());
            case Step.AllGather gather -> collective(gather, gather.meshDim(), 1, shape, dtype);
            case Step.ReduceScatter scatter -> collective(scatter, scatter.meshDim(), 1, shape, dtype);
            case Step.AllReduce reduce -> collective(reduce, reduce.meshDim(), 2, shape, dtype);
            case Step.AllToAll swap -> collective(swap, swap.meshDim(), 1, shape, dtype);
            case Step.Blocks blocks -> blocks(blocks, shape, dtype);
        };
    }

    private double collective(Step step, int meshDim, int rounds, Shape shape, DType dtype) {
        int devices = step.from().mesh().dimSize(meshDim);
        return link(meshDim).micros(rounds * (devices - 1), elements(step, shape) * dtype.bytes());
    }

    private double blocks(Step.Blocks step, Shape shape, DType dtype) {
        BlockMoves.Traffic traffic = BlockMoves.traffic(step.from(), step.to(), shape);
        return traffic.totalElements() == 0
                ? local.micros(1, largest(step.to(), shape) * dtype.bytes())
                : blocksLink(step).micros(traffic.maxMessages() + 1, traffic.maxElements() * dtype.bytes());
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

    private static long elements(Step step, Shape shape) {
        return switch (step) {
            case Step.Slice _, Step.Mask _, Step.PartialCast _ -> 0;
            case Step.AllGather gather ->
                largest(gather.to(), shape) - held(gather.from(), shape, gather.meshDim(), last(step, gather.meshDim()));
            case Step.ReduceScatter scatter -> last(step, scatter.meshDim()) * largest(scatter.to(), shape);
            case Step.AllReduce reduce -> {
                int others = last(step, reduce.meshDim());
                long whole = largest(reduce.from(), shape);
                yield 2 * others * ((whole + others) / (others + 1));
            }
            case Step.AllToAll swap -> swapped(swap, shape);
            case Step.Blocks blocks -> BlockMoves.traffic(blocks.from(), blocks.to(), shape).maxElements();
        };
    }

    /** What the busiest device lacks of its new shard; chunks shrink along the mesh dimension, on both sides of the swap. */
    private static long swapped(Step.AllToAll swap, Shape shape) {
        int meshDim = swap.meshDim();
        long most = 0;
        for (int c = 0; c <= last(swap, meshDim); c++) {
            long after = held(swap.to(), shape, meshDim, c);
            long whole = at(swap.to(), shape, swap.fromDim(), meshDim, c);
            long own = at(swap.from(), shape, swap.fromDim(), meshDim, c);
            most = Math.max(most, whole == 0 ? 0 : after / whole * (whole - own));
        }
        return most;
    }

    private static int last(Step step, int meshDim) {
        return step.from().mesh().dimSize(meshDim) - 1;
    }

    /** The elements of the first device's shard, which is the largest. */
    private static long largest(Layout layout, Shape shape) {
        return held(layout, shape, 0, 0);
    }

    /** The elements held at {@code coordinate} along {@code meshDim} and 0 along the other mesh dimensions. */
    private static long held(Layout layout, Shape shape, int meshDim, int coordinate) {
        long elements = 1;
        for (int d = 0; d < shape.rank(); d++) {
            elements *= at(layout, shape, d, meshDim, coordinate);
        }
        return elements;
    }

    private static long at(Layout layout, Shape shape, int tensorDim, int meshDim, int coordinate) {
        int position = coordinate * layout.mesh().stride(meshDim);
        return layout.localChunk(shape.size(tensorDim), tensorDim, position).size();
    }
}
