package org.dtorch.op;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** What all families collect about an operator while it is being declared. */
abstract class Row<B extends Row<B>> {
    final Schema schema;
    Gradient gradient = Gradient.PENDING;
    final List<Sample> samples = new ArrayList<>();
    final List<Spelling> spellings = new ArrayList<>();
    String doc = "";
    Op inPlace;
    ToIntFunction<Site> variant;
    String unspelled;

    Row(String schema) {
        this(Schema.parse(schema));
    }

    Row(Schema schema) {
        this.schema = schema;
    }

    abstract B self();

    abstract OpKind kind();

    /** One sentence on what it computes. */
    B doc(String sentence) {
        this.doc = sentence;
        return self();
    }

    B gradient(Gradient formula) {
        this.gradient = formula;
        return self();
    }

    B samples(List<Sample> list) {
        samples.addAll(list);
        return self();
    }

    B samples(Sample... list) {
        return samples(List.of(list));
    }

    /** A function of the package {@code dtorch}: {@code add(input, other, alpha=1)}. */
    B function(String signature) {
        spellings.add(Spelling.parse("dtorch", signature));
        return self();
    }

    /** A method of {@code dtorch.Tensor}, written without self. */
    B method(String signature) {
        spellings.add(Spelling.parse("Tensor", signature));
        return self();
    }

    /** A function of {@code dtorch.nn.functional}. */
    B functional(String signature) {
        spellings.add(Spelling.parse("nn.functional", signature));
        return self();
    }

    /** A function of {@code dtorch.linalg}. */
    B linalg(String signature) {
        spellings.add(Spelling.parse("linalg", signature));
        return self();
    }

    /** It has no public name, for the reason given. */
    B internal(String reason) {
        this.unspelled = reason;
        return self();
    }

    /** Python's operators that it stands for, {@code __add__}; of two operands where it has a second tensor or number. */
    B operators(String... names) {
        boolean binary = schema.params().size() > 1
                && (schema.params().get(1).type() == Param.Type.OPERAND
                        || schema.params().get(1).type() == Param.Type.TENSOR);
        for (String name : names) {
            method(name + (binary ? "(other)" : "()"));
        }
        return self();
    }

    /** Function and method of the same parameters, {@code sum(input, dim=(), keepdim=False)}; the method drops the first. */
    B both(String signature) {
        function(signature);
        int open = signature.indexOf('(');
        int comma = signature.indexOf(',');
        return method(signature.substring(0, open + 1)
                + (comma < 0 ? ")" : signature.substring(comma + 1).strip()));
    }

    /** As {@link #both}, under several names with the same parameters: {@code "gt, greater", "(input, other)"}. */
    B aliases(String names, String parameters) {
        for (String name : names.split(", *")) {
            both(name + parameters);
        }
        return self();
    }

    B variant(ToIntFunction<Site> key) {
        this.variant = key;
        return self();
    }

    /** The finished row. */
    Op build() {
        return new Op(this, kind());
    }
}
