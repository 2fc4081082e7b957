package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.pointwise;

import org.dtorch.values.DType;

/** Conversions of dtype. */
public final class CastOps {
    private CastOps() {}

    public static final Op CAST = pointwise("cast(Tensor self, DType dtype) -> Tensor")
            .doc("A copy with another dtype; floats are cut towards zero, any non-zero number is True.")
            .dtypes(site -> (DType) site.arg("dtype"), site -> site.dtype("self"))
            .compute(x -> x)
            .linear("self")
            .linearIf(site -> ((DType) site.arg("dtype")).isFloating() && site.dtype("self") != DType.BOOL)
            .withoutInPlace()
            .internal("Tensor.to reads its arguments, then calls it")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 4), DType.FLOAT64),
                    Sample.of(Sample.tensor(-5, 5, 5, 4), DType.INT64),
                    Sample.of(Sample.ints(DType.INT64, -2, 2, 5, 4), DType.BOOL))
            .build();

    public static final Op TO_DTYPE = composite("to_dtype(Tensor self, DType dtype) -> Tensor")
            .doc("self where it has that dtype, else a converted copy.")
            .is((k, s) -> to(k, s.tensor("self"), (DType) s.arg("dtype")))
            .internal("Tensor.to reads its arguments, then calls it")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), DType.FLOAT64))
            .build();

    public static final Op TYPE_AS = composite("type_as(Tensor self, Tensor other) -> Tensor")
            .doc("self with the dtype of other.")
            .is((k, s) -> to(k, s.tensor("self"), s.dtype("other")))
            .method("type_as(other)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), Sample.ints(DType.INT64, 0, 1, 2)))
            .build();

    public static final Op FLOAT = conversion("float", DType.FLOAT32);
    public static final Op DOUBLE = conversion("double", DType.FLOAT64);
    public static final Op HALF = conversion("half", DType.FLOAT16);
    public static final Op BFLOAT16 = conversion("bfloat16", DType.BFLOAT16);
    public static final Op LONG = conversion("long", DType.INT64);
    public static final Op INT = conversion("int", DType.INT32);
    public static final Op SHORT = conversion("short", DType.INT16);
    public static final Op CHAR = conversion("char", DType.INT8);
    public static final Op BYTE = conversion("byte", DType.UINT8);
    public static final Op BOOL = conversion("bool", DType.BOOL);

    /** {@code x} with that dtype, itself where it has it. */
    static Value to(Calls k, Value x, DType dtype) {
        return x.dtype() == dtype ? x : k.call(CAST, x, dtype);
    }

    private static Op conversion(String name, DType dtype) {
        return composite(name + "(Tensor self) -> Tensor")
                .doc("self with dtype " + dtype.torchName() + ".")
                .is((k, s) -> to(k, s.tensor("self"), dtype))
                .method(name + "()")
                .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
                .build();
    }
}
