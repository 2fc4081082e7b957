package org.dtorch.redistribute;

import java.util.Optional;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Partial;
import org.dtorch.placement.Placement;
import org.dtorch.placement.ReduceOp;
import org.dtorch.placement.Replicate;
import org.dtorch.placement.Shard;
import org.dtorch.values.DType;

/**
 * Which placement on one mesh dimension can become which other in one step.
 *
 * <p>Shards of one tensor dimension nest from left to right, so a mesh dimension can begin or cease to shard tensor
 * dimension d only while no later mesh dimension shards d. Parts nest the same way, the last mesh dimension's combine
 * first, so a mesh dimension can be reduced only while the later ones are to be reduced by ops that commute with its
 * own.
 */
final class Conversions {
    private Conversions() {}

    /** The step that turns the placement on {@code meshDim} into {@code target}, if there is a single one. */
    static Optional<Step> direct(Layout from, int meshDim, Placement target, DType dtype) {
        Placement current = from.placement(meshDim);
        if (current.equals(target)
                || !mayChangeShard(from, meshDim, current)
                || !mayChangeShard(from, meshDim, target)) {
            return Optional.empty();
        }
        Layout to = from.with(meshDim, target);
        return Optional.ofNullable(
                switch (current) {
                    case Replicate _ -> ofReplicate(from, to, meshDim);
                    case Shard(int dim) -> ofShard(from, to, meshDim, dim);
                    case Partial(ReduceOp op) -> ofPartial(from, to, meshDim, op, dtype);
                });
    }

    private static Step ofReplicate(Layout from, Layout to, int meshDim) {
        return switch (to.placement(meshDim)) {
            case Replicate _ -> null;
            case Shard(int dim) -> new Step.Slice(from, to, meshDim, dim);
            // A product's identity 1, summed over a later dimension's parts, would not be 1 any more.
            case Partial(ReduceOp op) ->
                op == ReduceOp.PRODUCT && hasLaterPartial(from, meshDim, ReduceOp.SUM)
                        ? null
                        : new Step.Mask(from, to, meshDim, op);
        };
    }

    private static Step ofShard(Layout from, Layout to, int meshDim, int dim) {
        return switch (to.placement(meshDim)) {
            case Replicate _ -> new Step.AllGather(from, to, meshDim, dim);
            case Shard(int toDim) -> new Step.AllToAll(from, to, meshDim, dim, toDim);
            case Partial _ -> null;
        };
    }

    private static Step ofPartial(Layout from, Layout to, int meshDim, ReduceOp op, DType dtype) {
        return switch (to.placement(meshDim)) {
            case Replicate _ -> mayReduce(from, meshDim, op) ? new Step.AllReduce(from, to, meshDim, op) : null;
            case Shard(int dim) ->
                mayReduce(from, meshDim, op) ? new Step.ReduceScatter(from, to, meshDim, dim, op) : null;
            case Partial(ReduceOp toOp) ->
                mayScale(op, toOp, dtype) && !hasLaterPartial(from, meshDim, ReduceOp.PRODUCT)
                        ? new Step.PartialCast(from, to, meshDim, op, toOp)
                        : null;
        };
    }

    private static boolean mayScale(ReduceOp from, ReduceOp to, DType dtype) {
        return (from == ReduceOp.SUM && to == ReduceOp.AVG)
                || (from == ReduceOp.AVG && to == ReduceOp.SUM && dtype.isFloating());
    }

    private static boolean mayChangeShard(Layout layout, int meshDim, Placement placement) {
        if (placement instanceof Shard(int dim)) {
            DeviceMesh mesh = layout.mesh();
            for (int later = meshDim + 1; later < mesh.ndim(); later++) {
                if (mesh.dimSize(later) > 1 && layout.placement(later).isShard(dim)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean mayReduce(Layout layout, int meshDim, ReduceOp op) {
        for (int later = meshDim + 1; later < layout.mesh().ndim(); later++) {
            if (layout.placement(later) instanceof Partial(ReduceOp other) && !commute(op, other)) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasLaterPartial(Layout layout, int meshDim, ReduceOp op) {
        for (int later = meshDim + 1; later < layout.mesh().ndim(); later++) {
            if (layout.placement(later) instanceof Partial(ReduceOp other) && other == op) {
                return true;
            }
        }
        return false;
    }

    private static boolean commute(ReduceOp a, ReduceOp b) {
        return a == b || (isLinear(a) && isLinear(b));
    }

    private static boolean isLinear(ReduceOp op) {
        return op == ReduceOp.SUM || op == ReduceOp.AVG;
    }
}
