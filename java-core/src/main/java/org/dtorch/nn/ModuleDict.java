package org.dtorch.nn;

import java.util.Map;
import org.dtorch.values.DTorchError;

/** Modules by name, in the order in which they were added; it cannot be called itself. */
public final class ModuleDict extends Module {
    public ModuleDict() {}

    public ModuleDict(Map<String, ? extends Module> modules) {
        modules.forEach(this::registerModule);
    }

    /** The module of that name; an error of kind KEY if there is none. */
    public Module get(String name) {
        Module found = ownModules().get(name);
        if (found == null) {
            throw DTorchError.key("%s", name);
        }
        return found;
    }

    /** Adds a module or replaces the one of that name. */
    public void put(String name, Module module) {
        registerModule(name, module);
    }

    public int size() {
        return ownModules().size();
    }

    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        throw DTorchError.notImplemented("Module [ModuleDict] is missing the required \"forward\" function");
    }
}
