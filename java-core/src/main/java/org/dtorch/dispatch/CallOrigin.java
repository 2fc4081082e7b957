package org.dtorch.dispatch;

import java.util.function.Supplier;
import org.dtorch.op.Op;
import org.dtorch.op.Value;

/** The call that issued an instruction; its texts are built only for an error. */
final class CallOrigin extends IssuedOrigin {
    private final Op op;
    private final Object[] args;

    CallOrigin(Op op, Object[] args, Supplier<String> line) {
        super(line);
        this.op = op;
        this.args = args;
    }

    @Override
    public String operator() {
        return op.name();
    }

    @Override
    public String description() {
        return describe(op, args);
    }

    /** For example {@code add(float32[8, 64] [S(0)], 1) on DeviceMesh(...)}. */
    static String describe(Op op, Object[] args) {
        StringBuilder text = new StringBuilder(op.name()).append('(');
        Value any = null;
        String separator = "";
        for (Object arg : args) {
            text.append(separator);
            separator = ", ";
            switch (arg) {
                case null -> text.append("None");
                case TensorData t -> {
                    text.append(t.describe());
                    any = t;
                }
                case Value[] list -> {
                    text.append('[');
                    for (int i = 0; i < list.length; i++) {
                        text.append(i == 0 ? "" : ", ").append(list[i] instanceof TensorData t ? t.describe() : "None");
                        any = list[i] == null ? any : list[i];
                    }
                    text.append(']');
                }
                case long[] list -> text.append(java.util.Arrays.toString(list));
                default -> text.append(arg);
            }
        }
        text.append(')');
        return any == null ? text.toString() : text + " on " + any.layout().mesh();
    }
}
