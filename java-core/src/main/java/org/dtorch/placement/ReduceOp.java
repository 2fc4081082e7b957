package org.dtorch.placement;

import java.util.Locale;
import org.dtorch.values.DTorchError;

/** How the parts of a partial value combine into the full one. */
public enum ReduceOp {
    SUM,
    AVG,
    PRODUCT,
    MAX,
    MIN;

    private final String torchName = name().toLowerCase(Locale.ROOT);

    /** PyTorch's name: {@code sum}, {@code avg}, {@code product}, {@code max} or {@code min}. */
    public String torchName() {
        return torchName;
    }

    /** Whether equal parts combine to the same value, so that a replicated value is already a partial one. */
    public boolean isIdempotent() {
        return this == AVG || this == MAX || this == MIN;
    }

    /** The op whose {@link #torchName} is {@code name}; otherwise an error of kind VALUE. */
    public static ReduceOp of(String name) {
        for (ReduceOp op : values()) {
            if (op.torchName.equals(name)) {
                return op;
            }
        }
        throw DTorchError.value("unknown reduce op '%s', expected one of sum, avg, product, max, min", name);
    }

    @Override
    public String toString() {
        return torchName;
    }
}
