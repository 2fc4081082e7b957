package org.dtorch.op.gen;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.op.Op;
import org.dtorch.op.Spelling;

/**
 * The Python module of the operators: one function of fixed arity for each spelling, which makes one Java call.
 *
 * <p>A function is a line of the module's tables and becomes code when it is first asked for, since compiling hundreds of
 * functions would be most of the time of {@code import dtorch}. A line holds, parted by tabs: name, operator, parameters,
 * expression or statements, and what the arguments must be.
 */
final class PythonFunctions {
    private PythonFunctions() {}

    static String module(Collection<Op> ops) {
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (String namespace : List.of("dtorch", "nn.functional", "linalg", Spelling.TENSOR)) {
            lines.put(namespace, new ArrayList<>());
        }
        StringBuilder docs = new StringBuilder();
        for (Op op : ops) {
            docs.append(op.name()).append('\t').append(op.doc()).append('\n');
            for (Spelling spelling : op.spellings()) {
                lines.get(spelling.namespace()).add(new PythonFunction(op, spelling).line());
            }
        }
        StringBuilder tables = new StringBuilder("_TABLES = {\n");
        lines.forEach((namespace, list) -> tables.append("    \"")
                .append(namespace)
                .append("\": r'''\n")
                .append(String.join("\n", list))
                .append("\n''',\n"));
        tables.append("}\n\n_DOCS = r'''\n").append(docs).append("'''\n");
        return PythonSources.HEAD + "\n\n" + tables + "\n\n" + PythonSources.MACHINERY;
    }
}
