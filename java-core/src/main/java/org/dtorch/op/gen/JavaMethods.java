package org.dtorch.op.gen;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import javax.lang.model.SourceVersion;
import org.dtorch.op.Op;
import org.dtorch.op.Param;
import org.dtorch.op.Schema;
import org.dtorch.op.Spelling;

/**
 * The typed Java methods of the operators.
 *
 * <p>For each row there is the form with all arguments, and one for each number of leading positional arguments from the
 * required ones on; what is left out takes its default. Where a tensor or a number is legal there is a method for each.
 */
final class JavaMethods {
    private static final String HEAD = """
            package org.dtorch.api;

            import java.util.List;
            import org.dtorch.op.CreationOptions;
            import org.dtorch.op.Op;
            import org.dtorch.op.OpTable;
            import org.dtorch.random.Generator;
            import org.dtorch.values.DType;

            """;

    private final boolean onTensor;
    private final StringBuilder constants = new StringBuilder();
    private final StringBuilder methods = new StringBuilder();
    private final Map<String, String> records = new LinkedHashMap<>();
    private final Set<String> signatures = new LinkedHashSet<>();

    private JavaMethods(boolean onTensor) {
        this.onTensor = onTensor;
    }

    /** The class that {@code Tensor} extends: the operators that have a tensor to be called on. */
    static String tensorMethods(Collection<Op> ops) {
        JavaMethods all = new JavaMethods(true);
        ops.stream().filter(op -> op.schema().receiver() >= 0).forEach(all::add);
        return HEAD + "/** The operators as methods of a tensor; generated from the operator table. */\n"
                + "@SuppressWarnings({\"unused\", \"MethodName\"})\n"
                + "public abstract class TensorMethods {\n"
                + all.constants
                + all.recordTexts()
                + "\n    TensorMethods() {}\n\n"
                + "    /** Runs an operator on arguments in schema order. */\n"
                + "    protected abstract Tensor[] calls(Op op, Object... args);\n"
                + all.methods
                + "}\n";
    }

    /** The class that {@code DTorch} extends: creation, and the operators that take a list of tensors. */
    static String functions(Collection<Op> ops) {
        JavaMethods all = new JavaMethods(false);
        ops.stream().filter(op -> op.schema().receiver() < 0).forEach(all::add);
        return HEAD + "/** The operators that are called on no tensor; generated from the operator table. */\n"
                + "@SuppressWarnings({\"unused\", \"MethodName\"})\n"
                + "public abstract class Functions {\n"
                + all.constants
                + all.recordTexts()
                + "\n    Functions() {}\n\n"
                + "    /** What is created where nothing else is asked for. */\n"
                + "    protected abstract CreationOptions defaults();\n\n"
                + "    /** Runs an operator on arguments in schema order. */\n"
                + "    public abstract Tensor[] call(Op op, Object... args);\n"
                + all.methods
                + "}\n";
    }

    private String recordTexts() {
        StringBuilder text = new StringBuilder();
        records.forEach((name, fields) -> text.append("\n    /** Results by name. */\n    public record ")
                .append(name)
                .append('(')
                .append(fields)
                .append(") {\n        private static ")
                .append(name)
                .append(" of(Tensor[] results) {\n            return new ")
                .append(name)
                .append("(")
                .append(results(fields))
                .append(");\n        }\n    }\n"));
        return text.toString();
    }

    private static String results(String fields) {
        StringJoiner list = new StringJoiner(", ");
        for (int i = 0; i < fields.split(",").length; i++) {
            list.add("results[" + i + "]");
        }
        return list.toString();
    }

    private void add(Op op) {
        if (op.name().startsWith("_")) {
            return;
        }
        constants
                .append("    private static final Op ")
                .append(constant(op))
                .append(" = OpTable.get(\"")
                .append(op.name())
                .append("\");\n");
        List<Param> params = op.schema().params();
        List<Integer> given = new ArrayList<>();
        List<Integer> optional = new ArrayList<>();
        for (int i = 0; i < params.size(); i++) {
            if (onTensor && i == op.schema().receiver()) {
                continue;
            }
            if (params.get(i).isRequired() && params.get(i).type() != Param.Type.OPTIONS) {
                given.add(i);
            } else if (!params.get(i).keywordOnly()) {
                optional.add(i);
            }
        }
        form(op, given, false);
        for (int i : optional) {
            given.add(i);
            given.sort(null);
            form(op, given, false);
        }
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < params.size(); i++) {
            if (!onTensor || i != op.schema().receiver()) {
                all.add(i);
            }
        }
        form(op, all, true);
    }

    /** One method for each way to give the operands: as tensors, and as numbers. */
    private void form(Op op, List<Integer> given, boolean full) {
        boolean operands = false;
        boolean nullable = false;
        for (int i : given) {
            Param p = op.schema().params().get(i);
            operands |= p.type() == Param.Type.OPERAND;
            nullable |= p.type() == Param.Type.OPERAND && p.optional();
        }
        if (!operands) {
            method(op, given, full, "");
        } else {
            method(op, given, full, "Tensor");
            if (nullable) {
                method(op, given, full, "Number");
            } else {
                method(op, given, full, "double");
                method(op, given, full, "long");
            }
        }
    }

    private void method(Op op, List<Integer> given, boolean full, String operand) {
        List<Param> params = op.schema().params();
        StringJoiner declared = new StringJoiner(", ");
        StringJoiner erased = new StringJoiner(",");
        for (int n = 0; n < given.size(); n++) {
            Param p = params.get(given.get(n));
            String type = type(p, full, operand);
            erased.add(type.startsWith("List") ? "List" : type);
            declared.add((type.equals("long[]") && given.size() == 1 && !full ? "long..." : type) + " " + variable(p));
        }
        String name = name(op);
        if (!signatures.add(name + "(" + erased + ")")) {
            return;
        }
        methods.append("\n    /**\n     * ")
                .append(javadoc(op.doc()))
                .append("\n     *\n     * <p>{@code ")
                .append(op.schema().text().replace("@", "&#64;"))
                .append("}\n     */\n    public final ")
                .append(resultType(op))
                .append(' ')
                .append(name)
                .append('(')
                .append(declared)
                .append(") {\n        return ")
                .append(result(op, call(op, given)))
                .append(";\n    }\n");
    }

    private String call(Op op, List<Integer> given) {
        Schema schema = op.schema();
        StringJoiner args = new StringJoiner(", ", (onTensor ? "calls(" : "call(") + constant(op) + ", ", ")");
        for (int i = 0; i < schema.params().size(); i++) {
            Param p = schema.params().get(i);
            if (onTensor && i == schema.receiver()) {
                args.add("this");
            } else if (given.contains(i)) {
                args.add(variable(p));
            } else if (p.type() == Param.Type.OPTIONS) {
                args.add(onTensor ? "null" : "defaults()");
            } else {
                args.add(constant(op) + ".schema().params().get(" + i + ").fallback()");
            }
        }
        return args.toString();
    }

    private String resultType(Op op) {
        Schema schema = op.schema();
        if (schema.returnsBool()) {
            return "boolean";
        }
        if (schema.returnsList()) {
            return "List<Tensor>";
        }
        return schema.results().size() == 1 ? "Tensor" : recordOf(schema);
    }

    private String result(Op op, String call) {
        Schema schema = op.schema();
        if (schema.returnsBool()) {
            return call + "[0].item().toLong() != 0";
        }
        if (schema.returnsList()) {
            return "List.of(" + call + ")";
        }
        if (schema.results().size() == 1) {
            return call + "[0]";
        }
        return recordOf(schema) + ".of(" + call + ")";
    }

    private String recordOf(Schema schema) {
        StringJoiner name = new StringJoiner("And");
        StringJoiner fields = new StringJoiner(", ");
        for (String result : schema.results()) {
            name.add(camel("_" + result));
            fields.add("Tensor " + camel(result));
        }
        records.put(name.toString(), fields.toString());
        return name.toString();
    }

    private static String type(Param p, boolean full, String operand) {
        boolean nullable = full && (p.optional() || p.fallback() == null);
        return switch (p.type()) {
            case TENSOR -> "Tensor";
            case TENSORS, OPTIONAL_TENSORS -> "List<Tensor>";
            case OPERAND -> operand;
            case SCALAR -> "Number";
            case INT -> nullable ? "Long" : "long";
            case INTS -> "long[]";
            case FLOAT -> nullable ? "Double" : "double";
            case BOOL -> "boolean";
            case DTYPE -> "DType";
            case STRING -> "String";
            case OPTIONS -> "CreationOptions";
            case GENERATOR -> "Generator";
        };
    }

    /** The row's name, or that of its first spelling where the row is an overload of another. */
    static String name(Op op) {
        String name = op.name();
        boolean own = op.schema().receiver() > 0 || op.spellings().isEmpty();
        for (Spelling spelling : op.spellings()) {
            own |= spelling.name().equals(name);
        }
        if (!own) {
            for (Spelling spelling : op.spellings()) {
                if (!spelling.isOperator()) {
                    name = spelling.name();
                    break;
                }
            }
        }
        String java = camel(name);
        return SourceVersion.isKeyword(java) ? "to" + camel("_" + name) : java;
    }

    private static String variable(Param p) {
        String name = camel(p.name());
        return SourceVersion.isKeyword(name) ? name + "_" : name;
    }

    private static String constant(Op op) {
        return op.name().toUpperCase(java.util.Locale.ROOT);
    }

    /** {@code masked_fill_} becomes {@code maskedFill_}; a leading underscore capitalises. */
    static String camel(String name) {
        StringBuilder out = new StringBuilder();
        boolean up = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '_' && i < name.length() - 1) {
                up = true;
            } else {
                out.append(up ? Character.toUpperCase(c) : c);
                up = false;
            }
        }
        return out.toString();
    }

    private static String javadoc(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("@", "&#64;");
    }
}
