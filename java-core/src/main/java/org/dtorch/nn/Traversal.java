package org.dtorch.nn;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.dtorch.values.DTorchError;

/** Walks over trees of modules, in PyTorch's order. */
final class Traversal {
    private Traversal() {}

    static List<Named<Module>> modules(Module root, String prefix, boolean removeDuplicate) {
        List<Named<Module>> found = new ArrayList<>();
        collect(root, prefix, removeDuplicate ? identitySet() : null, found);
        return found;
    }

    private static void collect(Module module, String path, Set<Object> seen, List<Named<Module>> found) {
        if (seen != null && !seen.add(module)) {
            return;
        }
        found.add(new Named<>(path, module));
        module.ownModules().forEach((name, child) -> {
            if (child != null) {
                collect(child, join(path, name), seen, found);
            }
        });
    }

    static List<Named<Module>> children(Module module) {
        Set<Object> seen = identitySet();
        List<Named<Module>> found = new ArrayList<>();
        module.ownModules().forEach((name, child) -> {
            if (child != null && seen.add(child)) {
                found.add(new Named<>(name, child));
            }
        });
        return found;
    }

    static <T> List<Named<T>> members(
            Module root,
            String prefix,
            boolean recurse,
            boolean removeDuplicate,
            Function<Module, Map<String, T>> ownMembers) {
        Set<Object> seen = identitySet();
        List<Named<T>> found = new ArrayList<>();
        List<Named<Module>> modules =
                recurse ? modules(root, prefix, removeDuplicate) : List.of(new Named<>(prefix, root));
        for (Named<Module> module : modules) {
            ownMembers.apply(module.value()).forEach((name, member) -> {
                if (member != null && (!removeDuplicate || seen.add(member))) {
                    found.add(new Named<>(join(module.name(), name), member));
                }
            });
        }
        return found;
    }

    static Module submodule(Module root, String target) {
        if (target.isEmpty()) {
            return root;
        }
        Module module = root;
        for (String name : target.split("\\.", -1)) {
            Module child = module.ownModules().get(name);
            if (child == null) {
                throw attribute("%s has no attribute `%s`", module.className(), name);
            }
            module = child;
        }
        return module;
    }

    static <T> T member(Module root, String target, String kind, Function<Module, Map<String, T>> ownMembers) {
        int dot = target.lastIndexOf('.');
        Module module = submodule(root, dot < 0 ? "" : target.substring(0, dot));
        String name = target.substring(dot + 1);
        T found = ownMembers.apply(module).get(name);
        if (found == null) {
            throw isOther(module, name)
                    ? attribute("`%s` is not a %s", name, kind)
                    : attribute("%s has no attribute `%s`", module.className(), name);
        }
        return found;
    }

    private static boolean isOther(Module module, String name) {
        return module.ownParameters().get(name) != null
                || module.ownBuffers().get(name) != null
                || module.ownModules().get(name) != null;
    }

    static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    private static Set<Object> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    private static DTorchError attribute(String format, Object... args) {
        return new DTorchError(DTorchError.Kind.ATTRIBUTE, format.formatted(args));
    }
}
