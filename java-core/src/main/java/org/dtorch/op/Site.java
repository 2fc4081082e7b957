package org.dtorch.op;

import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/**
 * One call of an operator: its arguments by name, with PyTorch's conventions for dimensions.
 *
 * @param args in schema order, complete; not to be changed
 */
public record Site(Op op, Object[] args) {
    public Object arg(String name) {
        return args[op.schema().index(name)];
    }

    public boolean isAbsent(String name) {
        return arg(name) == null;
    }

    public Value tensor(String name) {
        return (Value) arg(name);
    }

    public Value[] tensors(String name) {
        return (Value[]) arg(name);
    }

    public Shape shape(String name) {
        return tensor(name).shape();
    }

    public DType dtype(String name) {
        return tensor(name).dtype();
    }

    public long integer(String name) {
        return (Long) arg(name);
    }

    public long[] integers(String name) {
        return (long[]) arg(name);
    }

    public boolean flag(String name) {
        return (Boolean) arg(name);
    }

    public double number(String name) {
        return arg(name) instanceof Scalar s ? s.toDouble() : (Double) arg(name);
    }

    public String text(String name) {
        return (String) arg(name);
    }

    /** The dtype argument, or {@code fallback} where it is absent. */
    public DType dtypeOr(String name, DType fallback) {
        return isAbsent(name) ? fallback : (DType) arg(name);
    }

    /** A dimension argument, wrapped into [0, rank) of the tensor {@code of}. */
    public int dim(String name, String of) {
        return Shape.wrapDim(integer(name), shape(of).rank());
    }

    /**
     * A list of dimensions wrapped into [0, rank); absent or empty means all of them.
     *
     * @throws DTorchError of kind RUNTIME when one is given twice
     */
    public int[] dims(String name, String of) {
        int rank = shape(of).rank();
        long[] given = isAbsent(name) ? new long[0] : integers(name);
        if (given.length == 0) {
            int[] all = new int[rank];
            for (int d = 0; d < rank; d++) {
                all[d] = d;
            }
            return all;
        }
        int[] dims = new int[given.length];
        boolean[] seen = new boolean[Math.max(rank, 1)];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = Shape.wrapDim(given[i], rank);
            if (seen[dims[i]]) {
                throw DTorchError.runtime("%s: dim %d appears multiple times in the list of dims", op.name(), dims[i]);
            }
            seen[dims[i]] = true;
        }
        return rank == 0 ? new int[0] : dims;
    }
}
