package org.dtorch.placement;

import org.dtorch.values.DTorchError;

/** Shared instances of placements, and their text form. */
final class PlacementText {
    static final Placement[] PARTIALS = new Placement[ReduceOp.values().length];
    private static final int KNOWN_DIMS = 16;
    private static final Placement[] SHARDS = new Placement[KNOWN_DIMS];

    static {
        for (ReduceOp op : ReduceOp.values()) {
            PARTIALS[op.ordinal()] = new Partial(op);
        }
        for (int d = 0; d < KNOWN_DIMS; d++) {
            SHARDS[d] = new Shard(d);
        }
    }

    private PlacementText() {}

    static Placement shard(int dim) {
        return dim >= 0 && dim < KNOWN_DIMS ? SHARDS[dim] : new Shard(dim);
    }

    static Placement parse(String text) {
        int open = text.indexOf('(');
        String kind = open < 0 ? text : text.substring(0, open);
        String argument = open >= 0 && text.endsWith(")") ? text.substring(open + 1, text.length() - 1) : null;
        if (text.equals("R") || text.equals("Replicate()")) {
            return Replicate.INSTANCE;
        }
        if ((kind.equals("P") || kind.equals("Partial")) && (open < 0 || argument != null)) {
            return Placement.partial(argument == null || argument.isEmpty() ? ReduceOp.SUM : ReduceOp.of(argument));
        }
        if ((kind.equals("S") || kind.equals("Shard")) && argument != null) {
            return parseShard(text, argument.startsWith("dim=") ? argument.substring(4) : argument);
        }
        if (text.startsWith("S") && open < 0) {
            return parseShard(text, text.substring(1));
        }
        throw unreadable(text, null);
    }

    private static Placement parseShard(String text, String dim) {
        try {
            return shard(Integer.parseInt(dim));
        } catch (NumberFormatException e) {
            throw unreadable(text, e);
        }
    }

    private static DTorchError unreadable(String text, Throwable cause) {
        return new DTorchError(
                DTorchError.Kind.VALUE,
                "cannot read '" + text + "' as a placement, expected for example R, S(0), P(sum)",
                cause);
    }
}
