package org.dtorch.op;

import org.dtorch.backend.Operand;
import org.dtorch.recipe.Recipe;

/** An operator with a kernel of its own, or one that shares a kernel in an unusual way. */
final class KernelRow extends Row<KernelRow> {
    private OpKind.Infer infer;
    private OpKind.RuleOf rule;
    private OpKind.RecipeOf recipe;
    private OpKind.Arguments arguments = site -> new Object[0];
    private OpKind.NeedsDense needsDense = OpKind.NeedsDense.NONE;
    private OpKind.Fit fit = (operands, inputs, site) -> {};
    private OpKind.Cost cost = KernelRow::elements;

    KernelRow(String schema) {
        super(schema);
    }

    KernelRow infer(OpKind.Infer function) {
        this.infer = function;
        return this;
    }

    KernelRow rule(OpKind.RuleOf function) {
        this.rule = function;
        return this;
    }

    /** The kernel's name in {@code docs/kernels.md}. */
    KernelRow kernel(String name) {
        Recipe named = new Recipe.Named(name);
        this.recipe = (site, outputs) -> named;
        return this;
    }

    KernelRow recipe(OpKind.RecipeOf function) {
        this.recipe = function;
        return this;
    }

    KernelRow args(OpKind.Arguments function) {
        this.arguments = function;
        return this;
    }

    /** Inputs that {@link #fit} can only take dense. */
    KernelRow dense(OpKind.NeedsDense condition) {
        this.needsDense = condition;
        return this;
    }

    KernelRow fit(OpKind.Fit function) {
        this.fit = function;
        return this;
    }

    KernelRow cost(OpKind.Cost function) {
        this.cost = function;
        return this;
    }

    /** The in-place form that was declared beside this row. */
    KernelRow inPlace(Op op) {
        this.inPlace = op;
        return this;
    }

    static double elements(Operand[] operands) {
        double sum = 0;
        for (Operand operand : operands) {
            if (operand != null) {
                sum += operand.numel();
            }
        }
        return sum;
    }

    @Override
    KernelRow self() {
        return this;
    }

    @Override
    OpKind kind() {
        return new OpKind.Computed(infer, rule, recipe, arguments, needsDense, fit, cost);
    }
}
