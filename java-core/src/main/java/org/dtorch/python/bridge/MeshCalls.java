package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Partial;
import org.dtorch.placement.Placement;
import org.dtorch.placement.ReduceOp;
import org.dtorch.placement.Shard;
import org.dtorch.values.DTorchError;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/** Device meshes and placements. */
public final class MeshCalls {
    private final Bridge bridge;

    MeshCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    /** A mesh over given device ids. */
    @HostAccess.Export
    public DeviceMesh of(String type, long[] shape, long[] ids, Object[] names) {
        try {
            return DeviceMesh.of(DeviceType.of(type), ints(shape), ints(ids), names(names));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** A mesh over the devices 0, 1, 2, ... */
    @HostAccess.Export
    public DeviceMesh init(String type, long[] shape, Object[] names) {
        try {
            return DeviceMesh.init(DeviceType.of(type), ints(shape), names(names));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** The Python object of a mesh. */
    @HostAccess.Export
    public Value object(DeviceMesh mesh) {
        return bridge.guest().mesh(mesh);
    }

    @HostAccess.Export
    public String type(DeviceMesh mesh) {
        return mesh.deviceType().torchName();
    }

    @HostAccess.Export
    public long[] shape(DeviceMesh mesh) {
        return Arrays.stream(mesh.shape()).asLongStream().toArray();
    }

    @HostAccess.Export
    public long[] ids(DeviceMesh mesh) {
        return Arrays.stream(mesh.ids()).asLongStream().toArray();
    }

    @HostAccess.Export
    public String[] names(DeviceMesh mesh) {
        return mesh.dimNames().toArray(new String[0]);
    }

    @HostAccess.Export
    public boolean same(DeviceMesh mesh, DeviceMesh other) {
        return mesh.equals(other);
    }

    @HostAccess.Export
    public int hash(DeviceMesh mesh) {
        return mesh.hashCode();
    }

    @HostAccess.Export
    public String text(DeviceMesh mesh) {
        return mesh.toString();
    }

    /** The meshes that remain without the dimensions given by name or index. */
    @HostAccess.Export
    public DeviceMesh[] unbind(DeviceMesh mesh, Object... dims) {
        try {
            List<Integer> indices = new ArrayList<>();
            for (Object dim : dims) {
                int index = dim instanceof String name ? mesh.dimNameIndex(name) : ((Number) dim).intValue();
                if (!(dim instanceof String && index < 0)) {
                    indices.add(index);
                }
            }
            return mesh.unbind(indices.stream().mapToInt(Integer::intValue).toArray())
                    .toArray(new DeviceMesh[0]);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** The mesh over the named dimensions that holds the first device. */
    @HostAccess.Export
    public DeviceMesh slice(DeviceMesh mesh, Object... names) {
        try {
            return mesh.slice(names(names), 0);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public DeviceMesh flatten(DeviceMesh mesh, String name) {
        try {
            return mesh.flatten(name);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Placement shard(long dim) {
        return Placement.shard((int) dim);
    }

    @HostAccess.Export
    public Placement replicate() {
        return Placement.replicate();
    }

    @HostAccess.Export
    public Placement partial(String reduceOp) {
        try {
            return Placement.partial(ReduceOp.of(reduceOp));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Placement parse(String text) {
        try {
            return Placement.parse(text);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** What a placement is, for the Python object: {@code R}, the dim of a shard, or the reduce op. */
    @HostAccess.Export
    public Object detail(Placement placement) {
        return switch (placement) {
            case Shard(int dim) -> dim;
            case Partial(ReduceOp op) -> op.torchName();
            default -> null;
        };
    }

    /** The Python tuple of placements that {@link PlacementDict} gives. */
    @HostAccess.Export
    public Value placementsByDict(DeviceMesh mesh, Object[] pairs, Object[] originals, String mode) {
        try {
            return bridge.guest()
                    .placements(List.copyOf(
                            PlacementDict.placements(mesh, pairs, originals == null ? null : list(originals), mode)));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    static List<Placement> list(Object[] items) {
        List<Placement> placements = new ArrayList<>(items.length);
        for (Object item : items) {
            if (!(item instanceof Placement placement)) {
                throw DTorchError.type(
                        "placements must be Shard, Replicate or Partial, not %s", ArgumentNames.className(item));
            }
            placements.add(placement);
        }
        return placements;
    }

    private static int[] ints(long[] values) {
        return Arrays.stream(values).mapToInt(Math::toIntExact).toArray();
    }

    private static List<String> names(Object[] names) {
        if (names == null) {
            return List.of();
        }
        List<String> list = new ArrayList<>();
        for (Object name : names) {
            if (!(name instanceof String text)) {
                throw DTorchError.type("names of mesh dimensions must be str, not %s", ArgumentNames.className(name));
            }
            list.add(text);
        }
        return list;
    }
}
