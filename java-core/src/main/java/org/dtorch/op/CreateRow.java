package org.dtorch.op;

import java.util.function.Function;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** An operator that makes a tensor from nothing; its last parameter is named {@code options}. */
final class CreateRow extends Row<CreateRow> {
    private Function<Site, Shape> shape = site -> Shape.of(site.integers("size"));
    private Function<Site, DType> dtype = site -> options(site).dtypeOrDefault();
    private OpKind.RecipeOf recipe;
    private OpKind.Arguments arguments = site -> new Object[0];

    CreateRow(String schema) {
        super(schema);
        gradient(Gradient.none("there is no input"));
    }

    /** The shape, where it is not the parameter {@code size}. */
    CreateRow shape(Function<Site, Shape> function) {
        this.shape = function;
        return this;
    }

    /** The dtype where the options leave it open. */
    CreateRow dtypeIfOpen(Function<Site, DType> function) {
        this.dtype = site -> options(site).dtype() != null ? options(site).dtype() : function.apply(site);
        return this;
    }

    /** Every element is {@code value}, which may use {@link #args}. */
    CreateRow filledWith(Expr value) {
        this.recipe = (site, outputs) -> new Recipe.Pointwise(value, Promotion.compute(outputs[0].dtype()));
        return this;
    }

    CreateRow kernel(String name) {
        Recipe named = new Recipe.Named(name);
        this.recipe = (site, outputs) -> named;
        return this;
    }

    CreateRow args(OpKind.Arguments function) {
        this.arguments = function;
        return this;
    }

    static CreationOptions options(Site site) {
        return (CreationOptions) site.arg("options");
    }

    @Override
    CreateRow self() {
        return this;
    }

    @Override
    OpKind kind() {
        return new OpKind.Created(
                site -> new TensorMeta[] {new TensorMeta(shape.apply(site), dtype.apply(site))}, recipe, arguments);
    }
}
