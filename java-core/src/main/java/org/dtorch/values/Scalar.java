package org.dtorch.values;

/** A number that takes part in an operator without being a tensor; it promotes by its kind only, as in PyTorch. */
public sealed interface Scalar {

    /** A Python {@code int}. */
    record Int(long value) implements Scalar {
        @Override
        public String toString() {
            return Long.toString(value);
        }
    }

    /** A Python {@code float}. */
    record Float(double value) implements Scalar {
        @Override
        public String toString() {
            return Double.toString(value);
        }
    }

    /** A Python {@code bool}. */
    record Bool(boolean value) implements Scalar {
        @Override
        public String toString() {
            return value ? "True" : "False";
        }
    }

    static Scalar of(long value) {
        return new Int(value);
    }

    static Scalar of(double value) {
        return new Float(value);
    }

    static Scalar of(boolean value) {
        return new Bool(value);
    }

    /** The category that this number brings into promotion. */
    default DType.Kind kind() {
        return switch (this) {
            case Int i -> DType.Kind.INTEGRAL;
            case Float f -> DType.Kind.FLOATING;
            case Bool b -> DType.Kind.BOOL;
        };
    }

    default double toDouble() {
        return switch (this) {
            case Int i -> i.value();
            case Float f -> f.value();
            case Bool b -> b.value() ? 1 : 0;
        };
    }

    /** The value as an integer; floats are cut towards zero, as in a cast. */
    default long toLong() {
        return switch (this) {
            case Int i -> i.value();
            case Float f -> (long) f.value();
            case Bool b -> b.value() ? 1 : 0;
        };
    }
}
