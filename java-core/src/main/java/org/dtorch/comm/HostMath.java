package org.dtorch.comm;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.placement.ReduceOp;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;

/** Copies and reductions of host memory by the CPU backend's pointwise kernels. */
final class HostMath {
    private record Key(ReduceOp op, int members, DType compute) {}

    private final Backend backend;
    private final ConcurrentHashMap<Key, Kernel> reductions = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<DType, Kernel> copies = new ConcurrentHashMap<>();

    HostMath(Backend backend) {
        this.backend = backend;
    }

    /** The part of {@code whole} that starts at {@code start} along {@code dim} and is {@code size} long. */
    static Operand slice(Operand whole, int dim, long start, long size) {
        long[] sizes = whole.sizes().clone();
        sizes[dim] = size;
        return new Operand(
                whole.memory(), whole.offset() + start * whole.strides()[dim], whole.dtype(), sizes, whole.strides());
    }

    /** Copies all elements; sizes and dtype are equal. Nothing happens when both are the same piece. */
    void copy(Operand from, Operand to) {
        if (from.numel() == 0 || address(from) == address(to)) {
            return;
        }
        copies.computeIfAbsent(compute(from.dtype()), c -> backend.kernel(new Recipe.Pointwise(Expr.input(0), c)))
                .run(new Launch(new Operand[] {from}, new Operand[] {to}, new Object[0], null));
    }

    static long address(Operand operand) {
        return operand.memory().segment().address() + operand.byteOffset();
    }

    /**
     * Fills each of {@code outs} with the combined {@code ins}, member by member in group order, so that results repeat bit
     * for bit; the 16-bit floats are joined in float32. An output may be one of the inputs.
     */
    void reduce(ReduceOp op, Operand[] ins, List<Operand> outs) {
        if (outs.isEmpty() || ins[0].numel() == 0) {
            return;
        }
        Operand first = outs.getFirst();
        reductions
                .computeIfAbsent(new Key(op, ins.length, compute(first.dtype())), this::reduction)
                .run(new Launch(ins, new Operand[] {first}, new Object[0], null));
        for (Operand other : outs) {
            copy(first, other);
        }
    }

    private Kernel reduction(Key key) {
        BinaryFunction function = switch (key.op()) {
            case SUM, AVG -> BinaryFunction.ADD;
            case PRODUCT -> BinaryFunction.MUL;
            case MAX -> BinaryFunction.MAXIMUM;
            case MIN -> BinaryFunction.MINIMUM;
        };
        Expr joined = Expr.input(0);
        for (int i = 1; i < key.members(); i++) {
            joined = joined.apply(function, Expr.input(i));
        }
        Expr result = key.op() == ReduceOp.AVG ? joined.div(Expr.constant(key.members())) : joined;
        return backend.kernel(new Recipe.Pointwise(result, key.compute()));
    }

    private static DType compute(DType dtype) {
        return !dtype.isFloating() ? DType.INT64 : dtype == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
    }
}
