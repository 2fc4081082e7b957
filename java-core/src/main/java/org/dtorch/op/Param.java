package org.dtorch.op;

import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

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

        /** Whether the dispatcher takes {@code arg} for a parameter of this type. */
        public boolean accepts(Object arg, boolean optional) {
            return switch (this) {
                case TENSOR -> arg instanceof Value || (arg == null && optional);
                case TENSORS ->
                    arg instanceof Value[] list && java.util.Arrays.stream(list).allMatch(v -> v != null);
                case OPTIONAL_TENSORS -> arg instanceof Value[];
                case OPERAND -> arg instanceof Value || arg instanceof Scalar || (arg == null && optional);
                case SCALAR -> arg instanceof Scalar || (arg == null && optional);
                case INT -> arg instanceof Long || (arg == null && optional);
                case INTS -> arg instanceof long[] || (arg == null && optional);
                case FLOAT -> arg instanceof Double || (arg == null && optional);
                case BOOL -> arg instanceof Boolean || (arg == null && optional);
                case DTYPE -> arg instanceof DType || (arg == null && optional);
                case STRING -> arg instanceof String || (arg == null && optional);
                case OPTIONS -> arg instanceof CreationOptions || (arg == null && optional);
                case GENERATOR -> true;
            };
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
