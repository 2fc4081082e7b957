package org.dtorch.nn;

import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;

/**
 * {@code input @ weight.T + bias}: [..., in_features] to [..., out_features].
 *
 * <p>On a mesh that has the tensor-parallel dimension and with a shard type, weight and bias are split along it and the
 * input must lie accordingly; on all other mesh dimensions they are replicated. Weight [out_features, in_features], bias
 * [out_features] or null; initial values are PyTorch's.
 */
public class Linear extends Layer {
    private final long inFeatures;
    private final long outFeatures;
    private final int tpDim;
    private final TpShardType tpShardType;

    /** With bias and with the context's defaults. */
    public Linear(DTorch owner, long inFeatures, long outFeatures) {
        this(TensorOptions.of(owner), inFeatures, outFeatures, true, MeshDim.TP, null);
    }

    /**
     * @param tpDim the mesh dimension to split along
     * @param tpShardType null for no split
     */
    public Linear(
            TensorOptions options,
            long inFeatures,
            long outFeatures,
            boolean bias,
            MeshDim tpDim,
            TpShardType tpShardType) {
        TensorOptions resolved = options.resolved();
        DeviceMesh mesh = resolved.mesh();
        this.inFeatures = inFeatures;
        this.outFeatures = outFeatures;
        this.tpDim = tpDim.on(mesh);
        this.tpShardType = tpShardType;
        boolean row = tpShardType == TpShardType.ROW;
        Parameter weight = Init.layerWeight(
                resolved.empty(split(mesh, row ? Placement.shard(1) : Placement.shard(0)), outFeatures, inFeatures));
        registerParameter("weight", weight);
        registerParameter(
                "bias",
                bias
                        ? Init.layerBias(
                                resolved.empty(
                                        split(mesh, row ? Placement.partial() : Placement.shard(0)), outFeatures),
                                weight)
                        : null);
    }

    private Layout split(DeviceMesh mesh, Placement placement) {
        Layout whole = Layout.replicated(mesh);
        return isSplit() && mesh.dimSize(tpDim) > 1 ? whole.with(tpDim, placement) : whole;
    }

    private boolean isSplit() {
        return tpDim >= 0 && tpShardType != null;
    }

    public long inFeatures() {
        return inFeatures;
    }

    public long outFeatures() {
        return outFeatures;
    }

    /** The index of the tensor-parallel mesh dimension, or -1 where the mesh has none. */
    public int tpDim() {
        return tpDim;
    }

    /** Null for a layer that does not split. */
    public TpShardType tpShardType() {
        return tpShardType;
    }

    public Parameter weight() {
        return parameter("weight");
    }

    /** Null for a layer without. */
    public Parameter bias() {
        return parameter("bias");
    }

    @Override
    public Tensor forward(Tensor input) {
        return input.linear(weight(), bias());
    }

    @Override
    public Tensor redistributeInput(Tensor input) {
        return redistributeInput(input, null);
    }

    @Override
    public Tensor redistributeOutput(Tensor output) {
        return redistributeOutput(output, null);
    }

    /**
     * The input with {@code wanted} on the tensor-parallel dimension if that is not null, checked against the weight: a
     * column-parallel layer takes a replicated input, a row-parallel one an input sharded on its last dimension.
     *
     * @throws org.dtorch.values.DTorchError of kind ASSERTION if it does not fit
     */
    public final Tensor redistributeInput(Tensor input, Placement wanted) {
        if (tpDim < 0) {
            return input;
        }
        Tensor placed = wanted == null ? input : TensorParallel.redistribute(input, tpDim, wanted);
        if (isSplit()) {
            Placement expected =
                    tpShardType == TpShardType.ROW ? Placement.shard(input.dim() - 1) : Placement.replicate();
            TensorParallel.check(this, placed, tpDim, expected);
        }
        return placed;
    }

    /** The output with {@code wanted} on the tensor-parallel dimension if that is not null. */
    public final Tensor redistributeOutput(Tensor output, Placement wanted) {
        return tpDim < 0 || wanted == null ? output : TensorParallel.redistribute(output, tpDim, wanted);
    }

    @Override
    public String extraRepr() {
        return "in_features=%d, out_features=%d, bias=%s"
                .formatted(inFeatures, outFeatures, bias() != null ? "True" : "False");
    }
}
