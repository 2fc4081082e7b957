package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.dtorch.api.Tensor;
import org.dtorch.checkpoint.SafetensorsFile;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.nn.Buffer;
import org.dtorch.nn.GuestModule;
import org.dtorch.nn.Layer;
import org.dtorch.nn.Linear;
import org.dtorch.nn.Module;
import org.dtorch.nn.Named;
import org.dtorch.nn.OwnLoadResult;
import org.dtorch.nn.Parameter;
import org.dtorch.nn.ValueSource;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/** What Python's {@code dtorch.nn} asks of modules; it is {@code bridge.modules()} there. */
public final class ModuleCalls {
    private final Bridge bridge;
    private GuestModules guests;

    ModuleCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    /** See {@link GuestModules}. */
    @HostAccess.Export
    public void setGuestDispatch(Value dispatch, Value face) {
        guests = new GuestModules(bridge, dispatch, face);
    }

    /** See {@link Bridge#python}; the package {@code dtorch.nn} must have been imported. */
    Value face(Module module) {
        if (guests == null) {
            throw DTorchError.runtime("import dtorch.nn in Python before handing modules to it");
        }
        return Value.asValue(guests.result(module));
    }

    // --- calls

    /** The whole call of a layer. */
    @HostAccess.Export
    public Tensor call(Object layer, Object input) {
        try {
            return ((Layer) layer).call((Tensor) input);
        } catch (Throwable failure) {
            throw bridge.failure(failure);
        }
    }

    @HostAccess.Export
    public Tensor forward(Object layer, Object input) {
        try {
            return ((Layer) layer).forward((Tensor) input);
        } catch (Throwable failure) {
            throw bridge.failure(failure);
        }
    }

    /** The call of any module of Java's, with whatever it takes. */
    @HostAccess.Export
    public Object callAny(Object module, List<Object> args, List<String> names, List<Object> values) {
        return guarded(() -> guests.result(((Module) module)
                .call(GuestModules.taken(args).toArray(), GuestModules.named(names, GuestModules.taken(values)))));
    }

    @HostAccess.Export
    public Tensor redistributeInput(Object layer, Object input) {
        return guarded(() -> ((Layer) layer).redistributeInput((Tensor) input));
    }

    @HostAccess.Export
    public Tensor redistributeOutput(Object layer, Object output) {
        return guarded(() -> ((Layer) layer).redistributeOutput((Tensor) output));
    }

    @HostAccess.Export
    public Tensor linearRedistributeInput(Object linear, Object input, Object placement) {
        return guarded(() -> ((Linear) linear).redistributeInput((Tensor) input, (Placement) placement));
    }

    @HostAccess.Export
    public Tensor linearRedistributeOutput(Object linear, Object output, Object placement) {
        return guarded(() -> ((Linear) linear).redistributeOutput((Tensor) output, (Placement) placement));
    }

    // --- tensors of modules

    @HostAccess.Export
    public Parameter parameter(Object value, boolean requiresGrad) {
        return guarded(() -> new Parameter((Tensor) value).setRequiresGrad(requiresGrad));
    }

    @HostAccess.Export
    public Buffer buffer(Object value, boolean persistent) {
        return guarded(() -> new Buffer((Tensor) value, persistent));
    }

    @HostAccess.Export
    public boolean requiresGrad(Object parameter) {
        return ((Parameter) parameter).requiresGrad();
    }

    @HostAccess.Export
    public void setRequiresGrad(Object parameter, boolean wanted) {
        ((Parameter) parameter).setRequiresGrad(wanted);
    }

    @HostAccess.Export
    public boolean isPersistent(Object buffer) {
        return ((Buffer) buffer).isPersistent();
    }

    /** {@code parameter}, {@code buffer}, {@code tensor} or {@code module}; for modules the class's name follows a dot. */
    @HostAccess.Export
    public String kind(Object object) {
        return switch (object) {
            case Parameter p -> "parameter";
            case Buffer b -> "buffer";
            case Tensor t -> "tensor";
            case Module m -> "module." + m.getClass().getSimpleName();
            default -> throw new IllegalArgumentException("neither tensor nor module: " + object);
        };
    }

    @HostAccess.Export
    public Object tensorPeer(Object tensor) {
        return ((Tensor) tensor).peer();
    }

    @HostAccess.Export
    public void setTensorPeer(Object tensor, Value peer) {
        ((Tensor) tensor).setPeer(peer);
    }

    @HostAccess.Export
    public Object modulePeer(Object module) {
        return ((Module) module).peer();
    }

    @HostAccess.Export
    public void setModulePeer(Object module, Value peer) {
        ((Module) module).setPeer(peer);
    }

    // --- members

    @HostAccess.Export
    public Module guestModule() {
        return new GuestModule();
    }

    /** Lets a Python object carry out the calls of a module; None gives them back to Java. */
    @HostAccess.Export
    public void setGuest(Object module, Value guest) {
        ((Module) module).setGuest(guest == null || guest.isNull() ? null : guests.of(guest));
    }

    @HostAccess.Export
    public boolean hasGuest(Object module) {
        return ((Module) module).guest() != null;
    }

    @HostAccess.Export
    public void registerParameter(Object module, String name, Object parameter) {
        guarded(() -> ((Module) module).registerParameter(name, (Parameter) parameter));
    }

    @HostAccess.Export
    public void registerBuffer(Object module, String name, Object buffer, boolean persistent) {
        guarded(() -> ((Module) module).registerBuffer(name, (Tensor) buffer, persistent));
    }

    @HostAccess.Export
    public void registerModule(Object module, String name, Object child) {
        guarded(() -> ((Module) module).registerModule(name, (Module) child));
    }

    @HostAccess.Export
    public void unregister(Object module, String name) {
        ((Module) module).unregister(name);
    }

    /** Names and parameters in turns, as all lists of this class. */
    @HostAccess.Export
    public Object[] ownParameters(Object module) {
        return flat(((Module) module).ownParameters());
    }

    @HostAccess.Export
    public Object[] ownBuffers(Object module) {
        return flat(((Module) module).ownBuffers());
    }

    @HostAccess.Export
    public Object[] ownModules(Object module) {
        return flat(((Module) module).ownModules());
    }

    @HostAccess.Export
    public boolean isPersistentBuffer(Object module, String name) {
        return ((Module) module).isPersistent(name);
    }

    @HostAccess.Export
    public Object[] namedParameters(Object module, String prefix, boolean recurse, boolean removeDuplicate) {
        return flat(((Module) module).namedParameters(prefix, recurse, removeDuplicate));
    }

    @HostAccess.Export
    public Object[] namedBuffers(Object module, String prefix, boolean recurse, boolean removeDuplicate) {
        return flat(((Module) module).namedBuffers(prefix, recurse, removeDuplicate));
    }

    // --- state

    @HostAccess.Export
    public boolean isTraining(Object module) {
        return ((Module) module).isTraining();
    }

    @HostAccess.Export
    public void setTraining(Object module, boolean mode) {
        ((Module) module).setTraining(mode);
    }

    @HostAccess.Export
    public void convert(Object module, Object dtype, Object mesh) {
        guarded(() -> ((Module) module).to((DType) dtype, (DeviceMesh) mesh));
    }

    @HostAccess.Export
    public Object[] ownState(Object module, boolean keepVars) {
        return guarded(() -> flat(((Module) module).ownState(keepVars)));
    }

    /**
     * Loads one module without its children.
     *
     * @param values tensors, {@link ValueSource}s or entries of checkpoint files
     * @return missing keys, unexpected keys and errors, three lists
     */
    @HostAccess.Export
    public Object[] loadOwnState(Object module, String prefix, List<String> keys, List<Object> values, boolean assign) {
        return guarded(() -> {
            Map<String, Object> state = new LinkedHashMap<>();
            for (int i = 0; i < keys.size(); i++) {
                state.put(keys.get(i), source(values.get(i)));
            }
            OwnLoadResult result = ((Module) module).loadOwnState(state, prefix, assign);
            return new Object[] {
                result.missingKeys().toArray(),
                result.unexpectedKeys().toArray(),
                result.errors().toArray()
            };
        });
    }

    private static Object source(Object value) {
        return value instanceof SafetensorsFile.Entry entry
                ? ValueSource.of(entry.shape(), entry.dtype(), entry::copyPart)
                : value;
    }

    @HostAccess.Export
    public Module bareCopy(Object module) {
        return guarded(() -> ((Module) module).bareCopy());
    }

    @HostAccess.Export
    public String extraRepr(Object module) {
        return ((Module) module).extraRepr();
    }

    // --- helpers

    private static Object[] flat(Map<String, ?> members) {
        List<Object> flat = new ArrayList<>(2 * members.size());
        members.forEach((name, member) -> {
            flat.add(name);
            flat.add(face(member));
        });
        return flat.toArray();
    }

    private static <T> Object[] flat(List<Named<T>> members) {
        Object[] flat = new Object[2 * members.size()];
        for (int i = 0; i < members.size(); i++) {
            flat[2 * i] = members.get(i).name();
            flat[2 * i + 1] = face(members.get(i).value());
        }
        return flat;
    }

    /** The Python object where there is one. */
    private static Object face(Object member) {
        Object peer = switch (member) {
            case Tensor tensor -> tensor.peer();
            case Module module -> module.peer();
            case null, default -> null;
        };
        return peer == null ? member : peer;
    }

    private <T> T guarded(Supplier<T> action) {
        try {
            return action.get();
        } catch (Throwable failure) {
            throw bridge.failure(failure);
        }
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable failure) {
            throw bridge.failure(failure);
        }
    }
}
