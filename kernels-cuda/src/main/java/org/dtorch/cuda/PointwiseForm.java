package org.dtorch.cuda;

import java.util.Optional;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;

/**
 * A pointwise recipe that the kernels can compute: {@code out = a}, or {@code out = a + b} where {@code b} is not null.
 *
 * @param a a tensor input, an argument or a constant
 * @param b the same, or null
 */
record PointwiseForm(Expr a, Expr b) {
    /** The form of a recipe; empty where it asks for more. */
    static Optional<PointwiseForm> of(Recipe.Pointwise recipe) {
        return switch (recipe.expr()) {
            case Expr.Input input -> Optional.of(new PointwiseForm(input, null));
            case Expr.Arg arg -> Optional.of(new PointwiseForm(arg, null));
            case Expr.Const constant -> Optional.of(new PointwiseForm(constant, null));
            case Expr.Binary(Expr.BinaryFunction function, Expr left, Expr right)
            when function == Expr.BinaryFunction.ADD && isLeaf(left) && isLeaf(right) ->
                Optional.of(new PointwiseForm(left, right));
            case Expr.Binary other -> Optional.empty();
            case Expr.Unary other -> Optional.empty();
            case Expr.Select other -> Optional.empty();
        };
    }

    private static boolean isLeaf(Expr expr) {
        return expr instanceof Expr.Input || expr instanceof Expr.Arg || expr instanceof Expr.Const;
    }
}
