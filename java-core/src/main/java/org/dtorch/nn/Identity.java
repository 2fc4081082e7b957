package org.dtorch.nn;

import java.util.Map;
import org.dtorch.values.DTorchError;

/** Gives its first argument. */
public final class Identity extends Module {
    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        if (args.length == 1) {
            return args[0];
        }
        if (args.length == 0 && kwargs.containsKey("input")) {
            return kwargs.get("input");
        }
        throw DTorchError.type("Identity takes one argument, input");
    }
}
