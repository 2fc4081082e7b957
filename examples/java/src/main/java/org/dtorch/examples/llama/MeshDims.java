package org.dtorch.examples.llama;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;

/** The mesh dimensions that the model knows, and how a value [N, L, ...] or [N, H, L, E] lies on them. */
final class MeshDims {
    static final List<String> NAMES = List.of("dp", "tp", "pp", "ulysess_cp", "ring_cp");

    private MeshDims() {}

    /** Turns "dp=2,tp=4" into a mesh of eight devices with two named dimensions; an empty text is one device. */
    static DeviceMesh parse(String text, DeviceType type) {
        if (text.isEmpty()) {
            return DeviceMesh.single(type, 0);
        }
        List<String> names = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String[] dim = part.strip().split("=", -1);
            if (dim.length != 2 || !NAMES.contains(dim[0]) || !dim[1].matches("[1-9][0-9]{0,3}")) {
                throw new IllegalArgumentException("mesh '%s': '%s' is not NAME=SIZE with a name out of %s"
                        .formatted(text, part, String.join(", ", NAMES)));
            }
            names.add(dim[0]);
            sizes.add(Integer.parseInt(dim[1]));
        }
        return DeviceMesh.init(type, sizes.stream().mapToInt(Integer::intValue).toArray(), names);
    }

    /** The number of devices along a named dimension, 1 where the mesh does not have it. */
    static int size(DeviceMesh mesh, String name) {
        int index = mesh.dimNameIndex(name);
        return index < 0 ? 1 : mesh.dimSize(index);
    }

    /** Token ids [N, L] with the batch over dp and the sequence over both context dimensions, whole on all others. */
    static Layout ofTokens(Tensor tokens, DeviceMesh mesh) {
        Layout layout = Layout.replicated(mesh);
        for (int m = 0; m < mesh.dimNames().size(); m++) {
            int dim = switch (mesh.dimNames().get(m)) {
                case "dp" -> 0;
                case "ulysess_cp", "ring_cp" -> 1;
                default -> -1;
            };
            if (dim >= 0 && tokens.size(dim) > 1) {
                layout = layout.with(m, Placement.shard(dim));
            }
        }
        return layout;
    }

    /** The layout of {@code tensor} with nothing split over the context dimensions. */
    static Layout wholeSequence(Tensor tensor) {
        Layout layout = tensor.layout();
        for (String name : List.of("ulysess_cp", "ring_cp")) {
            int m = tensor.deviceMesh().dimNameIndex(name);
            layout = m < 0 ? layout : layout.with(m, Placement.replicate());
        }
        return layout;
    }
}
