package org.dtorch.python.bridge;

import java.math.BigInteger;
import java.util.List;
import org.dtorch.api.Tensor;
import org.dtorch.op.Op;
import org.dtorch.op.Param;
import org.dtorch.op.Spelling;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.graalvm.polyglot.Value;

/** PyTorch's words for an argument of a wrong type, in terms of Python's parameters and classes. */
final class ArgumentNames {
    private ArgumentNames() {}

    /** {@code failure}, or the TypeError that names the first argument that the operator does not take. */
    static Throwable explain(Op op, Object[] args, Throwable failure) {
        boolean maybe = failure instanceof DTorchError error
                ? error.kind() == DTorchError.Kind.TYPE
                : failure instanceof ClassCastException || failure instanceof IllegalArgumentException;
        if (!maybe) {
            return failure;
        }
        List<Param> params = op.schema().params();
        for (int i = 0; i < Math.min(params.size(), args.length); i++) {
            if (!accepts(params.get(i), args[i])) {
                return DTorchError.type(
                        "%s(): argument '%s' (position %d) must be %s, not %s",
                        op.name(), name(op, i), i + 1, wanted(params.get(i)), className(args[i]));
            }
        }
        return failure;
    }

    private static boolean accepts(Param param, Object arg) {
        if (arg == null) {
            return param.optional();
        }
        return switch (param.type()) {
            case TENSOR -> arg instanceof Tensor;
            case OPERAND -> arg instanceof Tensor || arg instanceof Number || arg instanceof Boolean;
            case SCALAR -> arg instanceof Tensor || arg instanceof Number || arg instanceof Boolean;
            case TENSORS, OPTIONAL_TENSORS -> acceptsAll(arg);
            case INT -> arg instanceof Integer || arg instanceof Long;
            case INTS -> arg instanceof Integer || arg instanceof Long || arg instanceof long[];
            case FLOAT -> arg instanceof Number;
            case BOOL -> arg instanceof Boolean;
            case DTYPE -> arg instanceof DType;
            case STRING -> arg instanceof String;
            case OPTIONS, GENERATOR -> true;
        };
    }

    private static boolean acceptsAll(Object arg) {
        if (!(arg instanceof Object[] items)) {
            return false;
        }
        for (Object item : items) {
            if (item != null && !(item instanceof Tensor)) {
                return false;
            }
        }
        return true;
    }

    private static String wanted(Param param) {
        return switch (param.type()) {
            case TENSOR -> "Tensor";
            case OPERAND -> "Tensor or Number";
            case SCALAR -> "Number";
            case TENSORS, OPTIONAL_TENSORS -> "tuple of Tensors";
            case INT -> "int";
            case INTS -> "tuple of ints";
            case FLOAT -> "float";
            case BOOL -> "bool";
            case DTYPE -> "torch.dtype";
            case STRING -> "str";
            case OPTIONS, GENERATOR -> param.type().spelling();
        };
    }

    private static String name(Op op, int index) {
        for (Spelling spelling : op.spellings()) {
            int[] indices = spelling.schemaIndices(op.schema());
            for (int i = 0; i < indices.length; i++) {
                if (indices[i] == index) {
                    return spelling.params().get(i).name();
                }
            }
        }
        return op.schema().params().get(index).name();
    }

    /** The Python class of an argument as it arrived. */
    static String className(Object arg) {
        return switch (arg) {
            case null -> "NoneType";
            case Boolean b -> "bool";
            case Double d -> "float";
            case Integer i -> "int";
            case Long l -> "int";
            case BigInteger b -> "int";
            case String s -> "str";
            case Tensor t -> "Tensor";
            case DType d -> "torch.dtype";
            case long[] l -> "tuple";
            case Object[] items -> {
                for (Object item : items) {
                    if (!(item instanceof Tensor)) {
                        yield "tuple of " + className(item);
                    }
                }
                yield "tuple";
            }
            default -> {
                Value meta = Value.asValue(arg).getMetaObject();
                yield meta == null ? arg.getClass().getSimpleName() : meta.getMetaSimpleName();
            }
        };
    }
}
