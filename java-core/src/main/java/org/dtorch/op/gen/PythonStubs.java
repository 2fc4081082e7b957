package org.dtorch.op.gen;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.dtorch.op.Op;
import org.dtorch.op.Param;
import org.dtorch.op.Schema;
import org.dtorch.op.Spelling;

/** The stub file of the generated Python module: typed signatures with the rows' sentences. */
final class PythonStubs {
    private static final String HEAD = """
            # Generated from the operator table, do not edit.
            from collections.abc import Sequence
            from typing import Any, NamedTuple, overload

            from . import DeviceMesh, Generator, Graph, Placement, Tensor, device, dtype

            Number = int | float | bool
            """;

    private PythonStubs() {}

    static String module(Collection<Op> ops) {
        StringBuilder text = new StringBuilder(HEAD);
        Map<String, Schema> results = new LinkedHashMap<>();
        for (Op op : ops) {
            if (op.schema().results().size() > 1) {
                results.put(resultClass(op.schema()), op.schema());
            }
        }
        results.forEach((name, schema) -> {
            text.append("\nclass ").append(name).append("(NamedTuple):\n");
            schema.results().forEach(r -> text.append("    ").append(r).append(": Tensor\n"));
        });
        for (String namespace : List.of("dtorch", "nn.functional", "linalg", Spelling.TENSOR)) {
            text.append("\nclass ").append(className(namespace)).append(":\n");
            signatures(ops, namespace).forEach((name, list) -> {
                for (String signature : list) {
                    text.append(list.size() > 1 ? "    @overload\n" : "").append(signature);
                }
            });
        }
        return text.toString();
    }

    private static String className(String namespace) {
        return switch (namespace) {
            case "dtorch" -> "Functions";
            case "nn.functional" -> "Functional";
            case "linalg" -> "Linalg";
            default -> "TensorMethods";
        };
    }

    private static Map<String, List<String>> signatures(Collection<Op> ops, String namespace) {
        Map<String, List<String>> byName = new LinkedHashMap<>();
        for (Op op : ops) {
            for (Spelling spelling : op.spellings()) {
                if (spelling.namespace().equals(namespace)) {
                    byName.computeIfAbsent(spelling.name(), n -> new ArrayList<>())
                            .add(signature(op, spelling));
                }
            }
        }
        return byName;
    }

    private static String signature(Op op, Spelling spelling) {
        int[] indices = spelling.schemaIndices(op.schema());
        StringJoiner list = new StringJoiner(", ");
        if (spelling.isMethod()) {
            list.add("self");
        }
        boolean starred = false;
        for (int i = 0; i < indices.length; i++) {
            Spelling.Parameter p = spelling.params().get(i);
            Param param = indices[i] < 0 ? null : op.schema().params().get(indices[i]);
            if (param != null && param.type() == Param.Type.OPTIONS) {
                list.add(starred ? "" : "*");
                starred = true;
                list.add("dtype: dtype | None = None, device: Any = None, device_mesh: DeviceMesh | None = None,"
                        + " placements: Any = None, graph: Graph | None = None");
                continue;
            }
            if (p.varargs()) {
                list.add("*" + p.name() + ": int | Sequence[int]");
                starred = true;
                continue;
            }
            if (p.keywordOnly() && !starred) {
                list.add("*");
                starred = true;
            }
            String type = param == null ? "bool" : type(param);
            list.add(p.name() + ": " + type + (p.fallback() == null ? "" : " = " + p.fallback()));
        }
        String parameters = list.toString().replace(", , ", ", ");
        String static_ = spelling.isMethod() ? "" : "    @staticmethod\n";
        return static_ + "    def " + spelling.name() + "(" + parameters + ") -> " + result(op.schema())
                + ":\n        \"\"\"" + op.doc() + "\"\"\"\n";
    }

    private static String type(Param p) {
        String type = switch (p.type()) {
            case TENSOR -> "Tensor";
            case OPERAND -> "Tensor | Number";
            case TENSORS -> "Sequence[Tensor]";
            case OPTIONAL_TENSORS -> "Sequence[Tensor | None]";
            case SCALAR -> "Number";
            case INT -> "int";
            case INTS -> "int | Sequence[int]";
            case FLOAT -> "float";
            case BOOL -> "bool";
            case DTYPE -> "dtype";
            case STRING -> "str";
            case GENERATOR -> "Generator";
            case OPTIONS -> "Any";
        };
        return p.optional() ? type + " | None" : type;
    }

    private static String result(Schema schema) {
        if (schema.returnsBool()) {
            return "bool";
        }
        if (schema.returnsList()) {
            return "list[Tensor]";
        }
        return schema.results().size() == 1 ? "Tensor" : resultClass(schema);
    }

    private static String resultClass(Schema schema) {
        StringJoiner name = new StringJoiner("And");
        schema.results().forEach(r -> name.add(JavaMethods.camel("_" + r)));
        return name.toString();
    }
}
