package org.dtorch.nn;

import java.util.Map;

/** What a module is called with: positional and named arguments, tensors or any other objects. */
public record Inputs(Object[] args, Map<String, Object> kwargs) {
    public static Inputs of(Object... args) {
        return new Inputs(args, Map.of());
    }
}
