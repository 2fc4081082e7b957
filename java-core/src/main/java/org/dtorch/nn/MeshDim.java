package org.dtorch.nn;

import org.dtorch.mesh.DeviceMesh;
import org.dtorch.values.DTorchError;

/** The mesh dimension along which a layer splits its weights. */
public sealed interface MeshDim {
    /** No split at all. */
    record None() implements MeshDim {}

    /** The dimension of that name; no split on a mesh that has none. */
    record Name(String name) implements MeshDim {}

    /** A dimension by its index in [-ndim, ndim). */
    record Index(int index) implements MeshDim {}

    /** The documented default. */
    MeshDim TP = new Name("tp");

    MeshDim NONE = new None();

    /** The index on {@code mesh}, or -1 for no split; an error of kind INDEX for one out of range. */
    default int on(DeviceMesh mesh) {
        return switch (this) {
            case None none -> -1;
            case Name(String name) -> mesh.dimNameIndex(name);
            case Index(int index) -> {
                if (index < -mesh.ndim() || index >= mesh.ndim()) {
                    throw DTorchError.index("tp_dim %d is out of range for %s", index, mesh);
                }
                yield index < 0 ? index + mesh.ndim() : index;
            }
        };
    }
}
