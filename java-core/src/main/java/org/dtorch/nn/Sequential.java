package org.dtorch.nn;

import java.util.List;
import java.util.Map;
import org.dtorch.values.DTorchError;

/** Calls its children one after the other, each with what the one before gave. */
public final class Sequential extends Children {
    public Sequential(Module... modules) {
        setAll(List.of(modules));
    }

    /** Children by name, in the map's order. */
    public Sequential(Map<String, Module> modules) {
        modules.forEach(this::registerModule);
    }

    /** The children in [begin, end), under their names. */
    public Sequential slice(int begin, int end) {
        Sequential part = new Sequential();
        List<String> names = names();
        for (int i = begin; i < end; i++) {
            part.registerModule(names.get(i), get(i));
        }
        return part;
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        Object value = args.length == 1 && kwargs.isEmpty() ? args[0] : kwargs.get("input");
        if (args.length + kwargs.size() != 1 || value == null) {
            throw DTorchError.type(
                    "%s takes one argument, input; got %d positional arguments and keywords %s",
                    className(), args.length, kwargs.keySet());
        }
        for (Module module : ownModules().values()) {
            value = module.call(new Object[] {value}, Map.of());
        }
        return value;
    }
}
