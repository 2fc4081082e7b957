package org.dtorch.op;

import java.util.List;
import java.util.function.ToIntFunction;

/**
 * One row of the operator table: everything there is to say about an operator.
 *
 * <p>Rows are built by the families in {@link Rows} and collected by {@link OpTable}; dispatch, the Python function and
 * method, stubs, the documentation page and the generated tests come from them.
 */
public final class Op {
    private final Schema schema;
    private final OpKind kind;
    private final Gradient gradient;
    private final List<Sample> samples;
    private final List<Spelling> spellings;
    private final String doc;
    private final Op inPlace;
    private final ToIntFunction<Site> variant;
    private final int mutatedParam;
    private final String unspelled;

    Op(Row<?> row, OpKind kind) {
        this.schema = row.schema;
        this.kind = kind;
        this.gradient = row.gradient;
        this.samples = List.copyOf(row.samples);
        this.spellings = List.copyOf(row.spellings);
        this.doc = row.doc;
        this.inPlace = row.inPlace;
        this.variant = row.variant;
        this.unspelled = row.unspelled;
        int mutated = -1;
        for (int i = 0; i < schema.params().size(); i++) {
            if (schema.params().get(i).mutated()) {
                mutated = i;
            }
        }
        this.mutatedParam = mutated;
    }

    /** The operator's name, unique in the table; an in-place form ends with an underscore. */
    public String name() {
        return schema.name();
    }

    public Schema schema() {
        return schema;
    }

    public OpKind kind() {
        return kind;
    }

    public Gradient gradient() {
        return gradient;
    }

    public List<Sample> samples() {
        return samples;
    }

    public List<Spelling> spellings() {
        return spellings;
    }

    /** What the operator computes, one sentence. */
    public String doc() {
        return doc;
    }

    /** The in-place form, or null. */
    public Op inPlace() {
        return inPlace;
    }

    /** Why it has no public name, or null where it has one. */
    public String unspelled() {
        return unspelled;
    }

    /** The index of the parameter that is written and returned, or -1. */
    public int mutatedParam() {
        return mutatedParam;
    }

    /** A number for what the values of dynamic arguments change about the kernel; part of the cache key. */
    public int variant(Site site) {
        return variant == null ? 0 : variant.applyAsInt(site);
    }

    @Override
    public String toString() {
        return schema.name();
    }
}
