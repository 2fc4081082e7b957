package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Placement;
import org.dtorch.placement.Shard;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** Placements given by mesh dimension; dimensions that a mesh does not have are passed over. */
final class PlacementDict {
    private PlacementDict() {}

    /**
     * One placement for each mesh dimension.
     *
     * @param pairs names or indices of mesh dimensions and their placements, in turn
     * @param originals what {@code keep} keeps; may be null for other modes
     * @param mode {@code raise_error}, {@code replicate} or {@code keep}: what a dimension gets that is not named
     * @throws DTorchError of kind KEY for a dimension without placement, ASSERTION for another mode, mixed keys or
     *     originals of the wrong length, VALUE for names on an unnamed mesh
     */
    static List<Placement> placements(DeviceMesh mesh, Object[] pairs, List<Placement> originals, String mode) {
        if (!List.of("raise_error", "replicate", "keep").contains(mode)) {
            throw DTorchError.assertion(
                    "default_placement_mode must be 'raise_error', 'replicate' or 'keep', got '%s'", mode);
        }
        if (mode.equals("keep") && (originals == null || originals.size() != mesh.ndim())) {
            throw DTorchError.assertion(
                    "default_placement_mode 'keep' needs %d original placements, one for each dimension of %s, got %s",
                    mesh.ndim(), mesh, originals == null ? "None" : originals);
        }
        Map<Object, Placement> byDim = byDim(mesh, pairs);
        List<Placement> placements = new ArrayList<>();
        for (int m = 0; m < mesh.ndim(); m++) {
            Placement given = byDim.get(m);
            if (given == null && !mesh.dimNames().isEmpty()) {
                given = byDim.get(mesh.dimNames().get(m));
            }
            if (given != null) {
                placements.add(given);
            } else if (mode.equals("keep")) {
                placements.add(originals.get(m));
            } else if (mode.equals("replicate")) {
                placements.add(Placement.replicate());
            } else {
                throw DTorchError.key(
                        "no placement for mesh dim %s of %s, given are %s; name it, or use default_placement_mode"
                                + " 'replicate' or 'keep'",
                        mesh.dimNames().isEmpty() ? m : "'" + mesh.dimNames().get(m) + "'", mesh, byDim);
            }
        }
        return placements;
    }

    private static Map<Object, Placement> byDim(DeviceMesh mesh, Object[] pairs) {
        Map<Object, Placement> byDim = new LinkedHashMap<>();
        boolean names = false;
        boolean numbers = false;
        for (int i = 0; i < pairs.length; i += 2) {
            if (!(pairs[i + 1] instanceof Placement placement)) {
                throw DTorchError.type(
                        "the placement of mesh dim %s must be Shard, Replicate or Partial, not %s",
                        pairs[i], ArgumentNames.className(pairs[i + 1]));
            }
            names |= pairs[i] instanceof String;
            numbers |= pairs[i] instanceof Integer;
            if (!(pairs[i] instanceof String || pairs[i] instanceof Integer) || (names && numbers)) {
                throw DTorchError.assertion(
                        "the keys of placements_dict must be all names or all indices of mesh dims, got %s",
                        Arrays.toString(pairs));
            }
            byDim.put(pairs[i], placement);
        }
        if (names && mesh.dimNames().isEmpty()) {
            throw DTorchError.value("placements_dict has names, but %s has none", mesh);
        }
        return byDim;
    }

    /** Dimensions of size 1 replicated in place of sharded. */
    static List<Placement> withoutSizeOne(List<Placement> placements, Shape shape) {
        List<Placement> result = new ArrayList<>(placements);
        result.replaceAll(p -> p instanceof Shard(int dim)
                        && dim < shape.rank()
                        && dim >= -shape.rank()
                        && shape.size(Shape.wrapDim(dim, shape.rank())) == 1
                ? Placement.replicate()
                : p);
        return result;
    }
}
