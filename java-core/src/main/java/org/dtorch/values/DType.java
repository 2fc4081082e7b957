package org.dtorch.values;

import java.util.List;

/**
 * The element types of tensors, with PyTorch's names and promotion.
 *
 * <p>Source of the promotion lattice: PyTorch's {@code torch.promote_types}, which is commutative and treats the kinds
 * bool &lt; integral &lt; floating as categories.
 */
public enum DType {
    BOOL("bool", 1, Kind.BOOL),
    UINT8("uint8", 1, Kind.INTEGRAL),
    INT8("int8", 1, Kind.INTEGRAL),
    INT16("int16", 2, Kind.INTEGRAL),
    INT32("int32", 4, Kind.INTEGRAL),
    INT64("int64", 8, Kind.INTEGRAL),
    FLOAT16("float16", 2, Kind.FLOATING),
    BFLOAT16("bfloat16", 2, Kind.FLOATING),
    FLOAT32("float32", 4, Kind.FLOATING),
    FLOAT64("float64", 8, Kind.FLOATING);

    /** The category that decides how a dtype meets a scalar or another dtype. */
    public enum Kind {
        BOOL,
        INTEGRAL,
        FLOATING
    }

    private static final DType[][] PROMOTED = promotionTable();

    private final String torchName;
    private final int bytes;
    private final Kind kind;

    DType(String torchName, int bytes, Kind kind) {
        this.torchName = torchName;
        this.bytes = bytes;
        this.kind = kind;
    }

    /** The name without prefix, for example {@code float32}. */
    public String torchName() {
        return torchName;
    }

    /** The size of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    public Kind kind() {
        return kind;
    }

    public boolean isFloating() {
        return kind == Kind.FLOATING;
    }

    public boolean isIntegral() {
        return kind == Kind.INTEGRAL;
    }

    /** The dtype of a result that combines two tensors of at least one dimension each, as {@code torch.promote_types}. */
    public static DType promote(DType a, DType b) {
        return PROMOTED[a.ordinal()][b.ordinal()];
    }

    /** The dtype whose {@link #torchName} is {@code name}; a {@link DTorchError} of kind VALUE lists the legal names. */
    public static DType of(String name) {
        for (DType dtype : values()) {
            if (dtype.torchName.equals(name)) {
                return dtype;
            }
        }
        throw DTorchError.value("unknown dtype '%s', expected one of %s", name, List.of(values()));
    }

    @Override
    public String toString() {
        return "torch." + torchName;
    }

    private static DType[][] promotionTable() {
        DType[] all = values();
        DType[][] table = new DType[all.length][all.length];
        for (DType a : all) {
            for (DType b : all) {
                table[a.ordinal()][b.ordinal()] = promoteOnce(a, b);
            }
        }
        return table;
    }

    private static DType promoteOnce(DType a, DType b) {
        if (a == b) {
            return a;
        }
        if (a.kind != b.kind) {
            return a.kind.ordinal() > b.kind.ordinal() ? a : b;
        }
        if (a.kind == Kind.FLOATING && a.bytes == 2 && b.bytes == 2) {
            return FLOAT32; // float16 and bfloat16 hold neither's range and precision
        }
        DType wider = a.ordinal() > b.ordinal() ? a : b;
        DType narrower = wider == a ? b : a;
        // uint8 meets the signed types: int8 cannot hold its range, wider ones can.
        return narrower == UINT8 && wider == INT8 ? INT16 : wider;
    }
}
