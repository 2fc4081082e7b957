package org.dtorch.mesh;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.dtorch.values.DTorchError;

/**
 * An immutable n-dimensional arrangement of devices of one type, with optionally named dimensions.
 *
 * <p>A <em>position</em> is an index into the row-major order of the devices, from 0 to {@link #size} - 1; an
 * <em>id</em> is the number of the device that stands there. Coordinates, groups and shards are stated in positions.
 *
 * <p>Source: {@code torch.distributed.device_mesh.DeviceMesh}.
 */
public final class DeviceMesh {
    /** The largest number of devices in one mesh. */
    public static final int MAX_DEVICES = 1024;

    private final DeviceType deviceType;
    private final int[] shape;
    private final int[] strides;
    private final int[] ids;
    private final List<String> dimNames;
    private final int hash;
    private final boolean consecutive;
    private final int[][][] groups;

    private DeviceMesh(DeviceType deviceType, int[] shape, int[] ids, List<String> dimNames) {
        this.deviceType = deviceType;
        this.shape = shape;
        this.ids = ids;
        this.dimNames = dimNames;
        this.strides = new int[shape.length];
        int step = 1;
        for (int d = shape.length - 1; d >= 0; d--) {
            strides[d] = step;
            step *= shape[d];
        }
        boolean inOrder = true;
        for (int i = 1; i < ids.length && inOrder; i++) {
            inOrder = ids[i] == ids[i - 1] + 1;
        }
        this.consecutive = inOrder;
        this.hash = 31 * (31 * (31 * Arrays.hashCode(shape) + Arrays.hashCode(ids)) + dimNames.hashCode())
                + deviceType.ordinal();
        this.groups = new int[shape.length][][];
    }

    /**
     * The mesh of {@code shape} whose row-major device ids are {@code ids}.
     *
     * @param dimNames one name per dimension, or empty
     * @throws DTorchError of kind VALUE for an empty mesh, more than {@link #MAX_DEVICES} devices, a count that
     *     does not match the shape, negative or repeated ids, a wrong number of names or repeated names
     */
    public static DeviceMesh of(DeviceType deviceType, int[] shape, int[] ids, List<String> dimNames) {
        checkShape(shape, ids.length);
        checkIds(ids);
        checkNames(shape, dimNames);
        return new DeviceMesh(deviceType, shape.clone(), ids.clone(), List.copyOf(dimNames));
    }

    /**
     * The mesh of {@code shape} over the devices 0, 1, 2, ...; an empty shape means one device.
     *
     * @throws DTorchError of kind ASSERTION if a size is not positive, otherwise as {@link #of}
     */
    public static DeviceMesh init(DeviceType deviceType, int[] shape, List<String> dimNames) {
        int[] sizes = shape.length == 0 ? new int[] {1} : shape;
        long count = 1;
        for (int size : sizes) {
            if (size <= 0) {
                throw DTorchError.assertion("mesh sizes must be positive, got %s", tuple(sizes));
            }
            count *= size;
            checkCount(sizes, count);
        }
        int[] ids = new int[(int) count];
        Arrays.setAll(ids, i -> i);
        return of(deviceType, sizes, ids, dimNames);
    }

    /** The unnamed mesh of shape (1,) that holds the device {@code id}. */
    public static DeviceMesh single(DeviceType deviceType, int id) {
        return of(deviceType, new int[] {1}, new int[] {id}, List.of());
    }

    public DeviceType deviceType() {
        return deviceType;
    }

    /** A copy of the sizes of the dimensions. */
    public int[] shape() {
        return shape.clone();
    }

    /** A copy of the device ids in row-major order. */
    public int[] ids() {
        return ids.clone();
    }

    /** One name per dimension, or an empty list where the mesh is unnamed. */
    public List<String> dimNames() {
        return dimNames;
    }

    public int ndim() {
        return shape.length;
    }

    /** The number of devices. */
    public int size() {
        return ids.length;
    }

    public int dimSize(int dim) {
        return shape[dim];
    }

    /** Whether the mesh holds more than one device. */
    public boolean isDistributed() {
        return ids.length > 1;
    }

    /** The id of the device at {@code position}. */
    public int id(int position) {
        return ids[position];
    }

    /** The position of the device {@code id}, or -1 where the mesh does not hold it. */
    public int positionOf(int id) {
        if (consecutive) {
            int position = id - ids[0];
            return position >= 0 && position < ids.length ? position : -1;
        }
        for (int p = 0; p < ids.length; p++) {
            if (ids[p] == id) {
                return p;
            }
        }
        return -1;
    }

    /** The coordinate of {@code position} along {@code dim}. */
    public int coordinate(int position, int dim) {
        return position / strides[dim] % shape[dim];
    }

    /** How far apart two positions lie that are neighbours along {@code dim}. */
    public int stride(int dim) {
        return strides[dim];
    }

    /** The position at the given coordinates, one per dimension; an error of kind INDEX if one is out of range. */
    public int position(int... coordinates) {
        if (coordinates.length != shape.length) {
            throw DTorchError.index("expected %d coordinates for %s, got %d", shape.length, this, coordinates.length);
        }
        int position = 0;
        for (int d = 0; d < shape.length; d++) {
            if (coordinates[d] < 0 || coordinates[d] >= shape[d]) {
                throw DTorchError.index("coordinates %s are outside of %s", Arrays.toString(coordinates), this);
            }
            position += coordinates[d] * strides[d];
        }
        return position;
    }

    /** {@code position} moved to {@code coordinate} along {@code dim}. */
    public int withCoordinate(int position, int dim, int coordinate) {
        return position + (coordinate - coordinate(position, dim)) * strides[dim];
    }

    /**
     * The positions that differ only along {@code dim}, one array per group, each in the order of its coordinate;
     * groups are in the order of their first position. The arrays are shared: callers only read them.
     */
    public int[][] groups(int dim) {
        int[][] known = groups[dim];
        if (known == null) {
            known = new int[ids.length / shape[dim]][shape[dim]];
            for (int p = 0; p < ids.length; p++) {
                known[groupIndex(p, dim)][coordinate(p, dim)] = p;
            }
            groups[dim] = known; // a race computes the same value twice
        }
        return known;
    }

    /** The index in {@link #groups} of the group along {@code dim} that holds {@code position}. */
    public int groupIndex(int position, int dim) {
        int stride = strides[dim];
        return position / (stride * shape[dim]) * stride + position % stride;
    }

    /** The index of the dimension called {@code name}, or -1 where there is none. */
    public int dimNameIndex(String name) {
        return dimNames.indexOf(name);
    }

    /**
     * The meshes that remain when the dimensions {@code dims}, given in [-ndim, ndim), are taken apart.
     *
     * <p>Dimensions are processed from the highest index down, each splitting every mesh found so far, so the index
     * along the highest dimension varies slowest in the result. The other dimensions keep names and order. Where none
     * is left, the result is unnamed meshes of shape (1,). No dimensions at all give this mesh alone.
     *
     * @throws DTorchError of kind VALUE for a dimension out of range or given twice
     */
    public List<DeviceMesh> unbind(int... dims) {
        return MeshViews.unbind(this, dims);
    }

    /** {@link #unbind(int...)} by names; names that this mesh does not have are ignored. */
    public List<DeviceMesh> unbind(List<String> names) {
        return MeshViews.unbind(
                this,
                names.stream().mapToInt(this::dimNameIndex).filter(d -> d >= 0).toArray());
    }

    /**
     * The mesh over the named dimensions that contains {@code position}, as PyTorch's {@code mesh["dp", "tp"]} does for
     * a rank; its dimensions are in the order of this mesh.
     *
     * @throws DTorchError of kind KEY for an unnamed mesh, an unknown or repeated name, or names in another order than
     *     this mesh's
     */
    public DeviceMesh slice(List<String> names, int position) {
        return MeshViews.slice(this, MeshViews.dimsOf(this, names), position);
    }

    /** Every mesh that {@link #slice} gives for some position, without repetition, in the order of first positions. */
    public List<DeviceMesh> slices(List<String> names) {
        return MeshViews.slices(this, MeshViews.dimsOf(this, names));
    }

    /** The one-dimensional mesh of all devices in row-major order, called {@code name} unless that is empty. */
    public DeviceMesh flatten(String name) {
        return of(deviceType, new int[] {ids.length}, ids, name.isEmpty() ? List.of() : List.of(name));
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof DeviceMesh that
                        && hash == that.hash
                        && deviceType == that.deviceType
                        && Arrays.equals(shape, that.shape)
                        && Arrays.equals(ids, that.ids)
                        && dimNames.equals(that.dimNames));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /**
     * The documented form, {@code DeviceMesh('cuda', dim_name: ['dp', 'tp'], shape: (2, 2), data: [[0, 1], [2, 3]])}.
     */
    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("DeviceMesh('").append(deviceType).append("', dim_name: [");
        for (int d = 0; d < dimNames.size(); d++) {
            text.append(d == 0 ? "'" : ", '").append(dimNames.get(d)).append('\'');
        }
        text.append("], shape: ").append(tuple(shape)).append(", data: ");
        appendData(text, 0, 0);
        return text.append(')').toString();
    }

    private void appendData(StringBuilder text, int dim, int position) {
        if (dim == shape.length) {
            text.append(ids[position]);
            return;
        }
        text.append('[');
        for (int c = 0; c < shape[dim]; c++) {
            text.append(c == 0 ? "" : ", ");
            appendData(text, dim + 1, position + c * strides[dim]);
        }
        text.append(']');
    }

    private static String tuple(int[] sizes) {
        String inner = Arrays.toString(sizes);
        return "(" + inner.substring(1, inner.length() - 1) + (sizes.length == 1 ? ",)" : ")");
    }

    private static void checkShape(int[] shape, int ids) {
        if (shape.length == 0) {
            throw DTorchError.value("a device mesh needs at least one dimension");
        }
        long count = 1;
        for (int size : shape) {
            if (size <= 0) {
                throw DTorchError.value("a device mesh needs at least one device, got shape %s", tuple(shape));
            }
            count *= size;
            checkCount(shape, count);
        }
        if (count != ids) {
            throw DTorchError.value("a device mesh of shape %s needs %d device ids, got %d", tuple(shape), count, ids);
        }
    }

    private static void checkCount(int[] shape, long count) {
        if (count > MAX_DEVICES) {
            throw DTorchError.value(
                    "a device mesh of shape %s is larger than the limit of %d devices", tuple(shape), MAX_DEVICES);
        }
    }

    private static void checkIds(int[] ids) {
        Set<Integer> seen = new HashSet<>();
        for (int id : ids) {
            if (id < 0) {
                throw DTorchError.value("device ids must not be negative, got %d", id);
            }
            if (!seen.add(id)) {
                throw DTorchError.value("device ids must be unique, %d occurs twice in %s", id, Arrays.toString(ids));
            }
        }
    }

    private static void checkNames(int[] shape, List<String> names) {
        if (!names.isEmpty() && names.size() != shape.length) {
            throw DTorchError.value(
                    "a device mesh of shape %s needs %d dimension names, got %s", tuple(shape), shape.length, names);
        }
        if (new HashSet<>(names).size() != names.size()) {
            throw DTorchError.value("dimension names of a device mesh must be unique, got %s", names);
        }
    }
}
