package org.dtorch.nn;

import java.util.List;
import java.util.Map;
import org.dtorch.values.DTorchError;

/** A list of modules, which are registered; it cannot be called itself. */
public final class ModuleList extends Children {
    public ModuleList(Module... modules) {
        setAll(List.of(modules));
    }

    public ModuleList(List<Module> modules) {
        setAll(modules);
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        throw DTorchError.notImplemented("Module [ModuleList] is missing the required \"forward\" function");
    }

    @Override
    public String toString() {
        return ModuleText.ofList(this);
    }
}
