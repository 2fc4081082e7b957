package org.dtorch.nn;

import java.util.Arrays;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/** What {@code Module.to} does with one tensor. */
final class Conversion {
    private Conversion() {}

    /** Only floating tensors change their dtype; the same tensor if nothing changes. */
    static Tensor convert(Tensor tensor, DType dtype, DeviceMesh mesh) {
        Tensor moved = tensor;
        if (mesh != null && !mesh.equals(tensor.deviceMesh())) {
            boolean sameShape = Arrays.equals(mesh.shape(), tensor.deviceMesh().shape());
            if (!sameShape && (mesh.isDistributed() || tensor.isDistributed())) {
                throw DTorchError.key(
                        "to: %s and the tensor's %s have different shapes; use redistribute(device_mesh, placements)",
                        mesh, tensor.deviceMesh());
            }
            moved = tensor.redistribute(sameShape ? tensor.layout().on(mesh) : Layout.replicated(mesh));
        }
        if (dtype == null || !tensor.dtype().isFloating() || dtype == tensor.dtype()) {
            return moved;
        }
        Tensor result = cast(moved, dtype);
        if (moved != tensor) {
            moved.close();
        }
        return result;
    }

    static Tensor cast(Tensor tensor, DType dtype) {
        return tensor.toDtype(dtype);
    }
}
