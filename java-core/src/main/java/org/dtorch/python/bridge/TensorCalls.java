package org.dtorch.python.bridge;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.dtorch.api.Attention;
import org.dtorch.api.DTorch;
import org.dtorch.api.SdpaOptions;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.HostElements;
import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.OpTable;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.LocalShard;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/** What a tensor says about itself, its values, and where it lies. */
public final class TensorCalls {
    private static final long POLL_NANOS = 100_000;
    private static final int ITEM = 8;

    private final Bridge bridge;

    TensorCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    @HostAccess.Export
    public Value shape(Tensor tensor) {
        try {
            return bridge.guest().size(tensor.shape());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public int dim(Tensor tensor) {
        try {
            return tensor.dim();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public long size(Tensor tensor, int dim) {
        try {
            if (tensor.dim() == 0) {
                throw DTorchError.index("Dimension specified as %d but tensor has no dimensions", dim);
            }
            return tensor.size(dim);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Value dtype(Tensor tensor) {
        try {
            return bridge.guest().dtype(tensor.dtype());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Value mesh(Tensor tensor) {
        try {
            return bridge.guest().mesh(tensor.deviceMesh());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** A Python tuple. */
    @HostAccess.Export
    public Value placements(Tensor tensor) {
        try {
            return bridge.guest().placements(tensor.placements());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Value graph(Tensor tensor) {
        try {
            return bridge.guest().graph(tensor.owner());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public boolean isDistributed(Tensor tensor) {
        try {
            return tensor.isDistributed();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Whether the elements lie dense in row-major order on every device. */
    @HostAccess.Export
    public boolean isContiguous(Tensor tensor) {
        try {
            for (LocalShard shard : shards(tensor)) {
                if (shard != null && !shard.isContiguous()) {
                    return false;
                }
            }
            return true;
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** The only element as a Python number. */
    @HostAccess.Export
    public Object item(Tensor tensor) {
        try {
            return switch (tensor.item()) {
                case Scalar.Int(long value) -> value;
                case Scalar.Float(double value) -> value;
                case Scalar.Bool(boolean value) -> value;
            };
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Whether the only element is not zero; PyTorch's error where there are several. */
    @HostAccess.Export
    public boolean truth(Tensor tensor) {
        try {
            if (tensor.shape().numel() != 1) {
                throw DTorchError.runtime(
                        tensor.shape().numel() == 0
                                ? "Boolean value of Tensor with no values is ambiguous"
                                : "Boolean value of Tensor with more than one value is ambiguous");
            }
            return tensor.item().toDouble() != 0;
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** All elements in row-major order: an array of boolean, long or double. */
    @HostAccess.Export
    public Object values(Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            DType dtype = tensor.dtype();
            MemorySegment host = tensor.toSegment(arena);
            int count = Math.toIntExact(tensor.shape().numel());
            return switch (dtype.kind()) {
                case BOOL -> {
                    boolean[] values = new boolean[count];
                    for (int i = 0; i < count; i++) {
                        values[i] = HostElements.get(host, i, dtype).toLong() != 0;
                    }
                    yield values;
                }
                case INTEGRAL -> {
                    long[] values = new long[count];
                    for (int i = 0; i < count; i++) {
                        values[i] = HostElements.get(host, i, dtype).toLong();
                    }
                    yield values;
                }
                case FLOATING -> {
                    double[] values = new double[count];
                    for (int i = 0; i < count; i++) {
                        values[i] = HostElements.get(host, i, dtype).toDouble();
                    }
                    yield values;
                }
            };
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** The printed form of the value, {@code tensor([1., 2.])}. */
    @HostAccess.Export
    public String text(Tensor tensor) {
        try {
            return tensor.toString();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /**
     * A tensor of numbers.
     *
     * @param values an object with a buffer of 8-byte numbers in native byte order
     * @param floating whether they are doubles, otherwise they are 64-bit integers
     */
    @HostAccess.Export
    public Tensor fromBuffer(Value values, boolean floating, long[] sizes, Creation creation) {
        try {
            byte[] bytes = new byte[Math.toIntExact(values.getBufferSize())];
            values.readBuffer(0, bytes, 0, bytes.length);
            MemorySegment given = MemorySegment.ofArray(bytes);
            Shape shape = Shape.of(sizes);
            DType dtype = creation.dtype();
            DType held = floating ? DType.FLOAT64 : DType.INT64;
            if (bytes.length != shape.numel() * ITEM) {
                throw DTorchError.value("expected %d values for shape %s", shape.numel(), shape);
            }
            if (dtype == held) {
                return creation.owner().fromSegment(given, shape, dtype, creation.layout());
            }
            MemorySegment cast = MemorySegment.ofArray(new byte[Math.toIntExact(shape.numel() * dtype.bytes())]);
            for (int i = 0; i < shape.numel(); i++) {
                Scalar value = HostElements.get(given, i, held);
                checkRange(value, dtype);
                HostElements.set(cast, i, dtype, value);
            }
            return creation.owner().fromSegment(cast, shape, dtype, creation.layout());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    private static void checkRange(Scalar value, DType dtype) {
        if (dtype.isIntegral() && dtype != DType.INT64) {
            int bits = 8 * dtype.bytes();
            double least = dtype == DType.UINT8 ? 0 : -Math.scalb(1.0, bits - 1);
            double most = Math.scalb(1.0, dtype == DType.UINT8 ? bits : bits - 1) - 1;
            double number = value.toDouble();
            if (!(number >= least && number <= most)) {
                throw DTorchError.runtime("value cannot be converted to type %s without overflow", dtype.torchName());
            }
        }
    }

    /** What Python says about a tensor to be made; each may be null. */
    @HostAccess.Export
    public Creation creation(DTorch graph, DType dtype, DeviceMesh mesh, Object[] placements) {
        return new Creation(
                graph == null ? bridge.graph() : graph,
                dtype,
                mesh,
                placements == null ? null : MeshCalls.list(placements));
    }

    /** Another tensor on the same storage. */
    @HostAccess.Export
    public Tensor alias(Tensor tensor) {
        try {
            return tensor.redistribute(tensor.layout());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public void setData(Tensor tensor, Tensor other) {
        try {
            tensor.setData(other);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Writes a tensor into another, from whatever mesh it lies on. */
    @HostAccess.Export
    public void copy(Tensor target, Tensor source) {
        try {
            if (source.deviceMesh().equals(target.deviceMesh())) {
                target.owner().call(OpTable.get("copy_"), target, source);
                return;
            }
            Layout layout =
                    source.shape().equals(target.shape()) ? target.layout() : Layout.replicated(target.deviceMesh());
            try (Tensor moved = source.redistribute(layout)) {
                target.owner().call(OpTable.get("copy_"), target, moved);
            }
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** See {@link Tensor#redistribute(DeviceMesh, List)}. */
    @HostAccess.Export
    public Tensor redistribute(Tensor tensor, DeviceMesh mesh, Object[] placements) {
        try {
            return tensor.redistribute(mesh, placements == null ? null : MeshCalls.list(placements));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Tensor redistributeLike(Tensor tensor, Tensor other) {
        try {
            return tensor.redistributeLike(other);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /**
     * Placements by mesh dimension.
     *
     * @param mesh null for the tensor's own
     * @param mode what a mesh dimension gets that the pairs do not name
     * @param sizeOneReplicated whether a tensor dimension of size 1 is not sharded
     * @param pairs names or indices of mesh dimensions and their placements, in turn; null to keep the placements
     */
    @HostAccess.Export
    public Tensor redistributeByDict(
            Tensor tensor, DeviceMesh mesh, String mode, boolean sizeOneReplicated, Object[] pairs) {
        try {
            DeviceMesh target = mesh == null ? tensor.deviceMesh() : mesh;
            List<Placement> placements = pairs == null || pairs.length == 0 && !target.isDistributed()
                    ? tensor.placements()
                    : target.isDistributed()
                            ? PlacementDict.placements(target, pairs, tensor.placements(), mode)
                            : Layout.replicated(target).placements();
            if (sizeOneReplicated) {
                placements = PlacementDict.withoutSizeOne(placements, tensor.shape());
            }
            return tensor.redistribute(Layout.of(target, placements));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public String explainRedistribute(Tensor tensor, DeviceMesh mesh, Object[] placements) {
        try {
            return tensor.explainRedistribute(mesh, placements == null ? null : MeshCalls.list(placements));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public boolean checkPlacement(Tensor tensor, int meshDim, Placement expected, boolean skipSizeOne) {
        try {
            boolean matches = tensor.checkPlacement(meshDim, expected);
            return matches
                    && (skipSizeOne
                            || tensor.layout()
                                    .normalized(tensor.dim())
                                    .placement(Math.floorMod(
                                            meshDim, tensor.deviceMesh().ndim()))
                                    .equals(expected));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** See {@link Attention#scaledDotProduct}; dimensions are names, indices or null. */
    @HostAccess.Export
    public Tensor attention(
            Tensor query,
            Tensor key,
            Tensor value,
            Tensor mask,
            double dropout,
            boolean causal,
            Double scale,
            boolean enableGqa,
            Object ulyssesDim,
            Object ringDim) {
        try {
            SdpaOptions options = new SdpaOptions(ulyssesDim, ringDim, SequenceOrder.CONTIGUOUS);
            return Attention.scaledDotProduct(query, key, value, mask, dropout, causal, scale, enableGqa, options);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** The whole value on the first device of the mesh. */
    @HostAccess.Export
    public Tensor gathered(Tensor tensor) {
        try {
            DeviceMesh mesh = tensor.deviceMesh();
            return tensor.redistribute(Layout.replicated(DeviceMesh.single(mesh.deviceType(), mesh.id(0))));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Waits for the value. */
    @HostAccess.Export
    public void awaitValue(Tensor tensor) {
        try {
            tensor.await();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public boolean isReady(Tensor tensor) {
        try {
            return tensor.owner().dispatcher().session().isReady(shards(tensor));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Waits for the value at most so long; whether it is there. */
    @HostAccess.Export
    public boolean awaitFor(Tensor tensor, double millis) {
        try {
            long end = System.nanoTime() + (long) (millis * 1e6);
            LocalShard[] shards = shards(tensor);
            while (!tensor.owner().dispatcher().session().isReady(shards)) {
                if (System.nanoTime() - end > 0) {
                    return false;
                }
                LockSupport.parkNanos(this, POLL_NANOS);
            }
            return true;
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    private static LocalShard[] shards(Tensor tensor) {
        LocalShard[] shards = new LocalShard[tensor.deviceMesh().size()];
        for (int p = 0; p < shards.length; p++) {
            shards[p] = tensor.data().shard(p);
        }
        return shards;
    }
}
