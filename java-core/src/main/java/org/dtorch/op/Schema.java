package org.dtorch.op;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/**
 * The signature of an operator, in PyTorch's notation: {@code add(Tensor self, Operand other, *, Scalar alpha=1) ->
 * Tensor}. {@code Tensor!} marks a tensor that is written, {@code ?} an argument that may be None.
 *
 * @param results names of the results; "" for a single unnamed one
 * @param returnsList whether the result is a list of tensors of a length known only at the call
 * @param returnsBool whether the result is a 0-dimensional bool tensor whose value users get
 */
public record Schema(
        String name, List<Param> params, List<String> results, boolean returnsList, boolean returnsBool, String text) {

    /** Reads a schema; an {@link IllegalArgumentException} says what is wrong with it. */
    public static Schema parse(String text) {
        int open = text.indexOf('(');
        int arrow = text.lastIndexOf("->");
        if (open < 0 || arrow < 0) {
            throw new IllegalArgumentException("not a schema: " + text);
        }
        String name = text.substring(0, open).strip();
        String inside = text.substring(open + 1, text.lastIndexOf(')', arrow));
        List<Param> params = new ArrayList<>();
        boolean keywordOnly = false;
        for (String part : split(inside)) {
            if (part.equals("*")) {
                keywordOnly = true;
            } else {
                params.add(param(part, keywordOnly, text));
            }
        }
        String returns = text.substring(arrow + 2).strip();
        boolean list = returns.equals("Tensor[]");
        List<String> results = new ArrayList<>();
        if (returns.startsWith("(")) {
            for (String part : split(returns.substring(1, returns.length() - 1))) {
                results.add(part.substring(part.lastIndexOf(' ') + 1));
            }
        } else if (returns.equals("Tensor") || returns.equals("bool") || list) {
            results.add("");
        } else if (!returns.equals("()")) {
            throw new IllegalArgumentException("unknown return type in " + text);
        }
        return new Schema(name, List.copyOf(params), List.copyOf(results), list, returns.equals("bool"), text);
    }

    /** The schema of the form that writes into the first parameter. */
    static Schema inPlace(Schema schema) {
        String text = schema.text().replaceFirst("\\(Tensor ", "(Tensor! ");
        return parse(schema.name() + "_" + text.substring(text.indexOf('(')));
    }

    /** The index of a parameter; an {@link IllegalArgumentException} if there is none of that name. */
    public int index(String paramName) {
        for (int i = 0; i < params.size(); i++) {
            if (params.get(i).name().equals(paramName)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no parameter " + paramName + " in " + text);
    }

    /** The index of the tensor whose method this is: the one named self, else the first tensor; -1 if there is none. */
    public int receiver() {
        for (int i = 0; i < params.size(); i++) {
            Param p = params.get(i);
            if (p.name().equals("self") && (p.type() == Param.Type.TENSOR || p.type() == Param.Type.OPERAND)) {
                return i;
            }
        }
        for (int i = 0; i < params.size(); i++) {
            if (params.get(i).type() == Param.Type.TENSOR) {
                return i;
            }
        }
        return -1;
    }

    public boolean has(String paramName) {
        return params.stream().anyMatch(p -> p.name().equals(paramName));
    }

    private static Param param(String part, boolean keywordOnly, String schema) {
        int equals = part.indexOf('=');
        String declaration = (equals < 0 ? part : part.substring(0, equals)).strip();
        int space = declaration.lastIndexOf(' ');
        String typeText = declaration.substring(0, space).strip();
        String name = declaration.substring(space + 1);
        boolean mutated = typeText.endsWith("!");
        if (mutated) {
            typeText = typeText.substring(0, typeText.length() - 1);
        }
        Param.Type type = null;
        boolean optional = false;
        for (Param.Type candidate : Param.Type.values()) {
            if (candidate.spelling().equals(typeText)) {
                type = candidate;
            } else if ((candidate.spelling() + "?").equals(typeText)) {
                type = candidate;
                optional = true;
            }
        }
        if (type == null) {
            throw new IllegalArgumentException("unknown type '" + typeText + "' in " + schema);
        }
        Object fallback =
                equals < 0 ? Param.REQUIRED : literal(part.substring(equals + 1).strip(), type, schema);
        return new Param(name, type, optional, fallback, keywordOnly, mutated);
    }

    private static Object literal(String text, Param.Type type, String schema) {
        if (text.equals("None")) {
            return null;
        }
        return switch (type) {
            case SCALAR, OPERAND -> number(text);
            case INT -> Long.parseLong(text);
            case INTS -> ints(text);
            case FLOAT -> Double.parseDouble(text);
            case BOOL -> text.equals("True");
            case STRING -> text.substring(1, text.length() - 1);
            case DTYPE -> DType.of(text);
            default -> throw new IllegalArgumentException("no default is possible for " + type + " in " + schema);
        };
    }

    private static Scalar number(String text) {
        if (text.equals("True") || text.equals("False")) {
            return Scalar.of(text.equals("True"));
        }
        return text.matches("-?\\d+") ? Scalar.of(Long.parseLong(text)) : Scalar.of(Double.parseDouble(text));
    }

    private static long[] ints(String text) {
        String inside = text.substring(1, text.length() - 1).strip();
        if (inside.isEmpty()) {
            return new long[0];
        }
        return split(inside).stream().mapToLong(Long::parseLong).toArray();
    }

    /** Splits at commas that are not inside brackets. */
    static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            if (c == '(' || c == '[') {
                depth++;
            } else if (c == ')' || c == ']') {
                depth--;
            } else if (c == ',' && depth == 0) {
                String part = text.substring(start, i).strip();
                if (!part.isEmpty()) {
                    parts.add(part);
                }
                start = i + 1;
            }
        }
        return parts;
    }
}
