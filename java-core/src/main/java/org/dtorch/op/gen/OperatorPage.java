package org.dtorch.op.gen;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.dtorch.op.Gradient;
import org.dtorch.op.Op;
import org.dtorch.op.OpKind;
import org.dtorch.op.Spelling;

/** The documentation page of all operators. */
final class OperatorPage {
    private OperatorPage() {}

    static String of(Collection<Op> ops) {
        StringBuilder page = new StringBuilder("""
                # Operators

                Generated from the operator table. *Made by*: kernel (a pointwise expression, a reduction or a kernel of its
                own), view, composite (written in other operators), creation, random. *Python* names are of the package
                `dtorch` unless they say otherwise; `x.name` is a method of `Tensor`.

                | operator | Python | made by | gradient | what it computes |
                |---|---|---|---|---|
                """);
        for (Op op : ops) {
            page.append("| `")
                    .append(op.schema().text().replace("|", "\\|"))
                    .append("` | ")
                    .append(names(op))
                    .append(" | ")
                    .append(madeBy(op))
                    .append(" | ")
                    .append(gradient(op))
                    .append(" | ")
                    .append(op.doc().replace("|", "\\|"))
                    .append(" |\n");
        }
        return page.toString();
    }

    private static String names(Op op) {
        if (op.spellings().isEmpty()) {
            return "none: " + op.unspelled();
        }
        Set<String> names = new LinkedHashSet<>();
        for (Spelling spelling : op.spellings()) {
            names.add(
                    switch (spelling.namespace()) {
                        case "dtorch" -> "`" + spelling.name() + "`";
                        case Spelling.TENSOR -> "`x." + spelling.name() + "`";
                        default -> "`" + spelling.namespace() + "." + spelling.name() + "`";
                    });
        }
        return String.join(", ", names);
    }

    private static String madeBy(Op op) {
        return switch (op.kind()) {
            case OpKind.Computed c -> "kernel";
            case OpKind.View v -> "view";
            case OpKind.Composite c -> "composite";
            case OpKind.Created c -> "creation";
            case OpKind.Random r -> "random";
        };
    }

    private static String gradient(Op op) {
        if (op.kind() instanceof OpKind.Composite && op.gradient() instanceof Gradient.None) {
            return "-";
        }
        return switch (op.gradient()) {
            case Gradient.Formula f -> "yes";
            case Gradient.None none -> none == Gradient.PENDING ? "pending" : "none: " + none.reason();
        };
    }
}
