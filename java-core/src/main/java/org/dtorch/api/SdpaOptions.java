package org.dtorch.api;

import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.values.DTorchError;

/**
 * How attention uses the mesh.
 *
 * @param ulyssesDim name or index of the mesh dimension that exchanges heads for the sequence; null for none
 * @param ringDim name or index of the mesh dimension around which keys and values travel; null for none
 * @param order in which order the tokens of a sharded sequence lie
 */
public record SdpaOptions(Object ulyssesDim, Object ringDim, SequenceOrder order) {
    /** The names of the documents: {@code ulysess_cp} and {@code ring_cp}. */
    public static final SdpaOptions DEFAULT = new SdpaOptions("ulysess_cp", "ring_cp", SequenceOrder.CONTIGUOUS);

    /** The index of a mesh dimension of more than one device, or -1 where the mesh does not have it. */
    static int meshDim(Object dim, DeviceMesh mesh) {
        int index = switch (dim) {
            case null -> -1;
            case String name -> mesh.dimNameIndex(name);
            case Number n -> n.intValue() < 0 ? n.intValue() + mesh.ndim() : n.intValue();
            default -> throw DTorchError.type("a mesh dimension is a name, an index or None, not %s", dim);
        };
        if (index >= mesh.ndim() || (index < 0 && dim instanceof Number)) {
            throw DTorchError.index("mesh dim %s is out of range for %s", dim, mesh);
        }
        return index >= 0 && mesh.dimSize(index) > 1 ? index : -1;
    }
}
