package org.dtorch.op;

import java.util.List;

/**
 * One public name of an operator in Python.
 *
 * @param namespace {@code dtorch}, {@code nn.functional}, {@code linalg} or {@code Tensor} (a method, written without
 *     self)
 * @param name the Python name; several rows may share it, they are then told apart by their arguments
 * @param params Python parameters in order
 */
public record Spelling(String namespace, String name, List<Parameter> params) {
    /** The namespace of methods. */
    public static final String TENSOR = "Tensor";

    /**
     * One Python parameter.
     *
     * @param name the name that users see
     * @param aliases further names that are taken by keyword
     * @param schemaName the schema's parameter where it has another name and place, or null
     * @param fallback the default in Python, or null where there is none
     */
    public record Parameter(
            String name,
            List<String> aliases,
            String schemaName,
            String fallback,
            boolean varargs,
            boolean keywordOnly) {}

    public boolean isMethod() {
        return namespace.equals(TENSOR);
    }

    /** Whether it is one of Python's operators. */
    public boolean isOperator() {
        return name.startsWith("__");
    }

    /** This spelling under another name. */
    Spelling named(String other) {
        return new Spelling(namespace, other, params);
    }

    /**
     * Reads {@code name(a, b|alias=1, *sizes, *, c:schema=None)}: aliases behind a bar, the schema's parameter behind a
     * colon, {@code *sizes} for integers one by one or as one sequence, parameters behind {@code *} by keyword only.
     */
    static Spelling parse(String namespace, String text) {
        int open = text.indexOf('(');
        String inside = text.substring(open + 1, text.lastIndexOf(')'));
        boolean keywordOnly = false;
        List<Parameter> params = new java.util.ArrayList<>();
        for (String part : Schema.split(inside)) {
            if (part.equals("*")) {
                keywordOnly = true;
                continue;
            }
            int equals = part.indexOf('=');
            String fallback = equals < 0 ? null : part.substring(equals + 1).strip();
            String[] target =
                    (equals < 0 ? part : part.substring(0, equals)).strip().split(":");
            boolean varargs = target[0].startsWith("*");
            List<String> names = List.of((varargs ? target[0].substring(1) : target[0]).split("\\|"));
            params.add(new Parameter(
                    names.getFirst(),
                    names.subList(1, names.size()),
                    target.length > 1 ? target[1] : null,
                    fallback,
                    varargs,
                    keywordOnly || varargsBefore(params)));
        }
        return new Spelling(namespace, text.substring(0, open).strip(), List.copyOf(params));
    }

    private static boolean varargsBefore(List<Parameter> params) {
        return params.stream().anyMatch(Parameter::varargs);
    }

    /**
     * For each Python parameter the index of the schema's parameter: the one that it names, else the one of the same name,
     * else the one at the same place, a method's receiver not counted; -1 for {@code inplace}, which chooses the in-place
     * form.
     */
    public int[] schemaIndices(Schema schema) {
        int receiver = isMethod() ? schema.receiver() : -1;
        List<Integer> places = new java.util.ArrayList<>();
        for (int i = 0; i < schema.params().size(); i++) {
            if (i != receiver) {
                places.add(i);
            }
        }
        int[] indices = new int[params.size()];
        for (int i = 0; i < indices.length; i++) {
            Parameter p = params.get(i);
            if (p.schemaName() != null) {
                indices[i] = schema.index(p.schemaName());
            } else if (schema.has(p.name()) && schema.index(p.name()) != receiver) {
                indices[i] = schema.index(p.name());
            } else if (p.name().equals("inplace")) {
                indices[i] = -1;
            } else if (i < places.size()) {
                indices[i] = places.get(i);
            } else {
                throw new IllegalArgumentException(name + ": parameter " + p.name() + " is none of " + schema.text());
            }
        }
        return indices;
    }
}
