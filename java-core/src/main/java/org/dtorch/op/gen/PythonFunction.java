package org.dtorch.op.gen;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.dtorch.op.Op;
import org.dtorch.op.Param;
import org.dtorch.op.Schema;
import org.dtorch.op.Spelling;

/** One spelling as Python. */
final class PythonFunction {
    /** What stands for an argument that was not given. */
    static final String MISSING = "_MISSING";

    private final Op op;
    private final Schema schema;
    private final Spelling spelling;
    private final int[] indices;
    private final String[] byIndex;
    private final String receiver;

    PythonFunction(Op op, Spelling spelling) {
        this.op = op;
        this.schema = op.schema();
        this.spelling = spelling;
        this.indices = spelling.schemaIndices(schema);
        this.byIndex = new String[schema.params().size()];
        this.receiver = spelling.isMethod() ? "self" : null;
        if (receiver != null) {
            byIndex[schema.receiver()] = receiver;
        }
        for (int i = 0; i < indices.length; i++) {
            if (indices[i] >= 0) {
                byIndex[indices[i]] = spelling.params().get(i).name();
            }
        }
    }

    String line() {
        return String.join("\t", spelling.name(), op.name(), parameters(), body(), types());
    }

    /** The parameter list of the {@code def}. */
    String parameters() {
        StringJoiner list = new StringJoiner(", ");
        if (receiver != null) {
            list.add(receiver);
        }
        List<String> keywords = new ArrayList<>();
        boolean starred = false;
        for (int i = 0; i < indices.length; i++) {
            Spelling.Parameter p = spelling.params().get(i);
            boolean isOptions = type(i) == Param.Type.OPTIONS;
            if (p.varargs()) {
                list.add("*" + p.name() + "_");
                starred = true;
                keywords.add(p.name() + "=None");
            } else if (isOptions) {
                keywords.add("dtype=None, device=None, device_mesh=None, placements=None, graph=None");
            } else {
                String text = p.name() + fallback(p);
                if (p.keywordOnly() || starred) {
                    keywords.add(text);
                } else {
                    list.add(text);
                }
            }
            for (String alias : p.aliases()) {
                keywords.add(alias + "=" + MISSING);
            }
        }
        if (!keywords.isEmpty()) {
            if (!starred) {
                list.add("*");
            }
            keywords.forEach(list::add);
        }
        return list.toString();
    }

    private String fallback(Spelling.Parameter p) {
        if (p.fallback() != null) {
            return "=" + p.fallback();
        }
        // Once a parameter may come under another name, neither is required by Python itself.
        boolean optional = false;
        for (Spelling.Parameter q : spelling.params()) {
            optional |= !q.aliases().isEmpty();
            if (q == p) {
                break;
            }
        }
        return optional ? "=" + MISSING : "";
    }

    private Param.Type type(int i) {
        return indices[i] < 0 ? Param.Type.BOOL : schema.params().get(indices[i]).type();
    }

    /** Statements that end in a return, parted by {@code "; "}. */
    private String body() {
        StringJoiner statements = new StringJoiner("; ");
        for (Spelling.Parameter p : spelling.params()) {
            for (String alias : p.aliases()) {
                statements.add(p.name() + " = " + p.name() + " if " + alias + " is " + MISSING + " else " + alias);
            }
            if (p.varargs()) {
                statements.add(p.name() + " = _sequence(" + p.name() + "_, " + p.name() + ")");
            }
        }
        boolean chooses = spelling.params().stream().anyMatch(p -> p.name().equals("inplace"));
        String call = call("_op");
        if (op.mutatedParam() >= 0) {
            statements.add(call);
            statements.add("return " + byIndex[op.mutatedParam()]);
        } else if (chooses) {
            statements.add("return " + byIndex[schema.receiver()] + " if inplace and " + call("_op_inplace")
                    + " is not _MISSING else " + result(call));
        } else {
            statements.add("return " + result(call));
        }
        return statements.toString();
    }

    private String result(String call) {
        if (schema.returnsBool()) {
            return "wrap(" + call + ").item()";
        }
        if (schema.returnsList()) {
            return "wrap_all(" + call + ")";
        }
        if (schema.results().size() == 1) {
            return "wrap(" + call + ")";
        }
        return "_returns(\"" + spelling.name() + "\", \"" + String.join(" ", schema.results()) + "\")(*wrap_all(" + call
                + "))";
    }

    private String call(String operator) {
        StringJoiner args = new StringJoiner(", ");
        boolean creates = false;
        int last = lastNeeded();
        int count = 0;
        for (int i = 0; i <= last; i++) {
            Param p = schema.params().get(i);
            if (p.type() == Param.Type.OPTIONS) {
                creates = true;
                continue;
            }
            args.add(byIndex[i] == null ? literal(p.fallback()) : argument(p, byIndex[i]));
            count++;
        }
        if (creates) {
            args.add("_raw(dtype), _raw(device), _raw(device_mesh), _raws(placements), _raw(graph)");
        }
        return (creates ? "create" : "call") + count + "(" + operator + ", " + args + ")";
    }

    /** Arguments behind the last one that the spelling has take their defaults in Java. */
    private int lastNeeded() {
        int last = -1;
        for (int i = 0; i < byIndex.length; i++) {
            if (byIndex[i] != null || schema.params().get(i).isRequired()) {
                last = i;
            }
        }
        return last;
    }

    private static String argument(Param p, String name) {
        return switch (p.type()) {
            case TENSOR -> p.optional() ? "None if " + name + " is None else " + name + "._j" : name + "._j";
            case OPERAND -> "_operand(" + name + ")";
            case TENSORS -> "_tensors(" + name + ")";
            case OPTIONAL_TENSORS -> "[None if t is None else t._j for t in " + name + "]";
            case DTYPE, GENERATOR -> "_raw(" + name + ")";
            default -> name;
        };
    }

    private static String literal(Object fallback) {
        return switch (fallback) {
            case null -> "None";
            case Boolean b -> b ? "True" : "False";
            case String s -> "'" + s + "'";
            default -> fallback.toString();
        };
    }

    /** For messages and for telling overloads apart: {@code name:type}, with ? for None, = for a default. */
    private String types() {
        StringJoiner list = new StringJoiner(" ");
        if (receiver != null) {
            list.add(receiver + ":Tensor");
        }
        for (int i = 0; i < indices.length; i++) {
            Spelling.Parameter p = spelling.params().get(i);
            if (type(i) == Param.Type.OPTIONS) {
                list.add("*dtype:any= *device:any= *device_mesh:any= *placements:any= *graph:any=");
                continue;
            }
            boolean optional = indices[i] >= 0 && schema.params().get(indices[i]).optional();
            String star = p.varargs() ? "**" : p.keywordOnly() ? "*" : "";
            list.add(star + String.join("|", names(p)) + ":" + typeName(i) + (optional ? "?" : "")
                    + (p.fallback() != null ? "=" : ""));
        }
        return list.toString();
    }

    private static List<String> names(Spelling.Parameter p) {
        List<String> names = new ArrayList<>();
        names.add(p.name());
        names.addAll(p.aliases());
        return names;
    }

    private String typeName(int i) {
        return switch (type(i)) {
            case TENSOR -> "Tensor";
            case OPERAND -> "Tensor-or-Number";
            case TENSORS, OPTIONAL_TENSORS -> "Tensors";
            case SCALAR, FLOAT -> "Number";
            case INT -> "int";
            case INTS -> "ints";
            case BOOL -> "bool";
            case STRING -> "str";
            case DTYPE, GENERATOR, OPTIONS -> "any";
        };
    }
}
