package org.dtorch.nn;

import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.CreationOptions;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DType;

/**
 * How a layer creates its parameters: in which context, of which dtype, on which mesh.
 *
 * @param dtype null for the context's default
 * @param mesh null for the context's default
 */
public record TensorOptions(DTorch owner, DType dtype, DeviceMesh mesh) {
    /** The defaults of a context. */
    public static TensorOptions of(DTorch owner) {
        return new TensorOptions(owner, null, null);
    }

    public static TensorOptions of(DTorch owner, DeviceMesh mesh) {
        return new TensorOptions(owner, null, mesh);
    }

    /** These options with the context's defaults, as they are now, in place of nulls. */
    TensorOptions resolved() {
        return new TensorOptions(
                owner, dtype == null ? owner.defaultDType() : dtype, mesh == null ? owner.defaultMesh() : mesh);
    }

    Parameter empty(Layout layout, long... shape) {
        return filled("empty", layout, shape);
    }

    Parameter ones(long... shape) {
        return filled("ones", Layout.replicated(resolved().mesh), shape);
    }

    Parameter zeros(long... shape) {
        return filled("zeros", Layout.replicated(resolved().mesh), shape);
    }

    private Parameter filled(String op, Layout layout, long... shape) {
        List<Placement> placements = layout.placements();
        CreationOptions options = owner.options(dtype, layout.mesh(), placements);
        try (Tensor made = owner.call(OpTable.get(op), shape, options)[0]) {
            return new Parameter(made);
        }
    }
}
