package org.dtorch.nn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.values.DTorchError;

/** A container whose children are called 0, 1, 2, ... unless it was given names. */
abstract class Children extends Module implements Iterable<Module> {
    public final int size() {
        return ownModules().size();
    }

    /** The child at an index in [-size, size); an error of kind INDEX for one out of range. */
    public final Module get(int index) {
        return list().get(wrap(index));
    }

    /** Puts another module in a child's place, under the same name. */
    public final void set(int index, Module module) {
        registerModule(names().get(wrap(index)), module);
    }

    /** Adds a child at the end. */
    public final void add(Module module) {
        registerModule(Integer.toString(size()), module);
    }

    /** Adds a child before another; all are numbered anew. */
    public final void insert(int index, Module module) {
        List<Module> modules = list();
        if (index < -modules.size() || index > modules.size()) {
            throw DTorchError.index("Index out of range: %d", index);
        }
        modules.add(index < 0 ? index + modules.size() : index, module);
        setAll(modules);
    }

    /** Removes the children at these indices; those that remain are numbered anew. */
    public final void remove(int... indices) {
        List<Module> modules = list();
        for (int index : indices) {
            modules.set(wrap(index), null);
        }
        modules.removeIf(module -> module == null);
        setAll(modules);
    }

    /** The children in order, in a list of its own. */
    public final List<Module> list() {
        return new ArrayList<>(ownModules().values());
    }

    final List<String> names() {
        return new ArrayList<>(ownModules().keySet());
    }

    /** Replaces all children. */
    public final void setAll(List<Module> modules) {
        Map<String, Module> numbered = new LinkedHashMap<>();
        for (Module module : modules) {
            numbered.put(Integer.toString(numbered.size()), module);
        }
        replaceModules(numbered);
    }

    private int wrap(int index) {
        int size = size();
        if (index < -size || index >= size) {
            throw DTorchError.index("index %d is out of range", index);
        }
        return index < 0 ? index + size : index;
    }

    @Override
    public final Iterator<Module> iterator() {
        return list().iterator();
    }
}
