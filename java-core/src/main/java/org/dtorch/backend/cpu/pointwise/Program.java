package org.dtorch.backend.cpu.pointwise;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.backend.cpu.reference.Integers;
import org.dtorch.backend.cpu.reference.Reals;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DType;

/**
 * A pointwise expression as a list of steps over registers, each register one run of elements.
 *
 * <p>Equal subexpressions are computed once. Inputs and uniform values keep their register for the whole run; a step's
 * register is free again after its last reader, so an expression of any size needs few.
 */
final class Program {
    /** What fills a register before the steps run. */
    sealed interface Source {}

    record InputSource(int index) implements Source {}

    record ArgSource(int index) implements Source {}

    record ConstSource(double value) implements Source {}

    /** One function applied to whole registers; {@code a}, {@code b}, {@code c} and {@code to} are register numbers. */
    sealed interface Step {
        int to();
    }

    record UnaryStep(UnaryFunction function, int to, int a) implements Step {}

    record BinaryStep(BinaryFunction function, int to, int a, int b) implements Step {}

    record SelectStep(int to, int condition, int whenTrue, int whenFalse) implements Step {}

    /** The registers 0 to {@code sources.length - 1}. */
    final Source[] sources;

    final Step[] steps;

    /** How many registers there are. */
    final int registers;

    /** The register that holds the result. */
    final int result;

    private Program(Source[] sources, Step[] steps, int registers, int result) {
        this.sources = sources;
        this.steps = steps;
        this.registers = registers;
        this.result = result;
    }

    /** Compiles an expression; a function that the compute dtype does not have is refused here. */
    static Program compile(Expr expr, DType compute) {
        Compiler compiler = new Compiler(compute == DType.INT64);
        compiler.visit(expr);
        return compiler.program(expr);
    }

    private static final class Compiler {
        private final boolean integers;
        private final Map<Expr, Integer> numbers = new HashMap<>();
        private final List<Expr> nodes = new ArrayList<>();

        Compiler(boolean integers) {
            this.integers = integers;
        }

        int visit(Expr expr) {
            Integer known = numbers.get(expr);
            if (known != null) {
                return known;
            }
            switch (expr) {
                case Expr.Input input -> {}
                case Expr.Arg arg -> {}
                case Expr.Const constant -> {}
                case Expr.Unary(UnaryFunction function, Expr a) -> {
                    check(function);
                    visit(a);
                }
                case Expr.Binary(BinaryFunction function, Expr a, Expr b) -> {
                    check(function);
                    visit(a);
                    visit(b);
                }
                case Expr.Select(Expr c, Expr a, Expr b) -> {
                    visit(c);
                    visit(a);
                    visit(b);
                }
            }
            nodes.add(expr);
            numbers.put(expr, nodes.size() - 1);
            return nodes.size() - 1;
        }

        private void check(UnaryFunction function) {
            if (integers) {
                Integers.apply(function, 1);
            } else {
                Reals.apply(function, 1);
            }
        }

        private void check(BinaryFunction function) {
            if (integers) {
                Integers.apply(function, 1, 1);
            } else {
                Reals.apply(function, 1, 1);
            }
        }

        Program program(Expr root) {
            int[] lastUse = new int[nodes.size()];
            for (int n = 0; n < lastUse.length; n++) {
                for (int operand : operands(nodes.get(n))) {
                    lastUse[operand] = n;
                }
            }
            lastUse[numbers.get(root)] = Integer.MAX_VALUE;
            int[] register = new int[nodes.size()];
            List<Source> sources = new ArrayList<>();
            for (int n = 0; n < register.length; n++) {
                Source source = source(nodes.get(n));
                if (source != null) {
                    register[n] = sources.size();
                    sources.add(source);
                }
            }
            int registers = sources.size();
            List<Integer> free = new ArrayList<>();
            List<Step> steps = new ArrayList<>();
            for (int n = 0; n < register.length; n++) {
                Expr node = nodes.get(n);
                if (source(node) != null) {
                    continue;
                }
                int[] operands = operands(node);
                for (int i = 0; i < operands.length; i++) {
                    boolean repeated = (i > 0 && operands[i] == operands[0]) || (i > 1 && operands[i] == operands[1]);
                    if (!repeated && lastUse[operands[i]] == n && source(nodes.get(operands[i])) == null) {
                        free.add(register[operands[i]]);
                    }
                }
                int to = free.isEmpty() ? registers++ : free.removeLast();
                register[n] = to;
                int[] r = new int[operands.length];
                for (int i = 0; i < r.length; i++) {
                    r[i] = register[operands[i]];
                }
                steps.add(step(node, to, r));
            }
            return new Program(
                    sources.toArray(Source[]::new), steps.toArray(Step[]::new), registers, register[numbers.get(root)]);
        }

        private int[] operands(Expr node) {
            return switch (node) {
                case Expr.Input input -> new int[0];
                case Expr.Arg arg -> new int[0];
                case Expr.Const constant -> new int[0];
                case Expr.Unary(UnaryFunction function, Expr a) -> new int[] {numbers.get(a)};
                case Expr.Binary(BinaryFunction function, Expr a, Expr b) -> new int[] {numbers.get(a), numbers.get(b)};
                case Expr.Select(Expr c, Expr a, Expr b) -> new int[] {numbers.get(c), numbers.get(a), numbers.get(b)};
            };
        }

        private static Source source(Expr node) {
            return switch (node) {
                case Expr.Input(int index) -> new InputSource(index);
                case Expr.Arg(int index) -> new ArgSource(index);
                case Expr.Const(double value) -> new ConstSource(value);
                case Expr.Unary u -> null;
                case Expr.Binary b -> null;
                case Expr.Select s -> null;
            };
        }

        private static Step step(Expr node, int to, int[] r) {
            return switch (node) {
                case Expr.Unary u -> new UnaryStep(u.function(), to, r[0]);
                case Expr.Binary b -> new BinaryStep(b.function(), to, r[0], r[1]);
                case Expr.Select s -> new SelectStep(to, r[0], r[1], r[2]);
                case Expr.Input i -> throw new IllegalStateException("not a step: " + i);
                case Expr.Arg a -> throw new IllegalStateException("not a step: " + a);
                case Expr.Const c -> throw new IllegalStateException("not a step: " + c);
            };
        }
    }
}
