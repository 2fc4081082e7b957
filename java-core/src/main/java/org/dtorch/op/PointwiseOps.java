package org.dtorch.op;

import static org.dtorch.op.Rows.pointwise;

import org.dtorch.op.PointwiseRow.DTypes;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.Scalar;

/** Operators that compute each element from the elements at the same index. */
public final class PointwiseOps {
    private PointwiseOps() {}

    public static final Op ADD = pointwise("add(Tensor self, Operand other, *, Scalar alpha=1) -> Tensor")
            .doc("self + alpha * other.")
            .variant(site -> isOne(site.arg("alpha")) ? 1 : 0)
            .computeAt((site, e) -> e[0].add(isOne(site.arg("alpha")) ? e[1] : e[1].mul(e[2])))
            .linear("self", "other")
            .both("add(input, other, *, alpha=1)")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op MUL = pointwise("mul(Tensor self, Operand other) -> Tensor")
            .doc("Elementwise product.")
            .binary(BinaryFunction.MUL)
            .linear("self")
            .linear("other")
            .both("mul(input, other)")
            .samples(Sample.binary(-5, 5))
            .build();

    public static final Op EXP = pointwise("exp(Tensor self) -> Tensor")
            .doc("e to the power of each element.")
            .dtypes(DTypes.INTEGERS_TO_FLOAT)
            .unary(UnaryFunction.EXP)
            .weight(4)
            .both("exp(input)")
            .samples(Sample.unary(-5, 5))
            .build();

    private static boolean isOne(Object scalar) {
        return scalar instanceof Scalar.Int i && i.value() == 1;
    }
}
