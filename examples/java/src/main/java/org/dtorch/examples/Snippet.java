package org.dtorch.examples;

import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.nn.ColumnParallelLinear;
import org.dtorch.nn.MeshDim;
import org.dtorch.nn.TensorOptions;
import org.dtorch.placement.Placement;

/** A layer split over two devices, applied to a batch split over two: four devices in all. */
public final class Snippet {
    private Snippet() {}

    public static void main(String[] args) {
        try (DTorch dt = DTorch.open()) {
            DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {2, 2}, List.of("dp", "tp"));
            Tensor x = dt.randn(4, 8).redistribute(mesh, List.of(Placement.shard(0), Placement.replicate()));
            var up = new ColumnParallelLinear(TensorOptions.of(dt, mesh), 8, 6, true, MeshDim.TP);
            Tensor y = up.call(x);
            System.out.println(y.shape() + " " + y.placements());
            System.out.println(y.redistribute(DeviceMesh.single(DeviceType.CPU, 0), null));
        }
    }
}
