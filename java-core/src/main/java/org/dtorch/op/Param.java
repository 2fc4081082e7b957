package org.dtorch.op;

/**
 * One parameter of an operator.
 *
 * @param fallback the default; {@link #REQUIRED} where there is none
 * @param keywordOnly whether it stands behind the {@code *}
 * @param mutated whether the operator writes to this tensor
 */
public record Param(String name, Type type, boolean optional, Object fallback, boolean keywordOnly, boolean mutated) {
    /** Marks a parameter without default. */
    public static final Object REQUIRED = new Object() {
        @Override
        public String toString() {
            return "required";
        }
    };

    /** What an argument may be; the second column says how it is passed to the dispatcher. */
    public enum Type {
        /** {@link Value}. */
        TENSOR("Tensor"),
        /** {@code Value[]}. */
        TENSORS("Tensor[]"),
        /** {@code Value[]} whose entries may be null: index lists. */
        OPTIONAL_TENSORS("Tensor?[]"),
        /** {@link Value} or {@link org.dtorch.values.Scalar}. */
        OPERAND("Operand"),
        /** {@link org.dtorch.values.Scalar}: a number whose value is in no cache key. */
        SCALAR("Scalar"),
        /** {@code Long}. */
        INT("int"),
        /** {@code long[]}. */
        INTS("int[]"),
        /** {@code Double}: a number of the kernel, in no cache key. */
        FLOAT("float"),
        /** {@code Boolean}. */
        BOOL("bool"),
        /** {@link org.dtorch.values.DType}. */
        DTYPE("DType"),
        /** {@code String}. */
        STRING("str"),
        /** {@link CreationOptions}. */
        OPTIONS("Options"),
        /** A generator of random numbers that the dispatcher knows; null for the session's own. */
        GENERATOR("Generator");

        private final String spelling;

        Type(String spelling) {
            this.spelling = spelling;
        }

        public String spelling() {
            return spelling;
        }

        /** Whether an argument of this type can hold tensors. */
        public boolean holdsTensors() {
            return this == TENSOR || this == TENSORS || this == OPTIONAL_TENSORS || this == OPERAND;
        }
    }

    public boolean isRequired() {
        return fallback == REQUIRED;
    }
}
