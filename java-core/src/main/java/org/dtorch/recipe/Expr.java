package org.dtorch.recipe;

/**
 * A pointwise expression: what one output element is, in terms of the input elements at the same index.
 *
 * <p>Rows of the operator table build it with the methods below ({@code x -> x.sinh()}), every backend evaluates it, so
 * an elementwise operator needs no kernel of its own. Values are computed in the compute dtype of the
 * {@link Recipe.Pointwise} that holds the expression: float32 for the 16- and 32-bit floats, float64 for float64, int64
 * for bool and all integers (results wrap when they are stored). Truth is 1, falsehood 0; any non-zero value is true.
 */
public sealed interface Expr {

    /** The element of tensor operand {@code index}. */
    record Input(int index) implements Expr {}

    /** The scalar argument {@code index} of the launch, so that its value is in no cache key. */
    record Arg(int index) implements Expr {}

    /** A constant of the operator itself. */
    record Const(double value) implements Expr {}

    record Unary(UnaryFunction function, Expr operand) implements Expr {}

    record Binary(BinaryFunction function, Expr left, Expr right) implements Expr {}

    /** {@code condition != 0 ? whenTrue : whenFalse}; the branch not taken may be NaN. */
    record Select(Expr condition, Expr whenTrue, Expr whenFalse) implements Expr {}

    /** Functions of one value; named and defined as PyTorch's operators of the same name. */
    enum UnaryFunction {
        NEG,
        ABS,
        SIGN,
        EXP,
        EXP2,
        EXPM1,
        LOG,
        LOG2,
        LOG10,
        LOG1P,
        SQRT,
        RSQRT,
        RECIPROCAL,
        SIN,
        COS,
        TAN,
        ASIN,
        ACOS,
        ATAN,
        SINH,
        COSH,
        TANH,
        ASINH,
        ACOSH,
        ATANH,
        ERF,
        ERFC,
        SIGMOID,
        FLOOR,
        CEIL,
        /** Half to even. */
        ROUND,
        TRUNC,
        LOGICAL_NOT,
        BITWISE_NOT,
        ISNAN,
        ISINF
    }

    /** Functions of two values; named and defined as PyTorch's operators of the same name. */
    enum BinaryFunction {
        ADD,
        SUB,
        MUL,
        /** True division; in int64 compute it is not used, the row computes in floating point. */
        DIV,
        /** Rounds towards minus infinity; integer division by zero is the operator's error. */
        FLOOR_DIV,
        /** Rounds towards zero. */
        TRUNC_DIV,
        /** Sign of the divisor. */
        REMAINDER,
        /** Sign of the dividend. */
        FMOD,
        POW,
        ATAN2,
        /** NaN if either is NaN. */
        MAXIMUM,
        /** NaN if either is NaN. */
        MINIMUM,
        EQ,
        NE,
        LT,
        LE,
        GT,
        GE,
        LOGICAL_AND,
        LOGICAL_OR,
        LOGICAL_XOR,
        BITWISE_AND,
        BITWISE_OR,
        BITWISE_XOR,
        SHIFT_LEFT,
        SHIFT_RIGHT
    }

    static Expr input(int index) {
        return new Input(index);
    }

    static Expr arg(int index) {
        return new Arg(index);
    }

    static Expr constant(double value) {
        return new Const(value);
    }

    default Expr apply(UnaryFunction function) {
        return new Unary(function, this);
    }

    default Expr apply(BinaryFunction function, Expr other) {
        return new Binary(function, this, other);
    }

    default Expr add(Expr other) {
        return apply(BinaryFunction.ADD, other);
    }

    default Expr sub(Expr other) {
        return apply(BinaryFunction.SUB, other);
    }

    default Expr mul(Expr other) {
        return apply(BinaryFunction.MUL, other);
    }

    default Expr div(Expr other) {
        return apply(BinaryFunction.DIV, other);
    }

    default Expr mul(double factor) {
        return mul(constant(factor));
    }

    default Expr add(double term) {
        return add(constant(term));
    }

    default Expr neg() {
        return apply(UnaryFunction.NEG);
    }

    default Expr exp() {
        return apply(UnaryFunction.EXP);
    }

    default Expr tanh() {
        return apply(UnaryFunction.TANH);
    }

    default Expr sigmoid() {
        return apply(UnaryFunction.SIGMOID);
    }

    default Expr gt(Expr other) {
        return apply(BinaryFunction.GT, other);
    }

    default Expr lt(Expr other) {
        return apply(BinaryFunction.LT, other);
    }

    default Expr maximum(Expr other) {
        return apply(BinaryFunction.MAXIMUM, other);
    }

    default Expr minimum(Expr other) {
        return apply(BinaryFunction.MINIMUM, other);
    }

    /** {@code this != 0 ? whenTrue : whenFalse}. */
    default Expr select(Expr whenTrue, Expr whenFalse) {
        return new Select(this, whenTrue, whenFalse);
    }
}
