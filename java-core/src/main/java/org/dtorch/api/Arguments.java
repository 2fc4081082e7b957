package org.dtorch.api;

import java.util.List;
import org.dtorch.dispatch.TensorData;
import org.dtorch.op.Op;
import org.dtorch.op.Param;
import org.dtorch.op.Value;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Scalar;

/** Turns what callers pass into what the dispatcher takes. */
final class Arguments {
    private Arguments() {}

    static Object[] toData(DTorch owner, Op op, Object[] args) {
        List<Param> params = op.schema().params();
        Object[] raw = new Object[args.length];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = args[i] == null ? null : toData(owner, op, params.get(i), args[i]);
        }
        return raw;
    }

    private static Object toData(DTorch owner, Op op, Param param, Object arg) {
        return switch (param.type()) {
            case TENSOR -> arg instanceof Tensor t ? data(owner, op, t) : arg;
            case OPERAND, SCALAR -> arg instanceof Tensor t ? data(owner, op, t) : number(arg);
            case TENSORS, OPTIONAL_TENSORS -> list(owner, op, arg);
            case INT ->
                arg instanceof Number n && !(arg instanceof Double || arg instanceof Float) ? n.longValue() : arg;
            case FLOAT -> arg instanceof Number n ? n.doubleValue() : arg;
            default -> arg;
        };
    }

    private static TensorData data(DTorch owner, Op op, Tensor tensor) {
        if (tensor.owner() != owner) {
            throw DTorchError.value(
                    "%s: all tensors must live on the same graph, found %s and %s", op.name(), owner, tensor.owner());
        }
        return tensor.data();
    }

    private static Object number(Object arg) {
        return switch (arg) {
            case Boolean b -> Scalar.of((boolean) b);
            case Double d -> Scalar.of((double) d);
            case Float f -> Scalar.of((double) f);
            case Number n -> Scalar.of(n.longValue());
            default -> arg;
        };
    }

    private static Object list(DTorch owner, Op op, Object arg) {
        Object[] items = arg instanceof List<?> l ? l.toArray() : arg instanceof Object[] a ? a : null;
        if (items == null) {
            return arg;
        }
        Value[] values = new Value[items.length];
        for (int i = 0; i < values.length; i++) {
            if (items[i] instanceof Tensor t) {
                values[i] = data(owner, op, t);
            } else if (items[i] != null) {
                throw DTorchError.type(
                        "%s(): element %d of the list of tensors is %s",
                        op.name(), i, items[i].getClass().getSimpleName());
            }
        }
        return values;
    }

    /** The argument whose data an operator returned, or null. */
    static Tensor holderOf(TensorData result, Object[] args) {
        for (Object arg : args) {
            if (arg instanceof Tensor t && t.data() == result) {
                return t;
            }
            if (arg instanceof List<?> list) {
                for (Object item : list) {
                    if (item instanceof Tensor t && t.data() == result) {
                        return t;
                    }
                }
            }
        }
        return null;
    }
}
