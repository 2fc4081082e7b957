package org.dtorch.nn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * A part of a model: parameters, buffers and other modules by name, and a computation on them.
 *
 * <p>A call runs the forward pre-hooks, {@link #redistributeInput}, {@link #forward}, {@link #redistributeOutput} and the
 * forward hooks, in this order. Calling changes nothing in a module, so that a model may be called from any number of
 * threads; changing it (loading, {@link #to}, {@link #train}, registering) is for one thread while nobody calls. Source:
 * {@code torch.nn.Module}.
 */
public abstract class Module implements Cloneable {
    private Map<String, Parameter> parameters = new LinkedHashMap<>();
    private Map<String, Buffered> buffers = new LinkedHashMap<>();
    private Map<String, Module> modules = new LinkedHashMap<>();
    private List<ForwardPreHook> preHooks = new CopyOnWriteArrayList<>();
    private List<ForwardHook> hooks = new CopyOnWriteArrayList<>();
    private volatile boolean training = true;
    private volatile GuestCallbacks guest;
    private volatile Object peer;

    /** A buffer as it is registered: any tensor, or none. */
    record Buffered(Tensor tensor, boolean persistent) {}

    /**
     * The computation, on whatever the module is called with.
     *
     * @throws DTorchError of kind TYPE if it cannot be called like this
     */
    public abstract Object forward(Object[] args, Map<String, Object> kwargs);

    /** Called before forward with its arguments; gives those that forward gets. */
    public Inputs redistributeInput(Object[] args, Map<String, Object> kwargs) {
        return new Inputs(args, kwargs);
    }

    /** Called with what forward gave; gives what the caller gets. */
    public Object redistributeOutput(Object output) {
        return output;
    }

    /** Calls the module with tensors or other objects. */
    public final Object call(Object... args) {
        return call(args, Map.of());
    }

    /** Calls a module that takes one tensor and gives one. */
    public final Tensor call(Tensor input) {
        if (call(new Object[] {input}, Map.of()) instanceof Tensor output) {
            return output;
        }
        throw DTorchError.type("%s does not give a tensor", className());
    }

    /** Calls the module. */
    public Object call(Object[] args, Map<String, Object> kwargs) {
        GuestCallbacks other = guest;
        return other != null ? other.call(args, kwargs) : callHere(args, kwargs);
    }

    private Object callHere(Object[] args, Map<String, Object> kwargs) {
        Inputs given = new Inputs(args, kwargs);
        for (ForwardPreHook hook : preHooks) {
            Inputs changed = hook.beforeForward(this, given);
            given = changed == null ? given : changed;
        }
        Inputs inputs = redistributeInput(given.args(), given.kwargs());
        Object output = redistributeOutput(forward(inputs.args(), inputs.kwargs()));
        for (ForwardHook hook : hooks) {
            Object changed = hook.afterForward(this, given, output);
            output = changed == null ? output : changed;
        }
        return output;
    }

    /** Whether a call is nothing but the three methods of this class. */
    final boolean isDirect() {
        return guest == null && preHooks.isEmpty() && hooks.isEmpty();
    }

    public final HookHandle registerForwardPreHook(ForwardPreHook hook) {
        GuestCallbacks other = guest;
        if (other != null) {
            return other.addForwardPreHook(hook);
        }
        preHooks.add(hook);
        return HookHandle.of(() -> preHooks.remove(hook));
    }

    public final HookHandle registerForwardHook(ForwardHook hook) {
        GuestCallbacks other = guest;
        if (other != null) {
            return other.addForwardHook(hook);
        }
        hooks.add(hook);
        return HookHandle.of(() -> hooks.remove(hook));
    }

    /** Lets an object of a guest language carry out the calls; {@link #forward} stays what this class computes. */
    public final void setGuest(GuestCallbacks callbacks) {
        this.guest = callbacks;
        if (callbacks != null) {
            preHooks.forEach(callbacks::addForwardPreHook);
            hooks.forEach(callbacks::addForwardHook);
            preHooks.clear();
            hooks.clear();
        }
    }

    public final GuestCallbacks guest() {
        return guest;
    }

    /** The object that stands for this module in a guest language, or null. */
    public final Object peer() {
        return peer;
    }

    public final void setPeer(Object object) {
        this.peer = object;
    }

    // --- Members

    /**
     * Adds or replaces a parameter; null reserves the name.
     *
     * @throws DTorchError of kind KEY for a name that is empty, has a dot or means something else already
     */
    public final void registerParameter(String name, Parameter parameter) {
        checkName("parameter", name, parameters.containsKey(name));
        parameters.put(name, parameter);
    }

    /**
     * Adds or replaces a buffer; null reserves the name. A buffer that is not persistent is no part of the state dict.
     *
     * @throws DTorchError of kind KEY as {@link #registerParameter}
     */
    public final void registerBuffer(String name, Tensor buffer, boolean persistent) {
        checkName("buffer", name, buffers.containsKey(name));
        buffers.put(name, new Buffered(buffer, persistent));
    }

    /**
     * Adds or replaces a child; null reserves the name.
     *
     * @throws DTorchError of kind KEY as {@link #registerParameter}
     */
    public final void registerModule(String name, Module module) {
        checkName("module", name, modules.containsKey(name));
        modules.put(name, module);
    }

    /** Registers a child and returns it, for use in field initialisers. */
    protected final <M extends Module> M child(String name, M module) {
        registerModule(name, module);
        return module;
    }

    /** Removes a parameter, buffer or child; whether there was one. */
    public final boolean unregister(String name) {
        boolean known = isRegistered(name);
        parameters.remove(name);
        buffers.remove(name);
        modules.remove(name);
        return known;
    }

    private boolean isRegistered(String name) {
        return parameters.containsKey(name) || buffers.containsKey(name) || modules.containsKey(name);
    }

    private void checkName(String kind, String name, boolean replaces) {
        if (name == null) {
            throw DTorchError.type("%s name should be a string. Got None", kind);
        }
        if (name.contains(".")) {
            throw DTorchError.key(
                    kind.equals("module")
                            ? "module name can't contain \".\", got: " + name
                            : kind + " name can't contain \".\"");
        }
        if (name.isEmpty()) {
            throw DTorchError.key(kind + " name can't be empty string \"\"");
        }
        if (!replaces && isRegistered(name)) {
            throw DTorchError.key("attribute '%s' already exists", name);
        }
    }

    /** The own parameters by name, nulls among them. */
    public final Map<String, Parameter> ownParameters() {
        return Collections.unmodifiableMap(parameters);
    }

    /** The own parameter of that name as it is now, or null. */
    protected final Parameter parameter(String name) {
        return parameters.get(name);
    }

    /** The own buffers by name, nulls among them. */
    public final Map<String, Tensor> ownBuffers() {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        buffers.forEach((name, buffer) -> tensors.put(name, buffer.tensor()));
        return tensors;
    }

    final Map<String, Buffered> buffered() {
        return buffers;
    }

    /** The children by name, nulls among them. */
    public final Map<String, Module> ownModules() {
        return Collections.unmodifiableMap(modules);
    }

    /** For containers, which number their children anew. */
    final void replaceModules(Map<String, Module> others) {
        Map<String, Module> copy = new LinkedHashMap<>(others);
        modules.clear();
        modules.putAll(copy);
    }

    /** Whether the own buffer of that name is part of the state dict. */
    public final boolean isPersistent(String buffer) {
        Buffered found = buffers.get(buffer);
        return found != null && found.persistent();
    }

    // --- Traversal

    public final List<Parameter> parameters() {
        return namedParameters("", true, true).stream().map(Named::value).toList();
    }

    public final List<Named<Parameter>> namedParameters() {
        return namedParameters("", true, true);
    }

    /** Parameters in the order of registration, own ones before those of children; shared ones once if asked for. */
    public final List<Named<Parameter>> namedParameters(String prefix, boolean recurse, boolean removeDuplicate) {
        return Traversal.members(this, prefix, recurse, removeDuplicate, module -> module.parameters);
    }

    /** Buffers, persistent or not, as {@link #namedParameters(String, boolean, boolean)}. */
    public final List<Named<Tensor>> namedBuffers(String prefix, boolean recurse, boolean removeDuplicate) {
        return Traversal.members(this, prefix, recurse, removeDuplicate, Module::ownBuffers);
    }

    /** This module and all below it. */
    public final List<Named<Module>> namedModules(String prefix, boolean removeDuplicate) {
        return Traversal.modules(this, prefix, removeDuplicate);
    }

    /** The direct children, each once. */
    public final List<Named<Module>> namedChildren() {
        return Traversal.children(this);
    }

    /** Calls {@code action} with all modules below this one, then with this one. */
    public final Module apply(Consumer<Module> action) {
        for (Named<Module> child : namedChildren()) {
            child.value().apply(action);
        }
        action.accept(this);
        return this;
    }

    /**
     * The module at a dotted path; the empty path is this module.
     *
     * @throws DTorchError of kind ATTRIBUTE if there is none
     */
    public final Module getSubmodule(String target) {
        return Traversal.submodule(this, target);
    }

    /** The parameter at a dotted path; an error of kind ATTRIBUTE if there is none. */
    public final Parameter getParameter(String target) {
        return Traversal.member(this, target, "parameter", module -> module.parameters);
    }

    /** The buffer at a dotted path; an error of kind ATTRIBUTE if there is none. */
    public final Tensor getBuffer(String target) {
        return Traversal.member(this, target, "buffer", Module::ownBuffers);
    }

    /** The mesh of the first parameter, or null if there is none. */
    public final DeviceMesh firstParamDeviceMesh() {
        List<Parameter> all = parameters();
        return all.isEmpty() ? null : all.getFirst().deviceMesh();
    }

    // --- State

    public final boolean isTraining() {
        return training;
    }

    /** Sets this flag of one module alone; {@link #train} is what users want. */
    public final void setTraining(boolean mode) {
        this.training = mode;
    }

    /** Sets the training flag of this module and all below it. */
    public final Module train(boolean mode) {
        for (Named<Module> module : namedModules("", true)) {
            module.value().training = mode;
        }
        return this;
    }

    public final Module eval() {
        return train(false);
    }

    /** Sets whether the parameters of this module and all below it are trained. */
    public final Module requiresGrad(boolean wanted) {
        parameters().forEach(p -> p.setRequiresGrad(wanted));
        return this;
    }

    /** Casts floating parameters and buffers; the objects stay the same. */
    public final Module to(DType dtype) {
        return to(dtype, null);
    }

    /**
     * Moves parameters and buffers to a mesh of the same shape, placements as they are.
     *
     * @throws DTorchError of kind KEY for a mesh of another shape: {@code redistribute} is for that
     */
    public final Module to(DeviceMesh mesh) {
        return to(null, mesh);
    }

    /** {@link #to(DType)} and {@link #to(DeviceMesh)} at once; nulls change nothing. */
    public final Module to(DType dtype, DeviceMesh mesh) {
        return replaceValues(tensor -> Conversion.convert(tensor, dtype, mesh));
    }

    /** Gives every parameter and buffer the value of another tensor; the objects stay the same. */
    public final Module replaceValues(UnaryOperator<Tensor> change) {
        List<Tensor> all = new ArrayList<>(parameters());
        namedBuffers("", true, true).forEach(buffer -> all.add(buffer.value()));
        for (Tensor tensor : all) {
            Tensor changed = change.apply(tensor);
            if (changed != tensor) {
                tensor.setData(changed);
                changed.close();
            }
        }
        return this;
    }

    /**
     * Parameters and persistent buffers by path, own ones first. The tensors share storage with the module; a partial
     * parameter is given as its sum.
     */
    public final Map<String, Tensor> stateDict() {
        return StateDict.of(this, "", false);
    }

    /**
     * @param keepVars whether parameters themselves are given instead of tensors that share their storage
     */
    public final Map<String, Tensor> stateDict(String prefix, boolean keepVars) {
        return StateDict.of(this, prefix, keepVars);
    }

    /** {@link #loadStateDict(Map, boolean, boolean)}, strict and by copying. */
    public final LoadResult loadStateDict(Map<String, ?> state) {
        return loadStateDict(state, true, false);
    }

    /**
     * Copies values into parameters and persistent buffers. Sharded ones take only their parts, block by block.
     *
     * @param state {@link Tensor} of any layout or {@link ValueSource} by path
     * @param strict whether keys that are missing or too many are an error
     * @param assign whether to take over the given tensors, their dtypes and layouts, instead of copying
     * @throws DTorchError of kind RUNTIME with PyTorch's text if something does not fit
     */
    public final LoadResult loadStateDict(Map<String, ?> state, boolean strict, boolean assign) {
        return new StateDict.Loading(state, assign).run(this, strict);
    }

    /**
     * Copies values into the own parameters and persistent buffers and leaves the children alone, for guest languages
     * that walk themselves.
     *
     * @param state values by full path, as in {@link #loadStateDict(Map, boolean, boolean)}
     * @param prefix the path of this module with a dot at its end
     */
    public final OwnLoadResult loadOwnState(Map<String, ?> state, String prefix, boolean assign) {
        return new StateDict.Loading(state, assign).runOwn(this, prefix);
    }

    /** The own part of the state dict, without prefix. */
    public final Map<String, Tensor> ownState(boolean keepVars) {
        return StateDict.own(this, keepVars);
    }

    /** A module with copies of all members; what is shared within the tree is shared within the copy. Hooks stay behind. */
    public final Module copy() {
        return Copying.copy(this);
    }

    /** A module of the same class and settings without members, hooks and guest. */
    public final Module bareCopy() {
        try {
            Module twin = (Module) clone();
            twin.parameters = new LinkedHashMap<>();
            twin.buffers = new LinkedHashMap<>();
            twin.modules = new LinkedHashMap<>();
            twin.preHooks = new CopyOnWriteArrayList<>();
            twin.hooks = new CopyOnWriteArrayList<>();
            twin.guest = null;
            twin.peer = null;
            return twin;
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    // --- Text

    /** The name in the printed form. */
    public String className() {
        return guest == null ? getClass().getSimpleName() : guest.className();
    }

    /** What stands between the brackets of the printed form, for example {@code in_features=4, out_features=2}. */
    public String extraRepr() {
        return "";
    }

    /** PyTorch's printed form: the tree of modules. */
    @Override
    public String toString() {
        return ModuleText.of(this);
    }
}
