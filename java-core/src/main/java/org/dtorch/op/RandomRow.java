package org.dtorch.op;

/** An operator that draws from a generator. */
final class RandomRow extends Row<RandomRow> {
    private OpKind.Infer infer;
    private OpKind.Draw draw;

    RandomRow(String schema) {
        super(schema);
        gradient(Gradient.none("random numbers do not depend on the input"));
    }

    RandomRow infer(OpKind.Infer function) {
        this.infer = function;
        return this;
    }

    RandomRow draws(OpKind.Draw function) {
        this.draw = function;
        return this;
    }

    @Override
    RandomRow self() {
        return this;
    }

    @Override
    OpKind kind() {
        return new OpKind.Random(infer, draw);
    }
}
