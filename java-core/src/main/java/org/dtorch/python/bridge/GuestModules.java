package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.api.Tensor;
import org.dtorch.nn.ForwardHook;
import org.dtorch.nn.ForwardPreHook;
import org.dtorch.nn.GuestCallbacks;
import org.dtorch.nn.HookHandle;
import org.dtorch.nn.Inputs;
import org.dtorch.nn.Module;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;

/**
 * Modules whose calls Python carries out.
 *
 * <p>Tensors and modules go to Python as the Python objects that stand for them, lists and maps as lists and dicts of
 * those; what Python returns is turned back by Python itself, so that a tensor arrives as a host object.
 */
final class GuestModules {
    private final Bridge bridge;
    private final Value dispatch;
    private final Value face;

    /**
     * @param dispatch {@code (module, step, args, names, values) -> result}, results with Java objects in them
     * @param face gives the Python object for a Java tensor or module
     */
    GuestModules(Bridge bridge, Value dispatch, Value face) {
        this.bridge = bridge;
        this.dispatch = dispatch;
        this.face = face;
    }

    GuestCallbacks of(Value module) {
        return new Callbacks(module);
    }

    private final class Callbacks implements GuestCallbacks {
        private final Value module;

        Callbacks(Value module) {
            this.module = module;
        }

        private Value step(String step, Object[] args, Map<String, Object> kwargs) {
            Object[] values = kwargs.values().toArray();
            try {
                return dispatch.execute(
                        module, step, toPython(args), kwargs.keySet().toArray(), toPython(values));
            } catch (PolyglotException e) {
                throw bridge.failure(e);
            }
        }

        @Override
        public Object call(Object[] args, Map<String, Object> kwargs) {
            return toJava(step("call", args, kwargs));
        }

        @Override
        public Object forward(Object[] args, Map<String, Object> kwargs) {
            return toJava(step("forward", args, kwargs));
        }

        @Override
        public Inputs redistributeInput(Object[] args, Map<String, Object> kwargs) {
            Value result = step("redistribute_input", args, kwargs);
            List<?> positional = (List<?>) toJava(result.getArrayElement(0));
            Map<String, Object> named = new LinkedHashMap<>();
            if (toJava(result.getArrayElement(1)) instanceof Map<?, ?> map) {
                map.forEach((name, value) -> named.put((String) name, value));
            }
            return new Inputs(positional.toArray(), named);
        }

        @Override
        public Object redistributeOutput(Object output) {
            return toJava(step("redistribute_output", new Object[] {output}, Map.of()));
        }

        @Override
        public HookHandle addForwardPreHook(ForwardPreHook hook) {
            ProxyExecutable before = given -> {
                Inputs changed = hook.beforeForward(
                        (Module) toJava(given[0]), new Inputs(((List<?>) toJava(given[1])).toArray(), named(given[2])));
                return changed == null
                        ? null
                        : new Object[] {
                            toPython(changed.args()),
                            changed.kwargs().keySet().toArray(),
                            toPython(changed.kwargs().values().toArray())
                        };
            };
            return handle(step("add_pre_hook", new Object[] {before}, Map.of()));
        }

        @Override
        public HookHandle addForwardHook(ForwardHook hook) {
            ProxyExecutable after = given -> {
                Object changed = hook.afterForward(
                        (Module) toJava(given[0]),
                        new Inputs(((List<?>) toJava(given[1])).toArray(), named(given[2])),
                        toJava(given[3]));
                return changed == null ? null : toPython(changed);
            };
            return handle(step("add_hook", new Object[] {after}, Map.of()));
        }

        private HookHandle handle(Value removal) {
            return HookHandle.of(() -> removal.execute());
        }

        @Override
        public String className() {
            return step("class_name", new Object[0], Map.of()).asString();
        }

        @Override
        public String extraRepr() {
            return step("extra_repr", new Object[0], Map.of()).asString();
        }
    }

    private Object[] toPython(Object[] values) {
        Object[] converted = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            converted[i] = toPython(values[i]);
        }
        return converted;
    }

    /** The form in which Python's own code takes it: faces for tensors and modules. */
    private Object toPython(Object value) {
        return switch (value) {
            case null -> null;
            case Tensor tensor -> tensor.peer() != null ? tensor.peer() : face.execute(tensor);
            case Module module -> module.peer() != null ? module.peer() : face.execute(module);
            case Object[] array -> toPython(array);
            case List<?> list -> toPython(list.toArray());
            case Map<?, ?> map -> {
                Map<Object, Object> converted = new LinkedHashMap<>();
                map.forEach((name, item) -> converted.put(name, toPython(item)));
                yield converted;
            }
            default -> value;
        };
    }

    /** A result for Python's own code. */
    Object result(Object value) {
        return toPython(value);
    }

    /** What Python passed as a list, read into one of Java's. */
    static List<Object> taken(List<Object> values) {
        List<Object> taken = new ArrayList<>(values.size());
        for (Object value : values) {
            taken.add(value instanceof Value guest ? toJava(guest) : toJava(Value.asValue(value)));
        }
        return taken;
    }

    static Map<String, Object> named(List<String> names, List<Object> values) {
        Map<String, Object> named = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            named.put(names.get(i), values.get(i));
        }
        return named;
    }

    private static Map<String, Object> named(Value dict) {
        Map<String, Object> named = new LinkedHashMap<>();
        if (toJava(dict) instanceof Map<?, ?> map) {
            map.forEach((name, value) -> named.put((String) name, value));
        }
        return named;
    }

    /** What Python gave: numbers, texts, lists and dicts become Java's, Java objects themselves, all else stays as it is. */
    static Object toJava(Value value) {
        if (value.isNull()) {
            return null;
        }
        if (value.isHostObject()) {
            return value.asHostObject();
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        if (value.isString()) {
            return value.asString();
        }
        if (value.isNumber()) {
            return value.fitsInLong() ? (Object) value.asLong() : value.fitsInDouble() ? value.asDouble() : value;
        }
        if (value.hasArrayElements()) {
            List<Object> list = new ArrayList<>();
            for (long i = 0; i < value.getArraySize(); i++) {
                list.add(toJava(value.getArrayElement(i)));
            }
            return list;
        }
        if (value.hasHashEntries()) {
            Map<Object, Object> map = new LinkedHashMap<>();
            Value keys = value.getHashKeysIterator();
            while (keys.hasIteratorNextElement()) {
                Value key = keys.getIteratorNextElement();
                map.put(toJava(key), toJava(value.getHashValue(key)));
            }
            return map;
        }
        return value;
    }
}
