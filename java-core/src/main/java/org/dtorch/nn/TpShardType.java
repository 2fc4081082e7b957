package org.dtorch.nn;

import org.dtorch.values.DTorchError;

/** Which dimension of its weight a linear layer splits. */
public enum TpShardType {
    /** The output features: the weight is sharded on 0, the bias with it. */
    COL,
    /** The input features: the weight is sharded on 1, the outputs are partial sums, and so is the bias. */
    ROW;

    /** The value whose lower-case name is {@code text}; null for null; an error of kind ASSERTION for any other. */
    public static TpShardType of(String text) {
        return switch (text) {
            case null -> null;
            case "col" -> COL;
            case "row" -> ROW;
            default -> throw DTorchError.assertion("tp_shard_type must be \"row\", \"col\" or None, got \"%s\"", text);
        };
    }
}
