package org.dtorch.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/**
 * Where a tensor lies: a device mesh and one placement for each of its dimensions, both immutable.
 *
 * <p>All shard arithmetic is here and in {@link Chunk}. Several mesh dimensions that shard one tensor dimension nest
 * from left to right: the chunks of the first are cut again by the second. Partial mesh dimensions nest the same way:
 * the parts along the last one combine first, which matters where their ops differ. A mesh dimension of size 1 counts as
 * replicated. Shard dimensions are taken as they are; {@link #normalized} makes negative ones positive, and the
 * arithmetic expects that.
 */
public final class Layout {
    private static final int NOT_SHARDED = Integer.MIN_VALUE;

    private final DeviceMesh mesh;
    private final List<Placement> placements;
    /** The tensor dimension that each mesh dimension shards, or {@link #NOT_SHARDED}; on one device as well. */
    private final int[] shardDims;

    private final int hash;

    private Layout(DeviceMesh mesh, List<Placement> placements) {
        if (placements.size() != mesh.ndim()) {
            throw DTorchError.layout(
                    "expected one placement for each of the %d dimensions of %s, got %d: %s",
                    mesh.ndim(), mesh, placements.size(), placements);
        }
        this.mesh = mesh;
        this.placements = placements;
        this.shardDims = new int[placements.size()];
        for (int m = 0; m < shardDims.length; m++) {
            shardDims[m] = placements.get(m) instanceof Shard(int dim) ? dim : NOT_SHARDED;
        }
        this.hash = 31 * mesh.hashCode() + placements.hashCode();
    }

    /**
     * The layout of {@code placements} on {@code mesh}.
     *
     * @throws DTorchError of kind LAYOUT where their number is not the mesh's {@code ndim}
     */
    public static Layout of(DeviceMesh mesh, List<Placement> placements) {
        return new Layout(mesh, List.copyOf(placements));
    }

    public static Layout of(DeviceMesh mesh, Placement... placements) {
        return new Layout(mesh, List.of(placements));
    }

    /** The layout with every dimension of {@code mesh} replicated. */
    public static Layout replicated(DeviceMesh mesh) {
        Placement[] all = new Placement[mesh.ndim()];
        Arrays.fill(all, Replicate.INSTANCE);
        return of(mesh, all);
    }

    public DeviceMesh mesh() {
        return mesh;
    }

    /** One placement per mesh dimension. */
    public List<Placement> placements() {
        return placements;
    }

    public Placement placement(int meshDim) {
        return placements.get(meshDim);
    }

    /** This layout with {@code placement} on {@code meshDim}. */
    public Layout with(int meshDim, Placement placement) {
        if (placements.get(meshDim).equals(placement)) {
            return this;
        }
        Placement[] changed = placements.toArray(Placement[]::new);
        changed[meshDim] = placement;
        return of(mesh, changed);
    }

    /** The same placements on a mesh of as many dimensions. */
    public Layout on(DeviceMesh other) {
        return new Layout(other, placements);
    }

    /**
     * This layout as it acts on a tensor of {@code rank} dimensions: shard dimensions in [0, rank), mesh dimensions of
     * size 1 replicated.
     *
     * @throws DTorchError of kind LAYOUT for a shard dimension out of range
     */
    public Layout normalized(int rank) {
        Layout result = this;
        for (int m = 0; m < mesh.ndim(); m++) {
            if (placements.get(m) instanceof Shard(int dim)) {
                if (dim < -rank || dim >= rank) {
                    throw DTorchError.layout(
                            "%s is out of range for a tensor of %d dimensions: placements %s on %s",
                            placements.get(m), rank, placements, mesh);
                }
                result = result.with(m, Placement.shard(dim < 0 ? dim + rank : dim));
            }
            if (mesh.dimSize(m) == 1) {
                result = result.with(m, Replicate.INSTANCE);
            }
        }
        return result;
    }

    /**
     * Refuses shard dimensions that a tensor of shape {@code global} does not have; sizes that do not divide are legal.
     *
     * @throws DTorchError of kind LAYOUT that names shape, mesh and placements
     */
    public void checkFits(Shape global) {
        for (Placement placement : placements) {
            if (placement instanceof Shard(int dim) && (dim < -global.rank() || dim >= global.rank())) {
                throw DTorchError.layout(
                        "%s is out of range for a tensor of shape %s: placements %s on %s; legal shard dims are %s",
                        placement,
                        global,
                        placements,
                        mesh,
                        global.rank() == 0 ? "none" : "[" + -global.rank() + ", " + (global.rank() - 1) + "]");
            }
        }
    }

    /** Whether every device holds the full value. */
    public boolean isReplicated() {
        for (int m = 0; m < mesh.ndim(); m++) {
            if (!isReplicatedOn(m)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the devices along {@code meshDim} hold the same value, be it because there is only one. */
    public boolean isReplicatedOn(int meshDim) {
        return mesh.dimSize(meshDim) == 1 || placements.get(meshDim).isReplicate();
    }

    /**
     * Whether the value is spread over parts that are still to be reduced, on a mesh dimension of more than one device.
     */
    public boolean hasPartial() {
        for (int m = 0; m < mesh.ndim(); m++) {
            if (mesh.dimSize(m) > 1 && placements.get(m).isPartial()) {
                return true;
            }
        }
        return false;
    }

    /** Whether some mesh dimension of more than one device shards {@code tensorDim}. */
    public boolean isShardedOn(int tensorDim) {
        return shardFactor(tensorDim) > 1;
    }

    /** Into how many chunks, nested ones multiplied, {@code tensorDim} is cut. */
    public int shardFactor(int tensorDim) {
        int factor = 1;
        for (int m = 0; m < mesh.ndim(); m++) {
            if (shardDims[m] == tensorDim) {
                factor *= mesh.dimSize(m);
            }
        }
        return factor;
    }

    /** The mesh dimensions of more than one device that shard {@code tensorDim}, ascending. */
    public int[] meshDimsSharding(int tensorDim) {
        int[] found = new int[mesh.ndim()];
        int count = 0;
        for (int m = 0; m < mesh.ndim(); m++) {
            if (shardDims[m] == tensorDim && mesh.dimSize(m) > 1) {
                found[count++] = m;
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** The piece that the device at {@code position} holds of {@code tensorDim}, which is {@code size} long in all. */
    public Chunk localChunk(long size, int tensorDim, int position) {
        Chunk chunk = Chunk.whole(size);
        for (int m = 0; m < mesh.ndim(); m++) {
            if (shardDims[m] == tensorDim) {
                chunk = chunk.cut(mesh.dimSize(m), mesh.coordinate(position, m));
            }
        }
        return chunk;
    }

    /** The shape of the shard at {@code position} of a tensor of shape {@code global}. */
    public Shape localShape(Shape global, int position) {
        return Shape.of(localSizes(global, position));
    }

    /** The number of elements of the shard at {@code position}. */
    public long localNumel(Shape global, int position) {
        long numel = 1;
        for (long size : localSizes(global, position)) {
            numel *= size;
        }
        return numel;
    }

    private long[] localSizes(Shape global, int position) {
        long[] sizes = global.toArray();
        for (int m = 0; m < shardDims.length; m++) {
            int dim = shardDims[m];
            if (dim != NOT_SHARDED) {
                sizes[dim] = Chunk.size(sizes[dim], mesh.dimSize(m), mesh.coordinate(position, m));
            }
        }
        return sizes;
    }

    /**
     * Where the shard at {@code position} starts in a tensor of shape {@code global}, one offset per tensor dimension;
     * a dimension along which the shard is empty has the dimension's size.
     */
    public long[] localOffsets(Shape global, int position) {
        long[] offsets = new long[global.rank()];
        for (int d = 0; d < offsets.length; d++) {
            Chunk chunk = localChunk(global.size(d), d, position);
            offsets[d] = chunk.size() == 0 ? global.size(d) : chunk.offset();
        }
        return offsets;
    }

    /**
     * The smallest position that holds the same data as {@code position}: replicated mesh dimensions count from their
     * first device, sharded and partial ones stay.
     */
    public int replicaOwner(int position) {
        int owner = position;
        for (int m = 0; m < mesh.ndim(); m++) {
            if (isReplicatedOn(m)) {
                owner = mesh.withCoordinate(owner, m, 0);
            }
        }
        return owner;
    }

    /** The placements in short form, for example {@code [S(0), R]}. */
    public String shortName() {
        List<String> names = new ArrayList<>();
        for (Placement placement : placements) {
            names.add(placement.shortName());
        }
        return names.toString();
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof Layout that
                        && hash == that.hash
                        && placements.equals(that.placements)
                        && mesh.equals(that.mesh));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The documented forms, for example {@code [Shard(0), Replicate()] on DeviceMesh(...)}. */
    @Override
    public String toString() {
        return placements + " on " + mesh;
    }
}
