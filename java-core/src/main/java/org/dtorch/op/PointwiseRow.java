package org.dtorch.op;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.dtorch.placement.ReduceOp;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** An operator that computes each output element from the input elements at the same index, with broadcasting. */
final class PointwiseRow extends Row<PointwiseRow> {
    private DTypes dtypes = DTypes.PROMOTE;
    private Compute compute;
    private final List<Set<Integer>> linear = new ArrayList<>();
    private Set<ReduceOp> linearOps = Rule.SUMS;
    private Consumer<Site> check;
    private double weight = 1;
    private boolean withInPlace = true;
    private Predicate<Site> linearIf = site -> true;
    private Function<Site, DType> resultDType;
    private Function<Site, DType> computeDType;
    private Function<Site, DTypes> dtypesAt = site -> dtypes;
    private Set<String> promoting;

    PointwiseRow(String schema) {
        super(schema);
    }

    /** How the dtype of the computation and of the result follow from the operands. */
    enum DTypes {
        /** The promoted dtype for both. */
        PROMOTE,
        /** Integers and bool compute and end as float32. */
        INTEGERS_TO_FLOAT,
        /** Computes in the promoted dtype, gives bool. */
        TO_BOOL,
        /** The dtype of the first tensor, whatever the scalars are. */
        KEEP
    }

    @FunctionalInterface
    interface Compute {
        /** {@code operands} stand for the Tensor, Operand and Scalar parameters in schema order, null where absent. */
        Expr apply(Site site, Expr[] operands);
    }

    PointwiseRow dtypes(DTypes rule) {
        this.dtypes = rule;
        if (rule == DTypes.TO_BOOL) {
            gradient(Gradient.none("a truth value does not change continuously"));
        }
        return this;
    }

    /** As {@link #dtypes}, depending on the arguments. */
    PointwiseRow dtypesAt(Function<Site, DTypes> rule) {
        this.dtypesAt = rule;
        return this;
    }

    /** The result's dtype, and that of the computation, where none of {@link DTypes} will do. */
    PointwiseRow dtypes(Function<Site, DType> result, Function<Site, DType> compute) {
        this.resultDType = result;
        this.computeDType = compute;
        return this;
    }

    /** The operands that take part in promotion, where not all do. */
    PointwiseRow promoting(String... params) {
        this.promoting = Set.of(params);
        return this;
    }

    /** Says for which arguments {@link #linear} holds. */
    PointwiseRow linearIf(Predicate<Site> condition) {
        this.linearIf = condition;
        return this;
    }

    PointwiseRow compute(UnaryOperator<Expr> x) {
        this.compute = (site, e) -> x.apply(e[0]);
        return this;
    }

    PointwiseRow compute2(BinaryOperator<Expr> xy) {
        this.compute = (site, e) -> xy.apply(e[0], e[1]);
        return this;
    }

    PointwiseRow computeAt(Compute expression) {
        this.compute = expression;
        return this;
    }

    PointwiseRow unary(Expr.UnaryFunction function) {
        return compute(x -> x.apply(function));
    }

    PointwiseRow binary(Expr.BinaryFunction function) {
        return compute2((x, y) -> x.apply(function, y));
    }

    /** Names tensor parameters in which the operator is jointly linear; may be said several times. */
    PointwiseRow linear(String... params) {
        Set<Integer> set = new TreeSet<>();
        for (String param : params) {
            set.add(schema.index(param));
        }
        linear.add(set);
        return this;
    }

    /** What {@link #linear} says holds for every reduce op, since elements are only chosen or moved. */
    PointwiseRow forAllReduceOps() {
        linearOps = Rule.ALL;
        return this;
    }

    /** Raises for arguments that are not legal. */
    PointwiseRow check(Consumer<Site> raising) {
        this.check = raising;
        return this;
    }

    /** How many simple operations one element costs. */
    PointwiseRow weight(double operations) {
        this.weight = operations;
        return this;
    }

    PointwiseRow withoutInPlace() {
        this.withInPlace = false;
        return this;
    }

    @Override
    PointwiseRow self() {
        return this;
    }

    /** Tensor operands of a call by position among the tensor inputs. */
    private List<Object> operands(Site site) {
        List<Object> operands = new ArrayList<>();
        for (int i = 0; i < schema.params().size(); i++) {
            switch (schema.params().get(i).type()) {
                case TENSOR, OPERAND -> operands.add(site.args()[i]);
                default -> {}
            }
        }
        return operands;
    }

    private DType promoted(Site site) {
        if (dtypesAt.apply(site) == DTypes.KEEP) {
            return ((Value) site.args()[0]).dtype();
        }
        if (promoting == null) {
            return Promotion.resultType(operands(site).toArray());
        }
        return Promotion.resultType(promoting.stream().map(site::arg).toArray());
    }

    private DType computeDType(Site site) {
        if (computeDType != null) {
            return Promotion.compute(computeDType.apply(site));
        }
        DType common = promoted(site);
        return Promotion.compute(
                dtypesAt.apply(site) == DTypes.INTEGERS_TO_FLOAT ? Promotion.floating(common) : common);
    }

    private DType resultDType(Site site) {
        if (resultDType != null) {
            return resultDType.apply(site);
        }
        return switch (dtypesAt.apply(site)) {
            case PROMOTE, KEEP -> promoted(site);
            case INTEGERS_TO_FLOAT -> Promotion.floating(promoted(site));
            case TO_BOOL -> DType.BOOL;
        };
    }

    private TensorMeta[] infer(Site site) {
        Shape shape = null;
        for (Object operand : operands(site)) {
            if (operand instanceof Value v) {
                shape = shape == null ? v.shape() : broadcast(site, shape, v.shape());
            }
        }
        if (check != null) {
            check.accept(site);
        }
        return new TensorMeta[] {new TensorMeta(shape, resultDType(site))};
    }

    /** The metas of an in-place form: those of the tensor that is written, if the result fits it. */
    private TensorMeta[] inferInPlace(Site site) {
        TensorMeta result = infer(site)[0];
        Value self = (Value) site.args()[0];
        if (!result.shape().equals(self.shape())) {
            throw DTorchError.layout(
                    "%s: output with shape %s doesn't match the broadcast shape %s",
                    site.op().name(), self.shape(), result.shape());
        }
        if (!schema.params().getFirst().mutated() && !Promotion.canCast(result.dtype(), self.dtype())) {
            throw DTorchError.runtime(
                    "result type %s can't be cast to the desired output type %s",
                    TypeNames.scalar(result.dtype()), TypeNames.scalar(self.dtype()));
        }
        return new TensorMeta[] {new TensorMeta(self.shape(), self.dtype())};
    }

    private static Shape broadcast(Site site, Shape a, Shape b) {
        try {
            return Shape.broadcast(a, b);
        } catch (DTorchError e) {
            throw DTorchError.layout("%s: %s (shapes %s and %s)", site.op().name(), e.getMessage(), a, b);
        }
    }

    private Rule rule(Site site, TensorMeta[] outputs) {
        Shape out = outputs[0].shape();
        List<int[]> inputs = new ArrayList<>();
        List<Integer> paramOf = new ArrayList<>();
        for (int i = 0; i < schema.params().size(); i++) {
            if (schema.params().get(i).type().holdsTensors() && site.args()[i] instanceof Value v) {
                inputs.add(aligned(v.shape(), out));
                paramOf.add(i);
            }
        }
        List<Set<Integer>> sets = new ArrayList<>();
        for (Set<Integer> params : linearIf.test(site) ? linear : List.<Set<Integer>>of()) {
            Set<Integer> indices = new TreeSet<>();
            for (int param : params) {
                indices.add(paramOf.indexOf(param));
            }
            if (!indices.contains(-1)) {
                sets.add(indices);
            }
        }
        return Rule.letters(inputs.toArray(int[][]::new), new int[][] {Rule.fresh(out.rank())})
                .linearIn(sets, linearOps);
    }

    /** The letters of an operand of {@code shape} that is broadcast to {@code out}; broadcast dimensions are whole. */
    static int[] aligned(Shape shape, Shape out) {
        int[] letters = new int[shape.rank()];
        int lead = out.rank() - shape.rank();
        for (int d = 0; d < letters.length; d++) {
            letters[d] = shape.size(d) == out.size(d + lead) ? d + lead + 1 : Rule.WHOLE;
        }
        return letters;
    }

    private Recipe recipe(Site site, TensorMeta[] outputs) {
        List<Expr> operands = new ArrayList<>();
        int tensors = 0;
        int scalars = 0;
        for (int i = 0; i < schema.params().size(); i++) {
            Object arg = site.args()[i];
            switch (schema.params().get(i).type()) {
                case TENSOR, OPERAND, SCALAR ->
                    operands.add(
                            switch (arg) {
                                case Value v -> Expr.input(tensors++);
                                case Scalar s -> Expr.arg(scalars++);
                                case null -> null;
                                default -> throw new IllegalStateException(schema + ": " + arg);
                            });
                default -> {}
            }
        }
        return new Recipe.Pointwise(compute.apply(site, operands.toArray(Expr[]::new)), computeDType(site));
    }

    private Object[] scalars(Site site) {
        int count = 0;
        for (Object arg : site.args()) {
            if (arg instanceof Scalar) {
                count++;
            }
        }
        Object[] scalars = new Object[count];
        boolean integers = computeDType(site) == DType.INT64;
        int n = 0;
        for (int i = 0; i < site.args().length; i++) {
            if (site.args()[i] instanceof Scalar scalar) {
                boolean operand = integers && schema.params().get(i).type() == Param.Type.OPERAND;
                scalars[n++] = operand && scalar instanceof Scalar.Int(long value)
                        ? Scalar.of(wrapped(value, promoted(site)))
                        : scalar;
            }
        }
        return scalars;
    }

    /** An integer as an element of the common dtype holds it: -1 beside a uint8 tensor is 255. */
    private static long wrapped(long value, DType dtype) {
        return switch (dtype) {
            case UINT8 -> value & 0xff;
            case INT8 -> (byte) value;
            case INT16 -> (short) value;
            case INT32 -> (int) value;
            case BOOL, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 -> value;
        };
    }

    @Override
    OpKind kind() {
        boolean mutates = schema.params().getFirst().mutated();
        return kind(mutates ? this::inferInPlace : this::infer);
    }

    private OpKind kind(OpKind.Infer shapes) {
        return new OpKind.Computed(
                shapes,
                this::rule,
                this::recipe,
                this::scalars,
                OpKind.NeedsDense.NONE,
                Fits::broadcast,
                operands -> weight * operands[operands.length - 1].numel());
    }

    @Override
    Op build() {
        boolean mutates = schema.params().getFirst().mutated();
        if (withInPlace && !mutates) {
            inPlace = new Op(new InPlaceRow(this), kind(this::inferInPlace));
        }
        return super.build();
    }

    /** The in-place form of a row: the same computation, written into the first operand. */
    private static final class InPlaceRow extends Row<InPlaceRow> {
        InPlaceRow(PointwiseRow base) {
            super(Schema.inPlace(base.schema));
            this.variant = base.variant;
            this.gradient = base.gradient;
            this.doc = "In-place form of " + base.schema.name() + ".";
            for (Spelling spelling : base.spellings) {
                if (spelling.isMethod() && spelling.isOperator()) {
                    String operator = spelling.name().substring(2);
                    if (IN_PLACE_OPERATORS.contains(operator)) {
                        spellings.add(spelling.named("__i" + operator));
                    }
                } else if (spelling.isMethod()) {
                    spellings.add(spelling.named(spelling.name() + "_"));
                }
            }
            if (spellings.isEmpty()) {
                internal("reached by the argument inplace");
            }
        }

        @Override
        InPlaceRow self() {
            return this;
        }

        @Override
        OpKind kind() {
            throw new IllegalStateException("an in-place form shares the kind of its row");
        }
    }

    private static final Set<String> IN_PLACE_OPERATORS = Set.of(
            "add__",
            "sub__",
            "mul__",
            "truediv__",
            "floordiv__",
            "mod__",
            "pow__",
            "and__",
            "or__",
            "xor__",
            "lshift__",
            "rshift__");
}
