package org.dtorch.dispatch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Operand;
import org.dtorch.comm.Communicator;
import org.dtorch.comm.Group;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.Promotion;
import org.dtorch.placement.Layout;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.redistribute.Block;
import org.dtorch.redistribute.BlockMoves;
import org.dtorch.redistribute.Step;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Storage;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/**
 * Turns one step of a plan into instructions.
 *
 * <p>Where devices share memory, mesh dimensions that are replicated before and after count once: only the groups of their
 * first devices work, and the other positions hold the same shards.
 */
final class StepRunner {
    private final Session session;

    StepRunner(Session session) {
        this.session = session;
    }

    /** The tensor after the step. {@code readOnly}: it will not be written, so local slices may share the storage. */
    TensorData run(Step step, TensorData t, Origin origin, boolean readOnly) {
        return switch (step) {
            case Step.Slice s -> slice(s, t, origin, readOnly);
            case Step.Mask s -> mask(s, t, origin, readOnly);
            case Step.PartialCast s -> scale(s, t, origin);
            case Step.AllGather s -> {
                Communicator c = session.communicator();
                yield inGroups(
                        s, s.meshDim(), t, origin, true, g -> (in, out) -> c.allGather(g, s.tensorDim(), in, out));
            }
            case Step.AllReduce s -> {
                Communicator c = session.communicator();
                yield inGroups(s, s.meshDim(), t, origin, true, g -> (in, out) -> c.allReduce(g, s.op(), in, out));
            }
            case Step.ReduceScatter s -> {
                Communicator c = session.communicator();
                yield inGroups(
                        s,
                        s.meshDim(),
                        t,
                        origin,
                        false,
                        g -> (in, out) -> c.reduceScatter(g, s.tensorDim(), s.op(), in, out));
            }
            case Step.AllToAll s -> {
                Communicator c = session.communicator();
                yield inGroups(
                        s,
                        s.meshDim(),
                        t,
                        origin,
                        false,
                        g -> (in, out) -> c.allToAll(g, s.fromDim(), s.toDim(), in, out));
            }
            case Step.Blocks s -> blocks(s, t, origin);
        };
    }

    /** The devices that hold what the position {@code owner} makes. */
    private Device[] sharers(Step step, int owner, int meshDim) {
        DeviceMesh mesh = step.from().mesh();
        List<Device> devices = new ArrayList<>();
        for (int p = 0; p < mesh.size(); p++) {
            if (owner(step, p, meshDim) == owner) {
                devices.add(device(mesh, p));
            }
        }
        return devices.toArray(Device[]::new);
    }

    /** The devices that hold what a whole group makes together. */
    private Device[] sharers(Step step, int[] group, int meshDim) {
        List<Device> devices = new ArrayList<>();
        for (int owner : group) {
            devices.addAll(List.of(sharers(step, owner, meshDim)));
        }
        return devices.toArray(Device[]::new);
    }

    private Device device(DeviceMesh mesh, int position) {
        return session.device(mesh.deviceType(), mesh.id(position));
    }

    /** The kernel that copies elements of {@code dtype} as they are. */
    private static Kernel copyKernel(Device device, DType dtype) {
        return device.backend().kernel(new Recipe.Pointwise(Expr.input(0), Promotion.compute(dtype)));
    }

    /** A pointwise kernel on a shard; {@code in} is null for a fill. */
    private static NamedInstruction local(
            Device device, Origin origin, Kernel kernel, LocalShard in, LocalShard out, Object... arguments) {
        LocalShard[] inputs = in == null ? new LocalShard[0] : new LocalShard[] {in};
        LocalShard[] outputs = {out};
        return new NamedInstruction(device, origin, kernel, Shards.nanos(outputs), inputs, outputs, arguments);
    }

    private LocalShard copied(Device[] sharers, Origin origin, LocalShard shard) {
        LocalShard copy = LocalShard.allocateShared(sharers, shard.dtype(), shard.sizes());
        Kernel kernel = copyKernel(sharers[0], shard.dtype());
        session.submit(local(sharers[0], origin, kernel, shard, copy));
        return copy;
    }

    private TensorData made(TensorData t, Layout layout, LocalShard[] shards) {
        return new TensorData(t.shape(), t.dtype(), layout, Storage.of(shards), shards);
    }

    /** The first position that has the same shard before and after a step on {@code meshDim}. */
    private int owner(Step step, int position, int meshDim) {
        if (!session.sharesReplicas()) {
            return position;
        }
        int owner = position;
        DeviceMesh mesh = step.from().mesh();
        for (int m = 0; m < mesh.ndim(); m++) {
            if (m != meshDim && step.from().isReplicatedOn(m)) {
                owner = mesh.withCoordinate(owner, m, 0);
            }
        }
        return owner;
    }

    private TensorData slice(Step.Slice step, TensorData t, Origin origin, boolean readOnly) {
        DeviceMesh mesh = step.from().mesh();
        LocalShard[] shards = new LocalShard[mesh.size()];
        for (int p = 0; p < shards.length; p++) {
            int owner = owner(step, p, step.meshDim());
            LocalShard whole = t.shard(p);
            if (owner != p) {
                shards[p] = shards[owner];
            } else if (whole != null) {
                var before = step.from().localChunk(t.shape().size(step.tensorDim()), step.tensorDim(), p);
                var after = step.to().localChunk(t.shape().size(step.tensorDim()), step.tensorDim(), p);
                long[] sizes = whole.sizes().clone();
                sizes[step.tensorDim()] = after.size();
                long skip = after.size() == 0 ? 0 : after.offset() - before.offset();
                LocalShard part =
                        whole.view(whole.offset() + skip * whole.strides()[step.tensorDim()], sizes, whole.strides());
                shards[p] = readOnly ? part : copied(sharers(step, p, step.meshDim()), origin, part);
            }
        }
        if (readOnly) {
            t.storage().retain();
            return new TensorData(t.shape(), t.dtype(), step.to(), t.storage(), shards);
        }
        return made(t, step.to(), shards);
    }

    private TensorData mask(Step.Mask step, TensorData t, Origin origin, boolean readOnly) {
        if (!step.changesValues() && readOnly) {
            return t.relabelled(step.to());
        }
        DeviceMesh mesh = step.from().mesh();
        LocalShard[] shards = new LocalShard[mesh.size()];
        for (int p = 0; p < shards.length; p++) {
            int owner = owner(step, p, step.meshDim());
            LocalShard whole = t.shard(p);
            if (owner != p) {
                shards[p] = shards[owner];
            } else if (whole != null) {
                boolean keeps = mesh.coordinate(p, step.meshDim()) == 0 || !step.changesValues();
                shards[p] = keeps
                        ? copied(sharers(step, p, step.meshDim()), origin, whole)
                        : filled(sharers(step, p, step.meshDim()), origin, whole, step.identity());
            }
        }
        return made(t, step.to(), shards);
    }

    private LocalShard filled(Device[] sharers, Origin origin, LocalShard like, int value) {
        LocalShard out = LocalShard.allocateShared(sharers, like.dtype(), like.sizes());
        Kernel fill = sharers[0].backend().kernel(new Recipe.Pointwise(Expr.arg(0), Promotion.compute(like.dtype())));
        session.submit(local(sharers[0], origin, fill, null, out, Scalar.of((long) value)));
        return out;
    }

    private TensorData scale(Step.PartialCast step, TensorData t, Origin origin) {
        DeviceMesh mesh = step.from().mesh();
        Kernel multiply = device(mesh, 0)
                .backend()
                .kernel(new Recipe.Pointwise(Expr.input(0).mul(Expr.arg(0)), Promotion.compute(t.dtype())));
        LocalShard[] shards = new LocalShard[mesh.size()];
        for (int p = 0; p < shards.length; p++) {
            int owner = owner(step, p, step.meshDim());
            LocalShard part = t.shard(p);
            if (owner != p) {
                shards[p] = shards[owner];
            } else if (part != null) {
                shards[p] = LocalShard.allocateShared(sharers(step, p, step.meshDim()), part.dtype(), part.sizes());
                session.submit(local(device(mesh, p), origin, multiply, part, shards[p], Scalar.of(step.factor())));
            }
        }
        return made(t, step.to(), shards);
    }

    /** What a group is asked to do. */
    @FunctionalInterface
    private interface InGroup {
        CollectiveInstruction.Body of(Group group);
    }

    private TensorData inGroups(Step step, int meshDim, TensorData t, Origin origin, boolean sameResult, InGroup what) {
        DeviceMesh mesh = step.from().mesh();
        LocalShard[] shards = new LocalShard[mesh.size()];
        boolean same = sameResult && session.sharesReplicas();
        String name =
                mesh.dimNames().isEmpty() ? "dim" + meshDim : mesh.dimNames().get(meshDim);
        for (int[] group : mesh.groups(meshDim)) {
            if (owner(step, group[0], meshDim) != group[0]) {
                continue;
            }
            LocalShard[] in = new LocalShard[group.length];
            LocalShard[] out = new LocalShard[group.length];
            Device[] devices = new Device[group.length];
            int[] ids = new int[group.length];
            for (int r = 0; r < group.length; r++) {
                int p = group[r];
                in[r] = t.shard(p);
                ids[r] = mesh.id(p);
                devices[r] = device(mesh, p);
                out[r] = same && r > 0
                        ? out[0]
                        : LocalShard.allocateShared(
                                same ? sharers(step, group, meshDim) : sharers(step, p, meshDim),
                                t.dtype(),
                                step.to().localShape(t.shape(), p).toArray());
                shards[p] = out[r];
            }
            session.submit(new CollectiveInstruction(devices, origin, in, out, what.of(new Group(ids, name))));
        }
        for (int p = 0; p < shards.length; p++) {
            shards[p] = shards[p] == null ? shards[owner(step, p, meshDim)] : shards[p];
        }
        return made(t, step.to(), shards);
    }

    private TensorData blocks(Step.Blocks step, TensorData t, Origin origin) {
        DeviceMesh before = step.from().mesh();
        DeviceMesh after = step.to().mesh();
        LocalShard[] shards = new LocalShard[after.size()];
        int[] owners = new int[shards.length];
        for (int p = 0; p < owners.length; p++) {
            owners[p] = session.sharesReplicas() ? step.to().replicaOwner(p) : p;
        }
        Device[][] sharers = Shards.sharers(session, after, owners);
        for (int p = 0; p < shards.length; p++) {
            shards[p] = owners[p] != p
                    ? shards[owners[p]]
                    : LocalShard.allocateShared(
                            sharers[p],
                            t.dtype(),
                            step.to().localShape(t.shape(), p).toArray());
        }
        Map<Device, Integer> members = new LinkedHashMap<>();
        for (int p = 0; p < before.size(); p++) {
            members.putIfAbsent(device(before, p), members.size());
        }
        for (int p = 0; p < after.size(); p++) {
            members.putIfAbsent(device(after, p), members.size());
        }
        List<LocalShard> from = new ArrayList<>();
        List<LocalShard> to = new ArrayList<>();
        List<int[]> ends = new ArrayList<>();
        for (Block block : BlockMoves.of(step.from(), step.to(), t.shape())) {
            from.add(part(t.shard(block.source()), step.from(), t.shape(), block.source(), block));
            to.add(part(shards[block.destination()], step.to(), t.shape(), block.destination(), block));
            ends.add(new int[] {
                members.get(device(before, block.source())), members.get(device(after, block.destination()))
            });
        }
        Device[] devices = members.keySet().toArray(Device[]::new);
        int[] ids = new int[devices.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = devices[i].id();
        }
        Group group = new Group(ids, before.equals(after) ? "blocks" : "meshes");
        Communicator communicator = session.communicator();
        session.submit(new CollectiveInstruction(
                devices,
                origin,
                from.toArray(LocalShard[]::new),
                to.toArray(LocalShard[]::new),
                (in, out) -> communicator.move(group, moves(ends, in, out))));
        return made(t, step.to(), shards);
    }

    private static Communicator.Move[] moves(List<int[]> ends, Operand[] in, Operand[] out) {
        Communicator.Move[] moves = new Communicator.Move[in.length];
        for (int i = 0; i < moves.length; i++) {
            moves[i] = new Communicator.Move(ends.get(i)[0], ends.get(i)[1], in[i], out[i]);
        }
        return moves;
    }

    /** The piece of the shard at {@code position} that a block covers. */
    private static LocalShard part(LocalShard shard, Layout layout, Shape shape, int position, Block block) {
        if (shard == null) {
            return null;
        }
        long offset = shard.offset();
        for (int d = 0; d < shape.rank(); d++) {
            long start = layout.localChunk(shape.size(d), d, position).offset();
            offset += (block.offsets()[d] - start) * shard.strides()[d];
        }
        return shard.view(offset, block.sizes().toArray(), shard.strides());
    }
}
