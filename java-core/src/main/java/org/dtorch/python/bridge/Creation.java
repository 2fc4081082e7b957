package org.dtorch.python.bridge;

import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.CreationOptions;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DType;

/**
 * What Python says about a tensor that is to be made; nulls are left open.
 *
 * @param owner the graph
 */
public record Creation(DTorch owner, DType dtype, DeviceMesh mesh, List<Placement> placements) {

    /** For an operator that makes a tensor from nothing. */
    CreationOptions options() {
        return new CreationOptions(dtype, owner.defaultDType(), layout());
    }

    Layout layout() {
        DeviceMesh on = mesh == null ? owner.defaultMesh() : mesh;
        return placements == null ? Layout.replicated(on) : Layout.of(on, placements);
    }

    /** For an operator that follows a tensor in what is left open. */
    CreationOptions options(Tensor like) {
        Layout layout = null;
        if (placements != null) {
            layout = Layout.of(mesh == null ? like.deviceMesh() : mesh, placements);
        } else if (mesh != null && !mesh.equals(like.deviceMesh())) {
            layout = Layout.replicated(mesh);
        }
        return new CreationOptions(dtype, owner.defaultDType(), layout);
    }
}
