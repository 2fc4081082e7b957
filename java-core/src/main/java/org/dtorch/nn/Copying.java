package org.dtorch.nn;

import java.util.IdentityHashMap;
import java.util.Map;
import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;

/** Copies trees of modules; a member that occurs twice is copied once. */
final class Copying {
    private final Map<Object, Object> done = new IdentityHashMap<>();

    private Copying() {}

    static Module copy(Module module) {
        return new Copying().of(module);
    }

    private Module of(Module module) {
        if (module == null || done.containsKey(module)) {
            return (Module) done.get(module);
        }
        if (module.guest() != null) {
            throw DTorchError.notImplemented(
                    "copy of %s from Java: it is written in Python, use copy.deepcopy there", module.className());
        }
        Module twin = module.bareCopy();
        done.put(module, twin);
        module.ownParameters().forEach((name, p) -> twin.registerParameter(name, (Parameter) of(p)));
        module.buffered().forEach((name, b) -> twin.registerBuffer(name, of(b.tensor()), b.persistent()));
        module.ownModules().forEach((name, child) -> twin.registerModule(name, of(child)));
        return twin;
    }

    private Tensor of(Tensor tensor) {
        if (tensor == null || done.containsKey(tensor)) {
            return (Tensor) done.get(tensor);
        }
        Tensor cloned = tensor.clone();
        Tensor twin = switch (tensor) {
            case Parameter p -> new Parameter(cloned).setRequiresGrad(p.requiresGrad());
            case Buffer b -> new Buffer(cloned, b.isPersistent());
            default -> cloned;
        };
        if (twin != cloned) {
            cloned.close();
        }
        done.put(tensor, twin);
        return twin;
    }
}
