package org.dtorch.nn;

import java.util.ArrayList;
import java.util.List;

/** The printed form of modules. Source: {@code torch.nn.Module.__repr__} and {@code ModuleList.__repr__}. */
final class ModuleText {
    private ModuleText() {}

    static String of(Module module) {
        String extra = module.extraRepr();
        List<String> lines = new ArrayList<>();
        module.ownModules().forEach((name, child) -> lines.add("(" + name + "): " + indented(String.valueOf(child))));
        if (lines.isEmpty()) {
            return extra.contains("\n")
                    ? module.className() + "(\n  " + extra.replace("\n", "\n  ") + "\n)"
                    : module.className() + "(" + extra + ")";
        }
        if (!extra.isEmpty()) {
            lines.addAll(0, extra.lines().toList());
        }
        return module.className() + "(\n  " + String.join("\n  ", lines) + "\n)";
    }

    /** The form of a list: equal neighbours stand on one line with their number. */
    static String ofList(Module list) {
        List<Module> modules = new ArrayList<>(list.ownModules().values());
        if (modules.isEmpty()) {
            return list.className() + "()";
        }
        List<String> lines = new ArrayList<>();
        for (int first = 0; first < modules.size(); ) {
            String text = String.valueOf(modules.get(first));
            int last = first;
            while (last + 1 < modules.size()
                    && String.valueOf(modules.get(last + 1)).equals(text)) {
                last++;
            }
            lines.add(indented(
                    last == first
                            ? "(%d): %s".formatted(first, text)
                            : "(%d-%d): %d x %s".formatted(first, last, last - first + 1, text)));
            first = last + 1;
        }
        return list.className() + "(\n  " + String.join("\n  ", lines) + "\n)";
    }

    private static String indented(String text) {
        return text.replace("\n", "\n  ");
    }
}
