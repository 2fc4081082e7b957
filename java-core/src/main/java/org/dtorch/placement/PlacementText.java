package org.dtorch.placement;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.dtorch.values.DTorchError;

/** Shared instances of placements, and their text form. */
final class PlacementText {
    static final Placement[] PARTIALS = new Placement[ReduceOp.values().length];
    private static final int KNOWN_DIMS = 16;
    private static final Placement[] SHARDS = new Placement[KNOWN_DIMS];
    private static final Pattern FORM = Pattern.compile(
            "(?<r>R|Replicate\\(\\))|(?:S|Shard)(?:(?<bare>-?\\d{1,9})|\\((?:dim=)?(?<dim>-?\\d{1,9})\\))"
                    + "|(?<p>P|Partial)(?:\\((?<op>[a-z]*)\\))?");

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
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw DTorchError.value("cannot read '%s' as a placement, expected for example R, S(0), P(sum)", text);
        }
        if (form.group("r") != null) {
            return Replicate.INSTANCE;
        }
        if (form.group("p") != null) {
            String op = form.group("op");
            return Placement.partial(op == null || op.isEmpty() ? ReduceOp.SUM : ReduceOp.of(op));
        }
        return shard(Integer.parseInt(form.group("bare") != null ? form.group("bare") : form.group("dim")));
    }
}
