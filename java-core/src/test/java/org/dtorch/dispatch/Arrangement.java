package org.dtorch.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Partial;
import org.dtorch.placement.Placement;
import org.dtorch.placement.ReduceOp;
import org.dtorch.placement.Shard;
import org.dtorch.values.DType;

/** A mesh and the placements that tensors get on it as far as they can have them. */
record Arrangement(DeviceMesh mesh, List<Placement> placements) {
    private static final String[] ON_ONE_DIM = {"S0", "S1", "S(-1)", "R", "P", "P(max)", "P(avg)"};
    private static final String[][] ON_TWO_DIMS = {
        {"S0", "S1"}, {"S0", "S0"}, {"P", "S0"}, {"S0", "P"}, {"P", "P(avg)"}, {"R", "S(-1)"}
    };

    static Arrangement of(int[] mesh, String... placements) {
        List<String> names = mesh.length == 1 ? List.of("tp") : List.of("dp", "tp");
        List<Placement> parsed = new ArrayList<>();
        for (String placement : placements) {
            parsed.add(Placement.parse(placement));
        }
        return new Arrangement(DeviceMesh.init(DeviceType.CPU, mesh, names), parsed);
    }

    /** All that are tried. */
    static List<Arrangement> all() {
        List<Arrangement> all = new ArrayList<>();
        for (int devices = 2; devices <= 4; devices++) {
            for (String placement : ON_ONE_DIM) {
                all.add(of(new int[] {devices}, placement));
            }
        }
        for (int devices = 2; devices <= 3; devices++) {
            for (String[] placements : ON_TWO_DIMS) {
                all.add(of(new int[] {2, devices}, placements));
            }
        }
        return all;
    }

    /** The layout of a tensor: what it cannot have is replicated. */
    Layout of(int rank, DType dtype) {
        Placement[] fitting = new Placement[placements.size()];
        for (int m = 0; m < fitting.length; m++) {
            Placement wanted = placements.get(m);
            boolean fits = switch (wanted) {
                case Shard(int dim) -> dim < 0 ? rank > 0 : dim < rank;
                case Partial(ReduceOp op) ->
                    dtype.isFloating() || (op != ReduceOp.AVG && (dtype == DType.INT64 || dtype == DType.INT32));
                default -> true;
            };
            fitting[m] = fits ? wanted : Placement.replicate();
        }
        return Layout.of(mesh, fitting);
    }

    @Override
    public String toString() {
        return Layout.of(mesh, placements).shortName() + " on " + java.util.Arrays.toString(mesh.shape());
    }
}
