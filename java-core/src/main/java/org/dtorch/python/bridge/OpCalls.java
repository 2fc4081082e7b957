package org.dtorch.python.bridge;

import java.math.BigInteger;
import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.op.Op;
import org.dtorch.op.OpTable;
import org.dtorch.op.Param;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Scalar;
import org.graalvm.polyglot.HostAccess;

/**
 * The calls of operators: one crossing each. An operator is named by its number in the table; arguments are in schema
 * order, missing trailing ones take their defaults.
 *
 * <p>Python passes tensors as their Java objects, numbers, strings and None as they are, sequences as {@link #longs} or
 * {@link #array}. One result comes back as a tensor, several as an array, a truth value as a bool.
 */
public final class OpCalls {
    private final Bridge bridge;

    /** The rows by number; apart, so that a script without tensors does not wait for the table. */
    private static final class Rows {
        static final Op[] ALL = OpTable.all().toArray(new Op[0]);
    }

    OpCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    @HostAccess.Export
    public Object call1(int op, Object a) {
        return run(Rows.ALL[op], a);
    }

    @HostAccess.Export
    public Object call2(int op, Object a, Object b) {
        return run(Rows.ALL[op], a, b);
    }

    @HostAccess.Export
    public Object call3(int op, Object a, Object b, Object c) {
        return run(Rows.ALL[op], a, b, c);
    }

    @HostAccess.Export
    public Object call4(int op, Object a, Object b, Object c, Object d) {
        return run(Rows.ALL[op], a, b, c, d);
    }

    @HostAccess.Export
    public Object call5(int op, Object a, Object b, Object c, Object d, Object e) {
        return run(Rows.ALL[op], a, b, c, d, e);
    }

    @HostAccess.Export
    public Object call6(int op, Object a, Object b, Object c, Object d, Object e, Object f) {
        return run(Rows.ALL[op], a, b, c, d, e, f);
    }

    @HostAccess.Export
    public Object call7(int op, Object a, Object b, Object c, Object d, Object e, Object f, Object g) {
        return run(Rows.ALL[op], a, b, c, d, e, f, g);
    }

    @HostAccess.Export
    public Object call8(int op, Object a, Object b, Object c, Object d, Object e, Object f, Object g, Object h) {
        return run(Rows.ALL[op], a, b, c, d, e, f, g, h);
    }

    @HostAccess.Export
    public Object calln(int op, Object... args) {
        return run(Rows.ALL[op], args.clone());
    }

    /** An operator of one tensor and integers: {@code x.view(2, 3)}. */
    @HostAccess.Export
    public Object callInts(int op, Object self, Object... ints) {
        try {
            return run(Rows.ALL[op], self, integers(Rows.ALL[op].name(), ints));
        } catch (DTorchError e) {
            throw bridge.failure(e);
        }
    }

    /** Integers as one argument. */
    @HostAccess.Export
    public long[] longs(Object... ints) {
        try {
            return integers("argument", ints);
        } catch (RuntimeException e) {
            throw bridge.failure(e);
        }
    }

    /** Objects as one argument. */
    @HostAccess.Export
    public Object[] array(Object... items) {
        return parts(items);
    }

    /** The number of the row called {@code name}. */
    @HostAccess.Export
    public int number(String name) {
        Op wanted = OpTable.get(name);
        for (int i = 0; i < Rows.ALL.length; i++) {
            if (Rows.ALL[i] == wanted) {
                return i;
            }
        }
        throw new IllegalStateException(name + " is not in the table");
    }

    /** The names of all rows, in the order of their numbers. */
    @HostAccess.Export
    public String names() {
        StringBuilder names = new StringBuilder();
        for (Op op : Rows.ALL) {
            names.append(names.isEmpty() ? "" : " ").append(op.name());
        }
        return names.toString();
    }

    private Object run(Op op, Object... args) {
        try {
            DTorch owner = null;
            for (int i = 0; i < args.length && owner == null; i++) {
                owner = ownerOf(args[i]);
            }
            if (owner == null) {
                owner = bridge.graph();
            }
            Tensor[] results = owner.call(op, converted(op, args, owner));
            if (op.schema().returnsBool()) {
                try (Tensor truth = results[0]) {
                    return truth.item() instanceof Scalar.Bool(boolean value) && value;
                }
            }
            return op.schema().returnsList() || results.length > 1 ? results : results[0];
        } catch (Throwable e) {
            throw bridge.failure(ArgumentNames.explain(op, args, e));
        }
    }

    private static DTorch ownerOf(Object arg) {
        return switch (arg) {
            case Tensor tensor -> tensor.owner();
            case Creation creation -> creation.owner();
            case Object[] items -> items.length == 0 ? null : ownerOf(items[0]);
            case null, default -> null;
        };
    }

    /** What Python passes in another form than the Java API takes it. */
    private static Object[] converted(Op op, Object[] args, DTorch owner) {
        List<Param> params = op.schema().params();
        if (args.length > params.size()) {
            throw DTorchError.type(
                    "%s() takes %d arguments but %d were given: %s",
                    op.name(), params.size(), args.length, op.schema().text());
        }
        Object[] all = args.length == params.size() ? args : java.util.Arrays.copyOf(args, params.size());
        for (int i = 0; i < all.length; i++) {
            Param param = params.get(i);
            if (i >= args.length && param.type() != Param.Type.OPTIONS) {
                if (param.isRequired()) {
                    throw DTorchError.type(
                            "%s() missing required argument '%s': %s",
                            op.name(), param.name(), op.schema().text());
                }
                all[i] = param.fallback();
            }
            switch (param.type()) {
                case OPTIONS -> all[i] = options(param, (Creation) all[i], all, owner);
                case INTS -> {
                    if (all[i] instanceof Integer || all[i] instanceof Long) {
                        all[i] = new long[] {((Number) all[i]).longValue()};
                    }
                }
                default -> {
                    if (all[i] instanceof BigInteger big) {
                        throw DTorchError.runtime("Overflow when unpacking long: %s", big);
                    }
                }
            }
        }
        return all;
    }

    private static Object options(Param param, Creation given, Object[] args, DTorch owner) {
        if (param.optional()) {
            return given == null ? null : given.options((Tensor) args[0]);
        }
        return (given == null ? new Creation(owner, null, null, null) : given).options();
    }

    /** A single None arrives as no array at all. */
    static Object[] parts(Object[] varargs) {
        return varargs == null ? new Object[] {null} : varargs;
    }

    private static long[] integers(String what, Object[] given) {
        Object[] items = parts(given);
        long[] values = new long[items.length];
        for (int i = 0; i < values.length; i++) {
            if (items[i] instanceof Integer n) {
                values[i] = n;
            } else if (items[i] instanceof Long n) {
                values[i] = n;
            } else {
                throw DTorchError.type(
                        "%s: expected integers, but found element of type %s at pos %d",
                        what, ArgumentNames.className(items[i]), i);
            }
        }
        return values;
    }
}
