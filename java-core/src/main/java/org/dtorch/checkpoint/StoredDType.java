package org.dtorch.checkpoint;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.dtorch.values.DType;

/** The names of dtypes in safetensors headers, in the order in which the format's own writer lays tensors out. */
final class StoredDType {
    /** Wider types come first, so that every tensor is aligned to its element size. */
    private static final Map<String, DType> BY_NAME = byName();

    private static final Map<DType, String> NAMES = names();

    private StoredDType() {}

    /** The dtype called {@code name}, or null if there is none. */
    static DType of(String name) {
        return BY_NAME.get(name);
    }

    static String nameOf(DType dtype) {
        return NAMES.get(dtype);
    }

    static Iterable<String> legalNames() {
        return BY_NAME.keySet();
    }

    /** The place of {@code dtype} in the layout. */
    static int rank(DType dtype) {
        int rank = 0;
        for (DType other : BY_NAME.values()) {
            if (other == dtype) {
                return rank;
            }
            rank++;
        }
        throw new IllegalArgumentException("no stored form of " + dtype);
    }

    private static Map<String, DType> byName() {
        Map<String, DType> map = new LinkedHashMap<>();
        map.put("I64", DType.INT64);
        map.put("F64", DType.FLOAT64);
        map.put("F32", DType.FLOAT32);
        map.put("I32", DType.INT32);
        map.put("BF16", DType.BFLOAT16);
        map.put("F16", DType.FLOAT16);
        map.put("I16", DType.INT16);
        map.put("I8", DType.INT8);
        map.put("U8", DType.UINT8);
        map.put("BOOL", DType.BOOL);
        return map;
    }

    private static Map<DType, String> names() {
        Map<DType, String> map = new EnumMap<>(DType.class);
        BY_NAME.forEach((name, dtype) -> map.put(dtype, name));
        return map;
    }
}
