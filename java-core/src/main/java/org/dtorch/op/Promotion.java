package org.dtorch.op;

import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/**
 * PyTorch's type promotion for operators of several operands.
 *
 * <p>Tensors with dimensions outrank 0-dimensional tensors, which outrank Python numbers; an operand of a lower rank
 * changes the result only if it brings a higher category (bool, integral, floating). Source: {@code torch.result_type}.
 */
public final class Promotion {
    /** What a Python float becomes when it meets integers. */
    private static final DType DEFAULT_FLOAT = DType.FLOAT32;

    private Promotion() {}

    /** The common dtype of {@link Value}s and {@link Scalar}s; nulls are passed over. */
    public static DType resultType(Object... operands) {
        DType dimensioned = null;
        DType zeroDim = null;
        DType number = null;
        for (Object operand : operands) {
            switch (operand) {
                case null -> {}
                case Value v when v.shape().rank() > 0 -> dimensioned = promote(dimensioned, v.dtype());
                case Value v -> zeroDim = promote(zeroDim, v.dtype());
                case Scalar s -> number = promote(number, of(s));
                default -> throw new IllegalArgumentException("not an operand: " + operand);
            }
        }
        return combine(dimensioned, combine(zeroDim, number));
    }

    /** The dtype that a tensor made from a Python number has. */
    public static DType of(Scalar scalar) {
        return switch (scalar.kind()) {
            case BOOL -> DType.BOOL;
            case INTEGRAL -> DType.INT64;
            case FLOATING -> DEFAULT_FLOAT;
        };
    }

    /** Integers and bool become float32, as for {@code exp} or true division. */
    public static DType floating(DType dtype) {
        return dtype.isFloating() ? dtype : DEFAULT_FLOAT;
    }

    /** The dtype in which a kernel computes values of {@code dtype}. */
    public static DType compute(DType dtype) {
        return switch (dtype.kind()) {
            case FLOATING -> dtype == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
            case BOOL, INTEGRAL -> DType.INT64;
        };
    }

    /** Whether a result of dtype {@code from} may be written into a tensor of dtype {@code to}. */
    public static boolean canCast(DType from, DType to) {
        return from.kind().ordinal() <= to.kind().ordinal();
    }

    private static DType promote(DType a, DType b) {
        return a == null ? b : DType.promote(a, b);
    }

    private static DType combine(DType higher, DType lower) {
        if (higher == null) {
            return lower;
        }
        if (lower == null || higher.isFloating()) {
            return higher;
        }
        boolean raises = lower.kind().ordinal() > higher.kind().ordinal();
        return raises ? DType.promote(higher, lower) : higher;
    }
}
