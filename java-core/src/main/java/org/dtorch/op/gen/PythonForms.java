package org.dtorch.op.gen;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.dtorch.op.Op;
import org.dtorch.op.Spelling;

/**
 * Writes {@code dtorch/_generated.py}: what Python needs to make the function of each spelling of each row.
 *
 * <p>Functions that differ only in the operator that they call share one <em>form</em>, a Python function that makes them;
 * so little has to be loaded, and what the JIT learns about one operator serves the others of its form. The tables say
 * for each name which form, which row numbers and which docstring it has. Names that several rows share have a list of
 * such entries, told apart by their arguments at the call.
 */
final class PythonForms {
    private static final String HEAD = """
            \"\"\"Functions and methods of dtorch, written from the operator table; not to be edited.

            A form makes a function from the numbers of the rows that it calls. A table holds, for each name, form, numbers
            and docstring; where several rows share a name, a list of these with what tells their arguments apart.
            \"\"\"

            from dtorch._call import *
            from dtorch._tensor import Tensor
            """;

    private final Map<String, Integer> ids = new LinkedHashMap<>();
    private final Map<String, Integer> forms = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> tables = new LinkedHashMap<>();

    private PythonForms() {}

    /** The text of the module. */
    static String source(Collection<Op> table) {
        return new PythonForms().write(table);
    }

    private String write(Collection<Op> table) {
        for (Op op : table) {
            ids.put(op.name(), ids.size());
        }
        Map<String, List<PythonForm>> byName = new LinkedHashMap<>();
        for (Op op : table) {
            for (Spelling spelling : op.spellings()) {
                if (!spelling.isOperator()) {
                    byName.computeIfAbsent(spelling.namespace() + ":" + spelling.name(), k -> new ArrayList<>())
                            .add(new PythonForm(op, spelling, ids));
                }
            }
        }
        byName.values().forEach(this::enter);
        StringBuilder out = new StringBuilder(HEAD);
        forms.forEach((body, number) -> out.append("\n\ndef _form%d(a, b=None):\n    def f".formatted(number))
                .append(body.replace("\n", "\n    ").stripTrailing())
                .append("\n\n    return f\n"));
        tables.forEach((namespace, names) -> {
            out.append("\n").append(constant(namespace)).append(" = {\n");
            names.forEach((name, entry) -> out.append("    \"%s\": %s,\n".formatted(name, entry)));
            out.append("}\n");
        });
        // Which table the numbers are of.
        return out.append("\nNAMES = \"")
                .append(String.join(" ", ids.keySet()))
                .append("\"\n")
                .toString();
    }

    private static String constant(String namespace) {
        return switch (namespace) {
            case "dtorch" -> "FUNCTIONS";
            case Spelling.TENSOR -> "METHODS";
            case "nn.functional" -> "FUNCTIONAL";
            default -> namespace.toUpperCase(java.util.Locale.ROOT).replace('.', '_');
        };
    }

    private void enter(List<PythonForm> sameName) {
        PythonForm first = sameName.getFirst();
        String entry = sameName.size() == 1
                ? entry(first, "")
                : sameName.stream().map(f -> entry(f, ", " + f.kinds())).collect(Collectors.joining(", ", "[", "]"));
        tables.computeIfAbsent(first.spelling().namespace(), k -> new LinkedHashMap<>())
                .put(first.spelling().name(), entry);
    }

    private String entry(PythonForm function, String kinds) {
        int form = forms.computeIfAbsent(function.body(), k -> forms.size());
        return "(_form%d, %s, \"%s\"%s)".formatted(form, function.numbers(), function.doc(), kinds);
    }
}
