package org.dtorch.op;

import java.util.List;

/**
 * One public name of an operator in Python.
 *
 * @param namespace {@code dtorch}, {@code Tensor} (a method; the first parameter is self) or {@code nn.functional}
 * @param name the Python name
 * @param params Python parameters in order: {@code name}, {@code name=default}, {@code *name} for varargs of ints, {@code
 *     *} before keyword-only ones; parameter i stands for parameter i of the schema unless written {@code python:schema}
 */
public record Spelling(String namespace, String name, List<String> params) {

    /** Reads {@code name(a, b=1, *, c:d=None)}. */
    static Spelling parse(String namespace, String text) {
        int open = text.indexOf('(');
        String inside = text.substring(open + 1, text.lastIndexOf(')'));
        return new Spelling(namespace, text.substring(0, open).strip(), List.copyOf(Schema.split(inside)));
    }
}
