package org.dtorch.dispatch;

import java.util.Arrays;
import org.dtorch.op.Op;
import org.dtorch.op.Param;
import org.dtorch.op.Site;
import org.dtorch.op.Value;
import org.dtorch.values.Scalar;

/**
 * What a prepared call depends on: the operator, what its tensors are, and its structural arguments by value. Numbers whose
 * value only a kernel sees count by their kind.
 */
final class CallKey {
    private final Op op;
    private final Object[] parts;
    private final int hash;

    private CallKey(Op op, Object[] parts, int hash) {
        this.op = op;
        this.parts = parts;
        this.hash = hash;
    }

    static CallKey of(Op op, Site site) {
        Object[] args = site.args();
        int room = 1;
        for (Object arg : args) {
            room += arg instanceof Value ? 3 : arg instanceof Value[] list ? 1 + 3 * list.length : 1;
        }
        Object[] parts = new Object[room];
        int n = 0;
        parts[n++] = op.variant(site);
        for (int i = 0; i < args.length; i++) {
            Object arg = args[i];
            switch (arg) {
                case null -> n++;
                case Value v -> n = add(parts, n, v);
                case Value[] list -> {
                    parts[n++] = list.length;
                    for (Value v : list) {
                        if (v == null) {
                            n += 3;
                        } else {
                            n = add(parts, n, v);
                        }
                    }
                }
                case Scalar s -> parts[n++] = s.kind();
                case Double d -> parts[n++] = Param.Type.FLOAT;
                default -> parts[n++] = arg;
            }
        }
        int hash = System.identityHashCode(op);
        for (Object part : parts) {
            hash = 31 * hash
                    + (part instanceof long[] list ? Arrays.hashCode(list) : part == null ? 0 : part.hashCode());
        }
        return new CallKey(op, parts, hash);
    }

    private static int add(Object[] parts, int n, Value v) {
        parts[n] = v.shape();
        parts[n + 1] = v.dtype();
        parts[n + 2] = v.layout();
        return n + 3;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof CallKey that)
                || hash != that.hash
                || op != that.op
                || parts.length != that.parts.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            Object a = parts[i];
            Object b = that.parts[i];
            if (a != b
                    && !(a instanceof long[] x && b instanceof long[] y
                            ? Arrays.equals(x, y)
                            : a != null && a.equals(b))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
