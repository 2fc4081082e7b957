package org.dtorch.dispatch;

import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.Op;
import org.dtorch.values.DTorchError;

/** The mesh on which operands that lie on several meshes meet. */
final class Meshes {
    private Meshes() {}

    /**
     * The mesh of the tensors, null if there is none. A tensor of one device follows the others onto their mesh.
     *
     * @throws DTorchError of kind LAYOUT for two different meshes of several devices, of kind RUNTIME for two different
     *     single devices; in strict mode also for a single device beside a mesh
     */
    static DeviceMesh common(Op op, TensorData[] inputs, boolean strict) {
        DeviceMesh mesh = null;
        for (TensorData input : inputs) {
            if (input == null) {
                continue;
            }
            DeviceMesh other = input.layout().mesh();
            if (mesh == null || mesh.equals(other)) {
                mesh = mesh == null ? other : mesh;
            } else if (!mesh.isDistributed() && !other.isDistributed()) {
                if (mesh.id(0) != other.id(0) || mesh.deviceType() != other.deviceType()) {
                    throw DTorchError.runtime(
                            "%s: expected all tensors to be on the same device, but found at least two devices, %s:%d and"
                                    + " %s:%d",
                            op.name(),
                            mesh.deviceType().torchName(),
                            mesh.id(0),
                            other.deviceType().torchName(),
                            other.id(0));
                }
                mesh = other.ndim() > mesh.ndim() ? other : mesh;
            } else if (mesh.isDistributed() && other.isDistributed()) {
                throw DTorchError.layout(
                        "%s: the tensors lie on different meshes, %s and %s; bring one to the other first, for example"
                                + " x.redistribute(device_mesh=other.device_mesh, placements=other.placements)",
                        op.name(), mesh, other);
            } else {
                if (strict) {
                    throw DTorchError.layout(
                            "%s: in strict mode a tensor of one device does not meet a mesh; legal is"
                                    + " x.redistribute(device_mesh=%s)",
                            op.name(), mesh.isDistributed() ? mesh : other);
                }
                mesh = mesh.isDistributed() ? mesh : other;
            }
        }
        return mesh;
    }
}
