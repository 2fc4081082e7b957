package org.dtorch.nn;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.api.Tensor;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** The values of a module by path. Source of order and texts: {@code torch.nn.Module.state_dict, load_state_dict}. */
final class StateDict {
    private StateDict() {}

    static Map<String, Tensor> of(Module module, String prefix, boolean keepVars) {
        Map<String, Tensor> state = new LinkedHashMap<>();
        collect(module, prefix, keepVars, state);
        return state;
    }

    private static void collect(Module module, String prefix, boolean keepVars, Map<String, Tensor> state) {
        own(module, keepVars).forEach((name, tensor) -> state.put(prefix + name, tensor));
        module.ownModules().forEach((name, child) -> {
            if (child != null) {
                collect(child, prefix + name + ".", keepVars, state);
            }
        });
    }

    static Map<String, Tensor> own(Module module, boolean keepVars) {
        Map<String, Tensor> state = own(module);
        if (!keepVars) {
            state.replaceAll((name, tensor) -> value(tensor));
        }
        return state;
    }

    /** Parameters and persistent buffers of one module. */
    private static Map<String, Tensor> own(Module module) {
        Map<String, Tensor> own = new LinkedHashMap<>();
        module.ownParameters().forEach((name, parameter) -> {
            if (parameter != null) {
                own.put(name, parameter);
            }
        });
        module.buffered().forEach((name, buffer) -> {
            if (buffer.tensor() != null && buffer.persistent()) {
                own.put(name, buffer.tensor());
            }
        });
        return own;
    }

    /** A tensor on the same storage; a partial one is summed. */
    private static Tensor value(Tensor tensor) {
        return tensor.redistribute(whole(tensor.layout()));
    }

    /** The layout with what is partial replicated. */
    static Layout whole(Layout layout) {
        Layout whole = layout;
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (layout.placement(m).isPartial()) {
                whole = whole.with(m, Placement.replicate());
            }
        }
        return whole;
    }

    /** One loading of a state dict. */
    static final class Loading {
        private final Map<String, ?> state;
        private final boolean assign;
        private final List<String> missing = new ArrayList<>();
        private final List<String> unexpected = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();

        Loading(Map<String, ?> state, boolean assign) {
            this.state = state;
            this.assign = assign;
        }

        LoadResult run(Module root, boolean strict) {
            load(root, "");
            List<String> messages = new ArrayList<>();
            if (strict && !missing.isEmpty()) {
                messages.add("Missing key(s) in state_dict: " + quoted(missing) + ". ");
            }
            if (strict && !unexpected.isEmpty()) {
                messages.add("Unexpected key(s) in state_dict: " + quoted(unexpected) + ". ");
            }
            messages.addAll(errors);
            if (!messages.isEmpty()) {
                throw DTorchError.runtime("Error(s) in loading state_dict for " + root.className() + ":\n\t"
                        + String.join("\n\t", messages));
            }
            return new LoadResult(List.copyOf(missing), List.copyOf(unexpected));
        }

        /** Loads one module without its children; nothing is an error here. */
        OwnLoadResult runOwn(Module module, String prefix) {
            loadOwn(module, prefix);
            return new OwnLoadResult(List.copyOf(missing), List.copyOf(unexpected), List.copyOf(errors));
        }

        private static String quoted(List<String> keys) {
            return "\"" + String.join("\", \"", keys) + "\"";
        }

        private void load(Module module, String prefix) {
            loadOwn(module, prefix);
            module.ownModules().forEach((name, child) -> {
                if (child != null) {
                    load(child, prefix + name + ".");
                }
            });
        }

        private void loadOwn(Module module, String prefix) {
            Map<String, Tensor> own = own(module);
            own.forEach((name, tensor) -> {
                String key = prefix + name;
                if (state.containsKey(key)) {
                    take(key, tensor, state.get(key));
                } else {
                    missing.add(key);
                }
            });
            for (String key : state.keySet()) {
                if (key.startsWith(prefix)) {
                    String rest = key.substring(prefix.length());
                    int dot = rest.indexOf('.');
                    boolean known = dot < 0
                            ? own.containsKey(rest)
                            : module.ownModules().containsKey(rest.substring(0, dot));
                    if (!known) {
                        unexpected.add(key);
                    }
                }
            }
        }

        private void take(String key, Tensor target, Object value) {
            Shape shape = value instanceof Tensor t ? t.shape() : value instanceof ValueSource s ? s.shape() : null;
            if (shape == null) {
                errors.add(("While copying the parameter named \"%s\", expected torch.Tensor or Tensor-like object from"
                                + " checkpoint but received %s")
                        .formatted(
                                key, value == null ? "None" : value.getClass().getSimpleName()));
                return;
            }
            boolean scalar = target.dim() == 0 && shape.rank() == 1 && shape.size(0) == 1;
            if (!shape.equals(target.shape()) && !scalar) {
                errors.add(
                        ("size mismatch for %s: copying a param with shape torch.Size(%s) from checkpoint, the shape in"
                                        + " current model is torch.Size(%s).")
                                .formatted(key, shape, target.shape()));
                return;
            }
            try {
                if (value instanceof Tensor tensor && assign && !scalar) {
                    target.setData(tensor);
                } else {
                    ShardLoading.copy(value, target, assign);
                }
            } catch (DTorchError e) {
                errors.add(("While copying the parameter named \"%s\", whose dimensions in the model are torch.Size(%s)"
                                + " and whose dimensions in the checkpoint are torch.Size(%s), an exception occurred :"
                                + " ('%s',).")
                        .formatted(key, target.shape(), shape, e.getMessage()));
            }
        }
    }
}
