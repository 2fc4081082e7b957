package org.dtorch.dispatch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Consumer;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.Promotion;
import org.dtorch.placement.Layout;
import org.dtorch.random.TorchRandom.BlockSink;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Storage;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * Data between the host and the shards of a tensor, in row-major order of the global tensor; every device takes or gives
 * only its own part.
 */
public final class HostCopies {
    private final Session session;

    HostCopies(Session session) {
        this.session = session;
    }

    /** A tensor with storage and without values. */
    public TensorData empty(Shape shape, DType dtype, Layout layout) {
        DeviceMesh mesh = layout.mesh();
        LocalShard[] shards = new LocalShard[mesh.size()];
        int[] owners = new int[shards.length];
        for (int p = 0; p < shards.length; p++) {
            owners[p] = owner(layout, p);
        }
        Device[][] sharers = Shards.sharers(session, mesh, owners);
        for (int p = 0; p < shards.length; p++) {
            shards[p] = owners[p] != p
                    ? shards[owners[p]]
                    : LocalShard.allocateShared(
                            sharers[p], dtype, layout.localShape(shape, p).toArray());
        }
        return new TensorData(shape, dtype, layout, Storage.of(shards), shards);
    }

    private int owner(Layout layout, int position) {
        return session.sharesReplicas() ? layout.replicaOwner(position) : position;
    }

    /**
     * Lets {@code source} produce the elements in ascending blocks and writes them to the shards; returns when it is done.
     *
     * @param source is given a sink that takes (start, block of the tensor's dtype)
     */
    public void write(TensorData target, Origin origin, Consumer<BlockSink> source) {
        DeviceMesh mesh = target.layout().mesh();
        int count = 0;
        int[] owners = new int[mesh.size()];
        for (int p = 0; p < owners.length; p++) {
            if (target.shard(p) != null && owner(target.layout(), p) == p) {
                owners[count++] = p;
            }
        }
        int[] positions = Arrays.copyOf(owners, count);
        LocalShard[] out = new LocalShard[count];
        Device[] devices = new Device[count];
        for (int i = 0; i < count; i++) {
            out[i] = target.shard(positions[i]);
            devices[i] = session.device(mesh.deviceType(), mesh.id(positions[i]));
        }
        target.storage().bumpVersion();
        session.submit(new CollectiveInstruction(
                devices,
                origin,
                new LocalShard[0],
                out,
                (none, operands) -> source.accept((start, block) -> {
                    for (int i = 0; i < operands.length; i++) {
                        RowMajorBlock.write(
                                block,
                                start,
                                target.shape(),
                                operands[i],
                                target.layout().localOffsets(target.shape(), positions[i]));
                    }
                })));
        session.await(out);
    }

    /**
     * The elements of a tensor without partial placements, waiting for them.
     *
     * @throws org.dtorch.values.DTorchError what went wrong in an operator that this value depends on
     */
    public MemorySegment read(TensorData tensor, Arena arena) {
        long bytes = Math.multiplyExact(tensor.shape().numel(), tensor.dtype().bytes());
        MemorySegment host = arena.allocate(Math.max(bytes, 1), 64).asSlice(0, bytes);
        DeviceMesh mesh = tensor.layout().mesh();
        long[] strides = tensor.shape().contiguousStrides();
        Memory memory = new Memory(host, -1);
        for (int p = 0; p < mesh.size(); p++) {
            LocalShard shard = tensor.shard(p);
            if (shard == null || tensor.layout().replicaOwner(p) != p) {
                continue;
            }
            session.await(shard);
            long[] offsets = tensor.layout().localOffsets(tensor.shape(), p);
            long offset = 0;
            for (int d = 0; d < offsets.length; d++) {
                offset += offsets[d] * strides[d];
            }
            Operand to = new Operand(memory, offset, tensor.dtype(), shard.sizes(), strides);
            if (to.numel() > 0) {
                Device device = session.device(mesh.deviceType(), mesh.id(p));
                device.backend()
                        .kernel(new Recipe.Pointwise(Expr.input(0), Promotion.compute(tensor.dtype())))
                        .run(new Launch(new Operand[] {shard.operand()}, new Operand[] {to}, new Object[0], null));
            }
        }
        return host;
    }
}
