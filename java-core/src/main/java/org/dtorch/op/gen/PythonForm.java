package org.dtorch.op.gen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.dtorch.op.Op;
import org.dtorch.op.OpKind;
import org.dtorch.op.Param;
import org.dtorch.op.Schema;
import org.dtorch.op.Spelling;

/**
 * The Python function of one spelling of a row, without its name: {@code a} stands for the row's number, {@code b} for
 * that of its in-place form. The receiver of a method is called input, as in the function.
 */
final class PythonForm {
    private static final int FIXED_ARITY = 8;
    private static final String RECEIVER = "input";

    /** Options of creation in Python, by keyword only. */
    private static final List<String> OPTIONS = List.of(
            "dtype=None", "device=None", "device_mesh=None", "placements=None", "graph=None", "requires_grad=False");

    private final Op op;
    private final Schema schema;
    private final Spelling spelling;
    private final Map<String, Integer> ids;
    private final int[] indices;
    private final List<String> signature = new ArrayList<>();
    private final StringBuilder statements = new StringBuilder();
    private final Map<Integer, String> values = new TreeMap<>();
    private boolean keywordsOnly;
    private boolean missing;
    private String varargs;
    private Integer inPlace;

    PythonForm(Op op, Spelling spelling, Map<String, Integer> ids) {
        this.op = op;
        this.schema = op.schema();
        this.spelling = spelling;
        this.ids = ids;
        this.indices = spelling.schemaIndices(schema);
        if (spelling.isMethod()) {
            signature.add(RECEIVER);
            values.put(schema.receiver(), tensor(RECEIVER));
        }
        for (int i = 0; i < indices.length; i++) {
            declare(spelling.params().get(i), indices[i]);
        }
        addAliases();
    }

    Spelling spelling() {
        return spelling;
    }

    /** Parameters, colon and statements. */
    String body() {
        StringBuilder text =
                new StringBuilder("(").append(String.join(", ", signature)).append("):\n");
        String result = result();
        statements
                .append(result)
                .toString()
                .lines()
                .forEach(line -> text.append("    ").append(line).append('\n'));
        statements.setLength(statements.length() - result.length());
        return text.toString();
    }

    /** What a and b stand for. */
    String numbers() {
        return inPlace == null ? "(" + ids.get(op.name()) + ",)" : "(" + ids.get(op.name()) + ", " + inPlace + ")";
    }

    String doc() {
        return op.doc().replace("\"", "'");
    }

    /** Names, type and whether it must be given, of every parameter. */
    String kinds() {
        List<String> kinds = new ArrayList<>();
        if (spelling.isMethod()) {
            kinds.add("((\"input\",), \"Tensor\", True)");
        }
        for (int i = 0; i < indices.length; i++) {
            Spelling.Parameter p = spelling.params().get(i);
            if (p.name().equals("options")) {
                OPTIONS.forEach(o -> kinds.add("((\"" + o.substring(0, o.indexOf('=')) + "\",), \"any?\", False)"));
                continue;
            }
            Param param = indices[i] < 0 ? null : schema.params().get(indices[i]);
            List<String> names = new ArrayList<>(List.of(p.name()));
            names.addAll(p.aliases());
            kinds.add("((%s,), \"%s\", %s)"
                    .formatted(
                            names.stream().map(n -> '"' + n + '"').collect(Collectors.joining(", ")),
                            param == null ? "bool" : param.type().spelling() + (param.optional() ? "?" : ""),
                            p.fallback() == null ? "True" : "False"));
        }
        return "(" + String.join(", ", kinds) + ",)";
    }

    private void declare(Spelling.Parameter p, int index) {
        String name = p.name();
        if (p.varargs()) {
            signature.add("*" + name + "_");
            signature.add(name + "=None");
            keywordsOnly = true;
            varargs = name + "_";
        } else if (p.keywordOnly() || name.equals("options")) {
            keywordsOnly();
        }
        if (name.equals("options")) {
            signature.addAll(OPTIONS);
            values.put(index, "options(dtype, device, device_mesh, placements, graph, requires_grad)");
        } else if (!p.varargs()) {
            String fallback = p.fallback();
            if (fallback == null && !p.aliases().isEmpty() && !keywordsOnly) {
                missing = true;
            }
            signature.add(name + (fallback != null ? "=" + fallback : missing ? "=MISSING" : ""));
            if (index < 0) {
                branchInPlace();
            }
        }
        if (index >= 0 && !name.equals("options")) {
            values.put(index, value(schema.params().get(index), p));
        }
    }

    private void keywordsOnly() {
        if (!keywordsOnly) {
            signature.add("*");
            keywordsOnly = true;
        }
    }

    /** Other names are taken by keyword: {@code cat(inputs=...)}. */
    private void addAliases() {
        StringBuilder before = new StringBuilder();
        for (Spelling.Parameter p : spelling.params()) {
            for (String alias : p.aliases()) {
                keywordsOnly();
                signature.add(alias + (p.fallback() == null ? "=MISSING" : "=" + p.fallback()));
                before.append(
                        p.fallback() == null
                                ? "if %1$s is MISSING:\n    %1$s = given(\"%3$s\", \"%1$s\", %2$s)\n"
                                        .formatted(p.name(), alias, spelling.name())
                                : "if %2$s is not %3$s:\n    %1$s = %2$s\n".formatted(p.name(), alias, p.fallback()));
            }
            if (missing && p.fallback() == null && p.aliases().isEmpty() && signature.contains(p.name() + "=MISSING")) {
                before.append("if %1$s is MISSING:\n    given(\"%2$s\", \"%1$s\", MISSING)\n"
                        .formatted(p.name(), spelling.name()));
            }
        }
        statements.insert(0, before);
    }

    private void branchInPlace() {
        Op form = op.inPlace();
        inPlace = ids.get(form == null ? op.name() + "_" : form.name());
        if (inPlace == null) {
            statements.append(
                    "if inplace:\n    raise NotImplementedError(\"%s(inplace=True)\")\n".formatted(spelling.name()));
            return;
        }
        List<String> args = new ArrayList<>();
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] >= 0) {
                args.add(
                        value(schema.params().get(indices[i]), spelling.params().get(i)));
            }
        }
        statements.append("if inplace:\n    call%d(b, %s)\n    return %s\n"
                .formatted(
                        args.size(),
                        String.join(", ", args),
                        spelling.params().getFirst().name()));
    }

    private static String tensor(String name) {
        return "%1$s._j if isinstance(%1$s, Tensor) else %1$s".formatted(name);
    }

    private static String value(Param param, Spelling.Parameter p) {
        String name = p.name();
        return switch (param.type()) {
            case TENSOR, OPERAND -> tensor(name);
            case TENSORS, OPTIONAL_TENSORS ->
                p.varargs() ? "tensor_array(listed(%1$s_, %1$s))".formatted(name) : "tensor_array(%s)".formatted(name);
            case INTS -> p.varargs() ? name + "_" : "ints(%s)".formatted(name);
            case DTYPE -> "dtype_of(%s)".formatted(name);
            case GENERATOR -> "generator_of(%s)".formatted(name);
            case INT, FLOAT, SCALAR, BOOL, STRING, OPTIONS -> name;
        };
    }

    /** The call and what becomes of its result. */
    private String result() {
        StringBuilder text = new StringBuilder();
        List<String> args = new ArrayList<>();
        String function = null;
        int last = values.keySet().stream().max(Integer::compare).orElse(-1);
        for (int i = 0; i <= last; i++) {
            String value = values.containsKey(i)
                    ? values.get(i)
                    : literal(schema.params().get(i));
            if (value.equals(varargs)) {
                text.append("if len(%1$s) < 2:\n    %1$s = sizes(%1$s, %2$s)\n"
                        .formatted(varargs, varargs.substring(0, varargs.length() - 1)));
                if (i == last && i == 1) {
                    function = "call_ints";
                    value = "*" + varargs;
                } else {
                    value = "ints(%s)".formatted(varargs);
                }
            }
            args.add(value);
        }
        if (function == null) {
            function = args.isEmpty() || args.size() > FIXED_ARITY ? "calln" : "call" + args.size();
        }
        String call = "%s(a%s)".formatted(function, args.isEmpty() ? "" : ", " + String.join(", ", args));
        return text.append(returned(call)).toString();
    }

    private String returned(String call) {
        if (op.mutatedParam() >= 0) {
            return call + "\nreturn " + parameter(op.mutatedParam()) + "\n";
        }
        if (schema.returnsBool()) {
            return "return " + call + "\n";
        }
        if (schema.returnsList()) {
            return "return unwrapped(" + call + ")\n";
        }
        if (schema.results().size() > 1) {
            String names = schema.results().stream().map(r -> '"' + r + '"').collect(Collectors.joining(", "));
            return "return named(\"%s\", (%s), %s)\n".formatted(spelling.name(), names, call);
        }
        // Only composites may return an argument itself.
        if (op.kind() instanceof OpKind.Composite && schema.receiver() >= 0) {
            return "return same(%s, %s)\n".formatted(call, parameter(schema.receiver()));
        }
        return "r = new(Tensor)\nr._j = " + call + "\nreturn r\n";
    }

    /** The Python parameter that fills a parameter of the schema. */
    private String parameter(int schemaIndex) {
        if (spelling.isMethod() && schemaIndex == schema.receiver()) {
            return RECEIVER;
        }
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] == schemaIndex) {
                return spelling.params().get(i).name();
            }
        }
        return "None";
    }

    private static String literal(Param param) {
        Object fallback = param.fallback();
        if (fallback == Param.REQUIRED) {
            throw new IllegalArgumentException("parameter " + param.name() + " is required but no spelling gives it");
        }
        return switch (fallback) {
            case null -> "None";
            case Boolean b -> b ? "True" : "False";
            case String s -> "'" + s + "'";
            case long[] l -> l.length == 0 ? "ints(())" : "ints(" + Arrays.toString(l) + ")";
            default -> fallback.toString();
        };
    }
}
