package org.dtorch.mesh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dtorch.values.DTorchError;

/** Meshes made from parts of another mesh. */
final class MeshViews {
    private MeshViews() {}

    static List<DeviceMesh> unbind(DeviceMesh mesh, int... dims) {
        boolean[] removed = new boolean[mesh.ndim()];
        for (int dim : dims) {
            int wrapped = dim < 0 ? dim + mesh.ndim() : dim;
            if (wrapped < 0 || wrapped >= mesh.ndim()) {
                throw DTorchError.value("dimension %d is out of range for %s", dim, mesh);
            }
            if (removed[wrapped]) {
                throw DTorchError.value(
                        "dimension %d is given twice, in unbind(%s) of %s", dim, Arrays.toString(dims), mesh);
            }
            removed[wrapped] = true;
        }
        List<DeviceMesh> meshes = new ArrayList<>(List.of(mesh));
        for (int dim = mesh.ndim() - 1; dim >= 0; dim--) {
            if (removed[dim]) {
                List<DeviceMesh> split = new ArrayList<>();
                for (DeviceMesh whole : meshes) {
                    for (int c = 0; c < mesh.dimSize(dim); c++) {
                        split.add(at(whole, dim, c));
                    }
                }
                meshes = split;
            }
        }
        return List.copyOf(meshes);
    }

    /** The part of {@code mesh} at {@code coordinate} along {@code dim}, without that dimension. */
    private static DeviceMesh at(DeviceMesh mesh, int dim, int coordinate) {
        int[] kept = new int[mesh.ndim() - 1];
        for (int d = 0; d < kept.length; d++) {
            kept[d] = d < dim ? d : d + 1;
        }
        return kept.length == 0
                ? DeviceMesh.single(mesh.deviceType(), mesh.id(coordinate))
                : slice(mesh, kept, mesh.withCoordinate(0, dim, coordinate));
    }

    /** The mesh over the dimensions {@code dims} through {@code position}. */
    static DeviceMesh slice(DeviceMesh mesh, int[] dims, int position) {
        int[] shape = new int[dims.length];
        int count = 1;
        int first = position;
        for (int d = 0; d < dims.length; d++) {
            shape[d] = mesh.dimSize(dims[d]);
            count *= shape[d];
            first = mesh.withCoordinate(first, dims[d], 0);
        }
        int[] ids = new int[count];
        for (int i = 0; i < count; i++) {
            int at = first;
            int rest = i;
            for (int d = dims.length - 1; d >= 0; d--) {
                at += rest % shape[d] * mesh.stride(dims[d]);
                rest /= shape[d];
            }
            ids[i] = mesh.id(at);
        }
        List<String> names = new ArrayList<>();
        if (!mesh.dimNames().isEmpty()) {
            for (int dim : dims) {
                names.add(mesh.dimNames().get(dim));
            }
        }
        return DeviceMesh.of(mesh.deviceType(), shape, ids, names);
    }

    static List<DeviceMesh> slices(DeviceMesh mesh, int[] dims) {
        List<DeviceMesh> meshes = new ArrayList<>();
        for (int p = 0; p < mesh.size(); p++) {
            boolean first = true;
            for (int dim : dims) {
                first &= mesh.coordinate(p, dim) == 0;
            }
            if (first) {
                meshes.add(slice(mesh, dims, p));
            }
        }
        return List.copyOf(meshes);
    }

    static int[] dimsOf(DeviceMesh mesh, List<String> names) {
        if (names.isEmpty() || mesh.dimNames().isEmpty()) {
            throw DTorchError.key("cannot slice %s by the names %s", mesh, names);
        }
        int[] dims = new int[names.size()];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = mesh.dimNameIndex(names.get(i));
            if (dims[i] < 0) {
                throw DTorchError.key("'%s' is not a dimension of %s", names.get(i), mesh);
            }
            if (i > 0 && dims[i] <= dims[i - 1]) {
                throw DTorchError.key("the dimensions %s must be named in the order of %s, each once", names, mesh);
            }
        }
        return dims;
    }
}
