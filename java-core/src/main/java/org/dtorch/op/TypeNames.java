package org.dtorch.op;

import org.dtorch.values.DType;

/** What PyTorch's messages call dtypes. */
final class TypeNames {
    private TypeNames() {}

    /** The name of the C++ scalar type, for example {@code Float} or {@code Long}. */
    static String scalar(DType dtype) {
        return switch (dtype) {
            case BOOL -> "Bool";
            case UINT8 -> "Byte";
            case INT8 -> "Char";
            case INT16 -> "Short";
            case INT32 -> "Int";
            case INT64 -> "Long";
            case FLOAT16 -> "Half";
            case BFLOAT16 -> "BFloat16";
            case FLOAT32 -> "Float";
            case FLOAT64 -> "Double";
        };
    }

    /** The name in C, for example {@code float} or {@code c10::BFloat16}. */
    static String c(DType dtype) {
        return switch (dtype) {
            case BOOL -> "bool";
            case UINT8 -> "unsigned char";
            case INT8 -> "signed char";
            case INT16 -> "short";
            case INT32 -> "int";
            case INT64 -> "long long";
            case FLOAT16 -> "c10::Half";
            case BFLOAT16 -> "c10::BFloat16";
            case FLOAT32 -> "float";
            case FLOAT64 -> "double";
        };
    }
}
