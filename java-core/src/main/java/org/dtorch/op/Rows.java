package org.dtorch.op;

/** The families of operators; each starts a row. */
final class Rows {
    private Rows() {}

    /** An operator that computes each output element from the input elements at the same index. */
    static PointwiseRow pointwise(String schema) {
        return new PointwiseRow(schema);
    }

    /** An operator that joins the elements along dimensions. */
    static ReductionRow reduction(String schema) {
        return new ReductionRow(schema);
    }

    /** An operator with a kernel of its own. */
    static KernelRow kernel(String schema) {
        return new KernelRow(schema);
    }

    /** An operator that looks at the same storage with other sizes and strides. */
    static ViewRow view(String schema) {
        return new ViewRow(schema);
    }

    /** An operator that makes a tensor from nothing. */
    static CreateRow create(String schema) {
        return new CreateRow(schema);
    }

    /** An operator that draws from a generator. */
    static RandomRow random(String schema) {
        return new RandomRow(schema);
    }

    /** An operator written in other operators. */
    static CompositeRow composite(String schema) {
        return new CompositeRow(schema);
    }
}
