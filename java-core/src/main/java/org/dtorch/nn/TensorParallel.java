package org.dtorch.nn;

import org.dtorch.api.Tensor;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;

/** What layers with split weights check and change in inputs and outputs, on one mesh dimension. */
final class TensorParallel {
    private TensorParallel() {}

    /** The tensor with another placement on one mesh dimension; all others stay. */
    static Tensor redistribute(Tensor tensor, int meshDim, Placement placement) {
        if (!tensor.isDistributed() || meshDim >= tensor.deviceMesh().ndim()) {
            return tensor;
        }
        var wanted = tensor.layout().with(meshDim, placement);
        return wanted == tensor.layout() ? tensor : tensor.redistribute(wanted);
    }

    /**
     * Refuses an input that the layer's weight does not fit. A tensor of one device counts as replicated: the operator
     * replicates it onto the mesh.
     *
     * @throws DTorchError of kind ASSERTION
     */
    static void check(Module layer, Tensor input, int meshDim, Placement expected) {
        boolean fits = !input.isDistributed()
                ? expected.isReplicate()
                : meshDim < input.deviceMesh().ndim() && input.checkPlacement(meshDim, expected);
        if (fits) {
            return;
        }
        if (!input.isDistributed()) {
            throw DTorchError.assertion(
                    "%s expects its input to be %s on mesh dim %d, found a tensor of shape %s on one device; legal is"
                            + " redistribute(device_mesh, placements) with %s there before the call",
                    layer.className(), expected, meshDim, input.shape(), expected);
        }
        throw DTorchError.assertion(
                "%s expects its input to be %s on mesh dim %d, found %s: shape %s, placements %s on %s; legal is"
                        + " redistribute_by_dict(placements_dict={%d: %s}, default_placement_mode=\"keep\") before the"
                        + " call",
                layer.className(),
                expected,
                meshDim,
                meshDim < input.deviceMesh().ndim() ? input.layout().placement(meshDim) : "nothing",
                input.shape(),
                input.placements(),
                input.deviceMesh(),
                meshDim,
                expected);
    }
}
