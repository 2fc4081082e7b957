package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.dtorch.api.DTorch;
import org.dtorch.nn.Module;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/**
 * What one Python interpreter sees of dtorch: the package {@code dtorch} finds it as {@code _dtorch.bridge}.
 *
 * <p>Its parts have public methods of fixed arity that are not overloaded; Python looks each up once and calls it with
 * positional arguments. Tensors, dtypes, meshes, placements and graphs pass through Python as they are; what Python
 * shows in their place is made once for each value.
 */
public final class Bridge implements AutoCloseable {
    private final Supplier<DTorch> open;
    private final Guest guest;
    private final List<DTorch> graphs = new ArrayList<>();
    private DTorch graph;

    private final OpCalls ops;
    private final TensorCalls tensors;
    private final IndexCalls indexing;
    private final MeshCalls meshes;
    private final GraphCalls graphCalls;
    private final FileCalls files;
    private final ModuleCalls modules;
    private final LayerCalls layers;

    /**
     * @param open opens a graph: for the default one when it is first needed, and for each {@code Graph()}
     * @param failures gives what a method that Python calls throws in place of an error
     */
    public Bridge(Supplier<DTorch> open, Function<Throwable, RuntimeException> failures) {
        this.open = open;
        this.guest = new Guest(failures);
        this.ops = new OpCalls(this);
        this.tensors = new TensorCalls(this);
        this.indexing = new IndexCalls(this);
        this.meshes = new MeshCalls(this);
        this.graphCalls = new GraphCalls(this);
        this.files = new FileCalls(this);
        this.modules = new ModuleCalls(this);
        this.layers = new LayerCalls(this);
    }

    /** The default graph. */
    public synchronized DTorch graph() {
        if (graph == null) {
            graph = opened();
        }
        return graph;
    }

    synchronized DTorch opened() {
        DTorch made = open.get();
        graphs.add(made);
        return made;
    }

    Guest guest() {
        return guest;
    }

    RuntimeException failure(Throwable failure) {
        return guest.failure(failure);
    }

    @HostAccess.Export
    public OpCalls ops() {
        return ops;
    }

    @HostAccess.Export
    public TensorCalls tensors() {
        return tensors;
    }

    @HostAccess.Export
    public IndexCalls indexing() {
        return indexing;
    }

    @HostAccess.Export
    public MeshCalls meshes() {
        return meshes;
    }

    @HostAccess.Export
    public GraphCalls graphs() {
        return graphCalls;
    }

    @HostAccess.Export
    public FileCalls files() {
        return files;
    }

    @HostAccess.Export
    public ModuleCalls modules() {
        return modules;
    }

    @HostAccess.Export
    public LayerCalls layers() {
        return layers;
    }

    /**
     * The Java module for which a Python {@code nn.Module} stands; calling it calls the Python object.
     *
     * @throws DTorchError of kind TYPE if it is no module
     */
    public static Module module(Value object) {
        Value found = object.hasMember("_j") ? object.getMember("_j") : null;
        if (found != null && found.isHostObject() && found.asHostObject() instanceof Module module) {
            return module;
        }
        throw DTorchError.type("%s is not a module", object);
    }

    /**
     * The Python object that stands for a Java module, for handing it to Python code.
     */
    public Value python(Module module) {
        return modules.face(module);
    }

    /** Takes the Python function that makes what stands for a Java value: size, placements, mesh or graph. */
    @HostAccess.Export
    public void attach(String kind, Value maker) {
        guest.attach(kind, maker);
    }

    /** The dtype of that name, for which {@code object} stands from now on. */
    @HostAccess.Export
    public DType attachDtype(String name, Value object) {
        DType dtype = DType.of(name);
        guest.attach(dtype, object);
        return dtype;
    }

    /** The version of the product. */
    @HostAccess.Export
    public String version() {
        String version = Bridge.class.getPackage().getImplementationVersion();
        return version == null ? "0.1.0" : version;
    }

    /** Closes all graphs. */
    @Override
    public synchronized void close() {
        graphs.forEach(DTorch::close);
        graphs.clear();
        graph = null;
    }
}
