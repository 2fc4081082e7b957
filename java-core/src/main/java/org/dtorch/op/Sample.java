package org.dtorch.op;

import java.util.List;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * One set of arguments that shows an operator at work, for generated tests.
 *
 * @param args in schema order; tensors are {@link Tensor} recipes, lists of tensors are {@code Tensor[]}
 */
public record Sample(List<Object> args) {

    /**
     * How to make a tensor argument.
     *
     * @param low smallest value
     * @param high largest value
     */
    public record Tensor(Shape shape, DType dtype, double low, double high) {}

    /**
     * Options of a creation, on whatever layout the test chooses.
     *
     * @param dtype null for the operator's own
     */
    public record Options(DType dtype) {}

    /** Options that leave all to the operator. */
    public static final Options DEFAULTS = new Options(null);

    public static Sample of(Object... args) {
        return new Sample(java.util.Arrays.asList(args));
    }

    public static Tensor tensor(double low, double high, long... shape) {
        return new Tensor(Shape.of(shape), DType.FLOAT32, low, high);
    }

    public static Tensor ints(DType dtype, long low, long high, long... shape) {
        return new Tensor(Shape.of(shape), dtype, low, high);
    }

    public static Tensor mask(long... shape) {
        return new Tensor(Shape.of(shape), DType.BOOL, 0, 1);
    }

    /** Usual inputs of a function of one tensor. */
    public static List<Sample> unary(double low, double high) {
        return List.of(
                of(tensor(low, high, 5, 4)),
                of(tensor(low, high)),
                of(tensor(low, high, 0, 3)),
                of(tensor(low, high, 3, 1, 2)));
    }

    /** Usual inputs of a function of two tensors: same shape, broadcast both ways, 0-dimensional. */
    public static List<Sample> binary(double low, double high) {
        return List.of(
                of(tensor(low, high, 5, 4), tensor(low, high, 5, 4)),
                of(tensor(low, high, 5, 4), tensor(low, high, 4)),
                of(tensor(low, high, 5, 1), tensor(low, high, 1, 4)),
                of(tensor(low, high, 4), tensor(low, high)));
    }
}
