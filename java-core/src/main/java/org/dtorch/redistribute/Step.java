package org.dtorch.redistribute;

import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.ReduceOp;

/**
 * One move of a plan: the layout before, the layout after, and what every device does in between.
 *
 * <p>All steps but {@link Blocks} work inside the groups of one mesh dimension ({@link DeviceMesh#groups}) and change
 * the placement on that dimension only. Chunks are the ones {@link Layout} gives, which need not be equal and may be
 * empty.
 */
public sealed interface Step {
    Layout from();

    Layout to();

    /** R to S: each device keeps its chunk of {@code tensorDim}; nothing moves between devices. */
    record Slice(Layout from, Layout to, int meshDim, int tensorDim) implements Step {}

    /** S to R: each device gets its group's chunks and joins them along {@code tensorDim}. */
    record AllGather(Layout from, Layout to, int meshDim, int tensorDim) implements Step {}

    /** P to S: each device gets, combined by {@code op}, its chunk along {@code tensorDim} of its group's parts. */
    record ReduceScatter(Layout from, Layout to, int meshDim, int tensorDim, ReduceOp op) implements Step {}

    /** P to R: each device gets its group's parts combined by {@code op}. */
    record AllReduce(Layout from, Layout to, int meshDim, ReduceOp op) implements Step {}

    /**
     * S to S: each device gets its chunk along {@code toDim} of what its group holds in chunks along {@code fromDim}.
     */
    record AllToAll(Layout from, Layout to, int meshDim, int fromDim, int toDim) implements Step {}

    /**
     * R to P: for {@code sum} and {@code product} the first device of each group keeps the value, and the others take 0
     * or 1; for {@code avg}, {@code max} and {@code min} every device keeps it. Nothing moves between devices.
     */
    record Mask(Layout from, Layout to, int meshDim, ReduceOp op) implements Step {
        /** Whether the devices but the first take {@link #identity}. */
        public boolean changesValues() {
            return !op.isIdempotent();
        }

        /** What the devices but the first hold: 0 for {@code sum}, 1 for {@code product}. */
        public int identity() {
            return op == ReduceOp.PRODUCT ? 1 : 0;
        }
    }

    /** P(sum) to P(avg) or back: every device multiplies its part by {@link #factor}. */
    record PartialCast(Layout from, Layout to, int meshDim, ReduceOp fromOp, ReduceOp toOp) implements Step {
        /** The number of devices along the mesh dimension, or its inverse. */
        public double factor() {
            int devices = from.mesh().dimSize(meshDim);
            return fromOp == ReduceOp.SUM ? devices : 1.0 / devices;
        }
    }

    /**
     * Any change of the shards and replicas, on one mesh or from one mesh to another: each device keeps what it has and
     * gets the blocks that it lacks straight from devices that hold them. Mesh dimensions that are partial before are
     * partial after, and devices of equal coordinates along them exchange. {@link BlockMoves} lists the blocks.
     */
    record Blocks(Layout from, Layout to) implements Step {}

    /** The name in plans, for example {@code all-gather}. */
    default String label() {
        return switch (this) {
            case Slice _ -> "slice";
            case AllGather _ -> "all-gather";
            case ReduceScatter _ -> "reduce-scatter";
            case AllReduce _ -> "all-reduce";
            case AllToAll _ -> "all-to-all";
            case Mask _ -> "mask";
            case PartialCast _ -> "scale";
            case Blocks _ -> "blocks";
        };
    }

    /** Whether devices only work on what they hold. */
    default boolean isLocal() {
        return switch (this) {
            case Slice _, Mask _, PartialCast _ -> true;
            case AllGather _, ReduceScatter _, AllReduce _, AllToAll _, Blocks _ -> false;
        };
    }
}
