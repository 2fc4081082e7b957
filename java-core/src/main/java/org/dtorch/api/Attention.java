package org.dtorch.api;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.dispatch.ContextAttention;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.placement.Replicate;
import org.dtorch.values.DTorchError;

/** Scaled dot-product attention on any mesh. */
public final class Attention {
    private static final int HEADS = 1;
    private static final int SEQUENCE = 2;

    private Attention() {}

    /**
     * {@code softmax(query · keyᵀ · scale + mask) · value}.
     *
     * <p>Where the mesh has a dimension that the options name, of more than one device, the sequence must be sharded on it
     * and is never gathered (see {@link ContextAttention}); the result is then laid out as the queries.
     *
     * @param query [N, H, L, E]
     * @param key [N, K, S, E]; H is K, or a multiple of it with {@code enableGqa}
     * @param value [N, K, S, F]
     * @param mask null, bool (true takes part) or floating (added), broadcast to [N, H, L, S]; its rows and
     *     columns are tokens in their order in the sequence, however the options say that the shards' tokens lie
     * @param scale null for 1/sqrt(E)
     * @throws DTorchError of kind ASSERTION if the sequence is not sharded on a context-parallel dimension
     */
    public static Tensor scaledDotProduct(
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor mask,
            double dropout,
            boolean causal,
            Double scale,
            boolean enableGqa,
            SdpaOptions options) {
        DeviceMesh mesh = query.deviceMesh();
        int ulysses = SdpaOptions.meshDim(options.ulyssesDim(), mesh);
        int ring = SdpaOptions.meshDim(options.ringDim(), mesh);
        double factor = scale == null ? 1 / Math.sqrt(query.size(-1)) : scale;
        if (ulysses < 0 && ring < 0) {
            return query.owner()
                    .call(
                            OpTable.get("scaled_dot_product_attention"),
                            query,
                            key,
                            value,
                            mask,
                            dropout,
                            causal,
                            factor,
                            enableGqa)[0];
        }
        check(query, key, value, dropout, enableGqa);
        if (ulysses == ring) {
            throw DTorchError.value("ulysess_cp_dim and ring_cp_dim are both mesh dim %d of %s", ring, mesh);
        }
        return sharded(
                query, key, value, mask, new ContextAttention.Plan(ulysses, ring, factor, causal, options.order()));
    }

    private static Tensor sharded(Tensor query, Tensor key, Tensor value, Tensor mask, ContextAttention.Plan plan) {
        List<Tensor> made = new ArrayList<>();
        try {
            Layout layout = layout(query, plan);
            requireSequence(key, plan);
            requireSequence(value, plan);
            Tensor q = on(query, layout, made);
            long repeats = key.size(1) % shards(layout, plan) == 0 ? 1 : query.size(1) / key.size(1);
            Tensor k = repeated(key, repeats, layout, made);
            Tensor v = repeated(value, repeats, layout, made);
            Tensor m = mask == null ? null : on(mask, Layout.replicated(query.deviceMesh()), made);
            ContextAttention attention = query.owner().dispatcher().contextAttention();
            return query.owner().wrap(attention.run(q.data(), k.data(), v.data(), m == null ? null : m.data(), plan));
        } finally {
            made.forEach(Tensor::close);
        }
    }

    /** Over how many devices heads are cut, by their placement and by Ulysses together. */
    private static long shards(Layout layout, ContextAttention.Plan plan) {
        return layout.shardFactor(HEADS)
                * (plan.ulysses() < 0 ? 1L : layout.mesh().dimSize(plan.ulysses()));
    }

    private static Tensor on(Tensor tensor, Layout layout, List<Tensor> made) {
        if (tensor.layout().equals(layout)) {
            return tensor;
        }
        Tensor moved = tensor.redistribute(layout);
        made.add(moved);
        return moved;
    }

    /**
     * Keys or values laid out as the queries; each head repeated where groups of heads would not be cut where the queries'
     * heads are.
     */
    private static Tensor repeated(Tensor tensor, long times, Layout layout, List<Tensor> made) {
        if (times == 1) {
            return on(tensor, layout, made);
        }
        Layout wholeHeads = layout;
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (layout.placement(m).isShard(HEADS)) {
                wholeHeads = wholeHeads.with(m, Replicate.INSTANCE);
            }
        }
        Tensor few = on(tensor, wholeHeads, made);
        Tensor more = few.owner().call(OpTable.get("repeat_interleave"), few, times, (long) HEADS)[0];
        made.add(more);
        return on(more, layout, made);
    }

    /** The queries' layout; other mesh dimensions may shard the batch or the heads, everything else is joined. */
    private static Layout layout(Tensor query, ContextAttention.Plan plan) {
        Layout layout = query.layout().normalized(query.dim());
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (m == plan.ulysses() || m == plan.ring()) {
                requireSequence(query, m, "query");
            } else if (!layout.placement(m).isShard(0) && !layout.placement(m).isShard(1)) {
                layout = layout.with(m, Replicate.INSTANCE);
            }
        }
        return layout;
    }

    private static void requireSequence(Tensor other, ContextAttention.Plan plan) {
        for (int m : new int[] {plan.ulysses(), plan.ring()}) {
            if (m >= 0) {
                requireSequence(other, m, "key and value");
            }
        }
    }

    private static void requireSequence(Tensor tensor, int meshDim, String what) {
        DeviceMesh mesh = tensor.deviceMesh();
        boolean sharded = meshDim < mesh.ndim()
                && tensor.layout().normalized(tensor.dim()).placement(meshDim).equals(Placement.shard(SEQUENCE));
        if (!sharded) {
            throw DTorchError.assertion(
                    "scaled_dot_product_attention: %s must be Shard(2) on mesh dim %d (%s) for context parallelism, found %s"
                            + " on %s; redistribute it, or pass SdpaOption(ulysess_cp_dim=None, ring_cp_dim=None)",
                    what,
                    meshDim,
                    mesh.dimNames().isEmpty() || meshDim >= mesh.ndim()
                            ? "unnamed"
                            : mesh.dimNames().get(meshDim),
                    tensor.placements(),
                    mesh);
        }
    }

    private static void check(Tensor query, Tensor key, Tensor value, double dropout, boolean enableGqa) {
        if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4) {
            throw DTorchError.notImplemented(
                    "scaled_dot_product_attention over a sharded sequence of shapes %s, %s, %s: only [N, H, L, E]",
                    query.shape(), key.shape(), value.shape());
        }
        if (query.dtype() != key.dtype() || query.dtype() != value.dtype()) {
            throw DTorchError.runtime(
                    "Expected query, key, and value to have the same dtype, but got query.dtype: %s key.dtype: %s and"
                            + " value.dtype: %s instead.",
                    query.dtype().torchName(),
                    key.dtype().torchName(),
                    value.dtype().torchName());
        }
        boolean heads =
                query.size(1) == key.size(1) || (enableGqa && key.size(1) > 0 && query.size(1) % key.size(1) == 0);
        if (!heads
                || query.size(0) != key.size(0)
                || !key.shape().with(3, 0).equals(value.shape().with(3, 0))
                || query.size(3) != key.size(3)) {
            throw DTorchError.layout(
                    "scaled_dot_product_attention: query %s, key %s and value %s do not match: key and value must have the"
                            + " queries' batch%s, key the queries' last size, value the keys' length",
                    query.shape(),
                    key.shape(),
                    value.shape(),
                    enableGqa ? " and a divisor of their heads" : " and heads (see enable_gqa)");
        }
        if (dropout != 0) {
            throw DTorchError.notImplemented("scaled_dot_product_attention with dropout_p=%s", dropout);
        }
    }
}
