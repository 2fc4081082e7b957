package org.dtorch.op;

/** An operator written in other operators. */
final class CompositeRow extends Row<CompositeRow> {
    private OpKind.Body body;

    CompositeRow(String schema) {
        super(schema);
        gradient(Gradient.none("follows from the operators it is written in"));
    }

    CompositeRow body(OpKind.Body calls) {
        this.body = calls;
        return this;
    }

    /** A body with one result. */
    CompositeRow is(Single calls) {
        return body((k, s) -> new Value[] {calls.apply(k, s)});
    }

    @FunctionalInterface
    interface Single {
        Value apply(Calls calls, Site site);
    }

    @Override
    CompositeRow self() {
        return this;
    }

    @Override
    OpKind kind() {
        return new OpKind.Composite(body);
    }
}
