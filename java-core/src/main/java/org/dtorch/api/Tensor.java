package org.dtorch.api;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.dtorch.dispatch.HostElements;
import org.dtorch.dispatch.TensorData;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.Op;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Reaper;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/**
 * A tensor: one global value, laid out over a device mesh by its placements. A plain tensor is one on a mesh of one
 * device.
 *
 * <p>Operators return at once and compute in the background; reading a value waits for it, and raises what went wrong on
 * the way. Native memory is freed when the tensor is closed, or when nothing refers to it any more.
 */
public class Tensor extends TensorMethods implements AutoCloseable {
    private final DTorch owner;
    private TensorData data;
    private Reaper.Registration registration;
    private Object peer;

    /** Wraps data that the caller owns. */
    Tensor(DTorch owner, TensorData data) {
        this.owner = owner;
        adopt(data);
    }

    /** Another tensor on the same storage. */
    protected Tensor(Tensor other) {
        this(other.owner, other.data().relabelled(other.data().layout()));
    }

    private void adopt(TensorData owned) {
        this.data = owned;
        this.registration = owner.dispatcher().session().reaper().register(this, owned.storage());
    }

    /** The context that made it. */
    public final DTorch owner() {
        return owner;
    }

    /**
     * What the dispatcher works on.
     *
     * @throws DTorchError of kind RUNTIME after {@link #close}
     */
    public final TensorData data() {
        TensorData current = data;
        if (current == null) {
            throw DTorchError.runtime("this tensor has been closed");
        }
        return current;
    }

    /** Makes this tensor refer to the value, storage and layout of another; its identity stays. */
    public final void setData(Tensor other) {
        TensorData shared = other.data().relabelled(other.data().layout());
        close();
        adopt(shared);
    }

    /** The object that stands for this tensor in a guest language, or null. */
    public final Object peer() {
        return peer;
    }

    public final void setPeer(Object guest) {
        this.peer = guest;
    }

    /** Frees the memory unless other tensors share it; a second call does nothing. */
    @Override
    public final void close() {
        if (data != null) {
            data = null;
            registration.release();
        }
    }

    public final Shape shape() {
        return data().shape();
    }

    /** The size of a dimension in [-rank, rank). */
    public final long size(int dim) {
        return shape().size(Shape.wrapDim(dim, shape().rank()));
    }

    public final int dim() {
        return shape().rank();
    }

    public final DType dtype() {
        return data().dtype();
    }

    public final Layout layout() {
        return data().layout();
    }

    public final DeviceMesh deviceMesh() {
        return layout().mesh();
    }

    public final List<Placement> placements() {
        return layout().placements();
    }

    /** Whether the mesh holds more than one device. */
    public final boolean isDistributed() {
        return deviceMesh().isDistributed();
    }

    /** Runs an operator; the typed methods end here. */
    @Override
    protected final Tensor[] calls(Op op, Object... args) {
        return owner.call(op, args);
    }

    /**
     * The same value under another layout.
     *
     * @param mesh null keeps the mesh
     * @param placements null keeps the placements on a mesh of the same shape and names, and replicates on any other
     * @throws DTorchError of kind LAYOUT if they do not fit, of kind ASSERTION if both are null
     */
    public final Tensor redistribute(DeviceMesh mesh, List<Placement> placements) {
        if (mesh == null && placements == null) {
            throw DTorchError.assertion("redistribute: give a device_mesh, placements, or both");
        }
        DeviceMesh target = mesh == null ? deviceMesh() : mesh;
        return redistribute(
                placements != null
                        ? Layout.of(target, placements)
                        : sameForm(target, deviceMesh()) ? layout().on(target) : Layout.replicated(target));
    }

    public final Tensor redistribute(Layout layout) {
        return owner.wrap(owner.dispatcher().redistributor().redistribute(data(), layout));
    }

    public final Tensor redistribute(Placement... placements) {
        return redistribute(null, List.of(placements));
    }

    /** This tensor with the mesh and the placements of another. */
    public final Tensor redistributeLike(Tensor other) {
        return redistribute(other.layout());
    }

    private static boolean sameForm(DeviceMesh a, DeviceMesh b) {
        return java.util.Arrays.equals(a.shape(), b.shape()) && a.dimNames().equals(b.dimNames());
    }

    /** The steps, bytes and cost of a redistribution, without doing it. */
    public final String explainRedistribute(DeviceMesh mesh, List<Placement> placements) {
        DeviceMesh target = mesh == null ? deviceMesh() : mesh;
        Layout to = placements == null ? Layout.replicated(target) : Layout.of(target, placements);
        return owner.dispatcher().redistributor().plan(data(), to).explain();
    }

    /** Whether the placement on a mesh dimension is {@code expected}; a mesh dimension of size 1 matches any. */
    public final boolean checkPlacement(int meshDim, Placement expected) {
        if (meshDim < -deviceMesh().ndim() || meshDim >= deviceMesh().ndim()) {
            throw DTorchError.index("mesh dim %d is out of range for %s", meshDim, deviceMesh());
        }
        int m = meshDim < 0 ? meshDim + deviceMesh().ndim() : meshDim;
        return deviceMesh().dimSize(m) == 1
                || layout().normalized(dim()).placement(m).equals(expected);
    }

    /**
     * The global value in row-major order, in native byte order.
     *
     * @throws DTorchError what went wrong in an operator that the value depends on
     */
    public final MemorySegment toSegment(Arena arena) {
        return owner.dispatcher().toHost(data(), arena);
    }

    /** The global value as doubles in row-major order. */
    public final double[] toDoubles() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = toSegment(arena);
            double[] values = new double[Math.toIntExact(shape().numel())];
            for (int i = 0; i < values.length; i++) {
                values[i] = HostElements.get(host, i, dtype()).toDouble();
            }
            return values;
        }
    }

    /**
     * The only element.
     *
     * @throws DTorchError of kind RUNTIME unless there is exactly one
     */
    public final Scalar item() {
        if (shape().numel() != 1) {
            throw DTorchError.runtime("a Tensor with %d elements cannot be converted to Scalar", shape().numel());
        }
        try (Arena arena = Arena.ofConfined()) {
            return HostElements.get(toSegment(arena), 0, dtype());
        }
    }

    /** Waits until the value is there. */
    public final void await() {
        TensorData current = data();
        for (int p = 0; p < deviceMesh().size(); p++) {
            if (current.shard(p) != null) {
                owner.dispatcher().session().await(current.shard(p));
            }
        }
    }

    @Override
    public String toString() {
        return TensorText.of(this);
    }
}
