package org.dtorch.api;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.dtorch.dispatch.Dispatcher;
import org.dtorch.dispatch.TensorData;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.CreationOptions;
import org.dtorch.op.Op;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.random.Generator;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * A context in which tensors live: its devices, its memory, its random numbers, and the defaults of what it creates.
 * Tensors of two contexts do not meet in an operator. In Python it is called {@code Graph}.
 *
 * <pre>{@code
 * try (DTorch dt = DTorch.open()) {
 *     DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of("tp"));
 *     Tensor x = dt.randn(8, 64).redistribute(mesh, List.of(Placement.shard(0)));
 *     System.out.println(x.relu().sum().item());
 * }
 * }</pre>
 */
public final class DTorch extends Functions implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int id = COUNT.getAndIncrement();
    private final Session session;
    private final Dispatcher dispatcher;
    private volatile DeviceMesh defaultMesh = DeviceMesh.single(DeviceType.CPU, 0);
    private volatile DType defaultDType = DType.FLOAT32;

    private DTorch(Session session, Supplier<String> scriptLine) {
        this.session = session;
        this.dispatcher = new Dispatcher(session, scriptLine);
    }

    /** A context with the settings of the environment. */
    public static DTorch open() {
        return open(Settings.fromEnvironment(System.getenv()), () -> "");
    }

    /**
     * @param scriptLine gives the line of the script that is being run, for errors; empty if there is none
     */
    public static DTorch open(Settings settings, Supplier<String> scriptLine) {
        return on(Session.open(settings), scriptLine);
    }

    /** A context on {@code session}, which it closes with itself; {@code scriptLine} as in {@link #open}. */
    public static DTorch on(Session session, Supplier<String> scriptLine) {
        return new DTorch(session, scriptLine);
    }

    /** A number that no other context of this process has. */
    public int id() {
        return id;
    }

    public Dispatcher dispatcher() {
        return dispatcher;
    }

    /** The mesh of tensors that are created without one. */
    public DeviceMesh defaultMesh() {
        return defaultMesh;
    }

    public void setDefaultMesh(DeviceMesh mesh) {
        this.defaultMesh = mesh;
    }

    /** The dtype of tensors that are created without one. */
    public DType defaultDType() {
        return defaultDType;
    }

    public void setDefaultDType(DType dtype) {
        if (!dtype.isFloating()) {
            throw DTorchError.type("only floating-point types are supported as the default type, got %s", dtype);
        }
        this.defaultDType = dtype;
    }

    /** The generator of creation and initialisation, PyTorch's CPU stream. */
    public Generator generator() {
        return dispatcher.random().generator();
    }

    /** Seeds the generator, as {@code torch.manual_seed}. */
    public Generator manualSeed(long seed) {
        synchronized (generator()) {
            return generator().manualSeed(seed);
        }
    }

    /** Waits until all devices have done all their work. */
    public void sync() {
        session.sync();
    }

    /** What a creation operator makes; nulls take the defaults of this context. */
    public CreationOptions options(DType dtype, DeviceMesh mesh, List<Placement> placements) {
        DeviceMesh on = mesh == null ? defaultMesh : mesh;
        Layout layout = placements == null ? Layout.replicated(on) : Layout.of(on, placements);
        return new CreationOptions(dtype, defaultDType, layout);
    }

    @Override
    protected CreationOptions defaults() {
        return options(null, null, null);
    }

    /**
     * A tensor with the values of dense host memory in row-major order, which is copied; returns when it is done.
     *
     * @param values of {@code dtype}, in native byte order
     */
    public Tensor fromSegment(MemorySegment values, Shape shape, DType dtype, Layout layout) {
        long expected = Math.multiplyExact(shape.numel(), dtype.bytes());
        if (values.byteSize() != expected) {
            throw DTorchError.value(
                    "a tensor of shape %s and dtype %s has %d bytes, the memory given has %d",
                    shape, dtype, expected, values.byteSize());
        }
        return wrap(dispatcher.fromHost(values, shape, dtype, layout));
    }

    /** A float32 tensor on the default mesh. */
    public Tensor tensor(float[] values, long... shape) {
        return fromSegment(
                MemorySegment.ofArray(values), Shape.of(shape), DType.FLOAT32, Layout.replicated(defaultMesh));
    }

    /** A float64 tensor on the default mesh. */
    public Tensor tensor(double[] values, long... shape) {
        return fromSegment(
                MemorySegment.ofArray(values), Shape.of(shape), DType.FLOAT64, Layout.replicated(defaultMesh));
    }

    /** An int64 tensor on the default mesh. */
    public Tensor tensor(long[] values, long... shape) {
        return fromSegment(MemorySegment.ofArray(values), Shape.of(shape), DType.INT64, Layout.replicated(defaultMesh));
    }

    /** A tensor that owns {@code data}. */
    public Tensor wrap(TensorData data) {
        return new Tensor(this, data);
    }

    /** Runs an operator on tensors and plain values; results that are arguments come back as the same objects. */
    @Override
    public Tensor[] call(Op op, Object... args) {
        Object[] raw = Arguments.toData(this, op, args);
        TensorData[] results = dispatcher.call(op, dispatcher.complete(op, raw));
        Tensor[] wrapped = new Tensor[results.length];
        for (int i = 0; i < wrapped.length; i++) {
            Tensor same = Arguments.holderOf(results[i], args);
            wrapped[i] = same == null ? wrap(results[i]) : same;
        }
        return wrapped;
    }

    @Override
    public void close() {
        session.close();
    }

    @Override
    public String toString() {
        return "dtorch.Graph with id: " + id;
    }
}
