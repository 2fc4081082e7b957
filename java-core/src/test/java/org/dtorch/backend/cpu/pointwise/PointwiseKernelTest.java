package org.dtorch.backend.cpu.pointwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointwiseKernelTest {
    private static final Expr X = Expr.input(0);
    private static final Expr Y = Expr.input(1);
    private static final long[] SIZES = {0, 1, 7, 8, 15, 16, 17, 31, 33, 1000, 1025};

    private static Operand run(Expr expr, DType compute, Operand out, Object[] args, Operand... inputs) {
        new PointwiseKernel(new Recipe.Pointwise(expr, compute))
                .run(new Launch(inputs, new Operand[] {out}, args, null));
        return out;
    }

    /** Runs kernel and reference; {@code ulps} is in units of the output's last place. */
    private static void judge(
            String what,
            Expr expr,
            DType compute,
            DType outType,
            Form outForm,
            double ulps,
            Object[] args,
            Operand... inputs) {
        long[] sizes = inputs[0].sizes();
        Operand got = run(expr, compute, Operands.of(outType, outForm, sizes), args, inputs);
        Operand want = Operands.of(outType, outForm, sizes);
        Reference.of(new Recipe.Pointwise(expr, compute)).run(new Launch(inputs, new Operand[] {want}, args, null));
        double[] expected = Operands.reals(want);
        double[] actual = Operands.reals(got);
        for (int i = 0; i < expected.length; i++) {
            double unit = outType == DType.FLOAT64 ? Math.ulp(expected[i]) : Math.ulp((float) expected[i]);
            boolean same = Double.compare(expected[i], actual[i]) == 0
                    || (Double.isFinite(expected[i]) && Math.abs(expected[i] - actual[i]) <= ulps * unit);
            if (!same) {
                double[] x = Operands.reals(inputs[0]);
                double[] y = Operands.reals(inputs[inputs.length - 1]);
                throw new AssertionError("%s in %s, element %d of %d: expected %s, got %s for %s, %s"
                        .formatted(what, compute, i, expected.length, expected[i], actual[i], x[i], y[i]));
            }
        }
    }

    private static boolean exists(UnaryFunction function, DType compute) {
        try {
            Program.compile(X.apply(function), compute);
            return true;
        } catch (DTorchError e) {
            return false;
        }
    }

    private static boolean exists(BinaryFunction function, DType compute) {
        try {
            Program.compile(X.apply(function, Y), compute);
            return true;
        } catch (DTorchError e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(UnaryFunction.class)
    void unaryFunctionsAgreeWithTheReference(UnaryFunction function) {
        for (DType compute : List.of(DType.FLOAT32, DType.FLOAT64, DType.INT64)) {
            if (!exists(function, compute)) {
                continue;
            }
            for (long size : SIZES) {
                for (boolean specials : new boolean[] {false, true}) {
                    Operand x = Operands.fill(Operands.contiguous(compute, size), new Random(size), specials);
                    judge(function.name(), X.apply(function), compute, compute, Form.CONTIGUOUS, 3, null, x);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(BinaryFunction.class)
    void binaryFunctionsAgreeWithTheReference(BinaryFunction function) {
        boolean divides = List.of(
                        BinaryFunction.FLOOR_DIV,
                        BinaryFunction.TRUNC_DIV,
                        BinaryFunction.REMAINDER,
                        BinaryFunction.FMOD)
                .contains(function);
        for (DType compute : List.of(DType.FLOAT32, DType.FLOAT64, DType.INT64)) {
            if (!exists(function, compute)) {
                continue;
            }
            for (long size : SIZES) {
                for (boolean specials : new boolean[] {false, true}) {
                    Random random = new Random(size);
                    Operand x = Operands.fill(Operands.contiguous(compute, size), random, specials);
                    Operand y = Operands.fill(Operands.contiguous(compute, size), random, specials);
                    Expr right =
                            divides && compute == DType.INT64 ? Y.apply(BinaryFunction.MAXIMUM, Expr.constant(1)) : Y;
                    judge(function.name(), X.apply(function, right), compute, compute, Form.CONTIGUOUS, 1, null, x, y);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void everyPairOfDtypesLoadsAndStores(DType in) {
        for (DType out : DType.values()) {
            for (DType compute : List.of(DType.FLOAT32, DType.FLOAT64, DType.INT64)) {
                for (Form form : List.of(Form.CONTIGUOUS, Form.STRIDED, Form.TRANSPOSED)) {
                    for (long[] sizes : new long[][] {{5, 7}, {3, 400}, {33, 17}}) {
                        Operand x = Operands.fill(Operands.of(in, form, sizes), new Random(1), true);
                        judge(in + " to " + out, X, compute, out, Form.CONTIGUOUS, 0, null, x);
                        judge(in + " to " + out, X.add(1), compute, out, Form.TRANSPOSED, 0, null, x);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void operandsMayHaveAnyStrides(Form left) {
        for (Form right : Form.values()) {
            for (Form out : List.of(Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED)) {
                for (long[] sizes :
                        new long[][] {{1, 1}, {1, 17}, {33, 1}, {7, 31}, {40, 50}, {3, 5, 7}, {2, 3, 4, 65}, {0, 4}}) {
                    Random random = new Random(sizes.length);
                    Operand x = Operands.fill(Operands.of(DType.FLOAT32, left, sizes), random, false);
                    Operand y = Operands.fill(Operands.of(DType.FLOAT32, right, sizes), random, false);
                    judge(left + " - " + right, X.sub(Y), DType.FLOAT32, DType.FLOAT32, out, 0, null, x, y);
                    judge("copy of " + left, X, DType.FLOAT32, DType.FLOAT32, out, 0, null, x);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 16, 17, 5000, 100_000})
    void longExpressionsShareRegisters(long size) {
        Random random = new Random(size);
        Operand x = Operands.fill(Operands.contiguous(DType.FLOAT32, size), random, false);
        Operand y = Operands.fill(Operands.contiguous(DType.BFLOAT16, size), random, false);
        Expr sum = X.add(Y);
        Expr expr = sum.gt(Expr.arg(0))
                .select(
                        sum.mul(sum).sub(X),
                        sum.apply(UnaryFunction.ABS).add(Expr.arg(1)).mul(Y).add(sum));
        judge(
                "expression",
                expr,
                DType.FLOAT32,
                DType.FLOAT32,
                Form.CONTIGUOUS,
                0,
                new Object[] {Scalar.of(0.5), Scalar.of(3)},
                x,
                y);
    }

    @Test
    void largeTransposedInputs() {
        for (DType dtype : List.of(DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16)) {
            Operand x = Operands.fill(Operands.of(dtype, Form.TRANSPOSED, 131, 257), new Random(1), false);
            Operand y = Operands.fill(Operands.contiguous(dtype, 131, 257), new Random(2), false);
            judge("x - y", X.sub(Y), DType.FLOAT64, dtype, Form.CONTIGUOUS, 0, null, x, y);
            judge("x", X, DType.FLOAT64, dtype, Form.CONTIGUOUS, 0, null, x);
        }
    }

    @Test
    void inPlace() {
        Operand x = Operands.floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
        run(X.mul(X).add(X), DType.FLOAT32, x, null, x);
        assertThat(Operands.reals(x))
                .containsExactly(2, 6, 12, 20, 30, 42, 56, 72, 90, 110, 132, 156, 182, 210, 240, 272, 306);
    }

    @Test
    void fillNeedsNoInput() {
        assertThat(Operands.reals(
                        run(Expr.constant(3), DType.FLOAT32, Operands.of(DType.BFLOAT16, Form.STRIDED, 2, 2), null)))
                .containsExactly(3, 3, 3, 3);
        Operand all = run(Expr.arg(0), DType.INT64, Operands.contiguous(DType.INT32, 3), new Object[] {Scalar.of(7)});
        assertThat(Operands.integers(all)).containsExactly(7, 7, 7);
    }

    /** Recorded from PyTorch 2.13. */
    @Test
    void castsToIntegersAreThoseOfX86() {
        double[] values = {3e9, -1e10, Double.NaN, Double.POSITIVE_INFINITY, 300, -1, -1.9, -129, 65541};
        List<long[]> want = List.of(
                new long[] {0, 0, 0, 0, 44, 255, 255, 127, 5},
                new long[] {0, 0, 0, 0, 44, -1, -1, 127, 5},
                new long[] {0, 0, 0, 0, 300, -1, -1, -129, 5},
                new long[] {
                    Integer.MIN_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE, 300, -1, -1, -129, 65541
                },
                new long[] {3000000000L, -10000000000L, Long.MIN_VALUE, Long.MIN_VALUE, 300, -1, -1, -129, 65541});
        List<DType> dtypes = List.of(DType.UINT8, DType.INT8, DType.INT16, DType.INT32, DType.INT64);
        for (int i = 0; i < dtypes.size(); i++) {
            Operand out = Operands.contiguous(dtypes.get(i), values.length);
            assertThat(Operands.integers(run(X, DType.FLOAT32, out, null, Operands.floats(values))))
                    .containsExactly(want.get(i));
        }
    }

    /** Recorded from PyTorch 2.13. */
    @Test
    void divisionsOfRealsAsInPyTorch() {
        double inf = Double.POSITIVE_INFINITY;
        Operand x = Operands.floats(-7, 7, -0.0, 0, 5, -5, inf, 3);
        Operand y = Operands.floats(2, -2, 1, -1, 0, 0, 2, inf);
        assertThat(Operands.reals(run(
                        X.apply(BinaryFunction.FLOOR_DIV, Y),
                        DType.FLOAT32,
                        Operands.floats(new double[8]),
                        null,
                        x,
                        y)))
                .containsExactly(-4, -4, -0.0, -0.0, inf, -inf, Double.NaN, 0);
        assertThat(Operands.reals(run(
                        X.apply(BinaryFunction.REMAINDER, Y),
                        DType.FLOAT32,
                        Operands.floats(new double[8]),
                        null,
                        x,
                        y)))
                .containsExactly(1, -1, -0.0, 0, Double.NaN, Double.NaN, Double.NaN, 3);
    }

    /** Recorded from PyTorch 2.13. */
    @Test
    void integerDivisionByZeroRaises() {
        Operand x = Operands.integers(DType.INT64, 5, -7, 0);
        Operand y = Operands.integers(DType.INT64, 0, 1, 2);
        for (BinaryFunction function : List.of(
                BinaryFunction.FLOOR_DIV, BinaryFunction.TRUNC_DIV, BinaryFunction.REMAINDER, BinaryFunction.FMOD)) {
            assertThatThrownBy(() ->
                            run(X.apply(function, Y), DType.INT64, Operands.contiguous(DType.INT64, 3), null, x, y))
                    .isInstanceOf(DTorchError.class)
                    .hasMessage("ZeroDivisionError");
        }
    }

    /** Recorded from PyTorch 2.13. */
    @Test
    void powersAsInPyTorch() {
        Operand base = Operands.integers(DType.INT64, 1, -1, 2, 0);
        Operand minusOne = Operands.integers(DType.INT64, -1, -1, -1, -1);
        Expr power = X.apply(BinaryFunction.POW, Y);
        assertThat(Operands.integers(
                        run(power, DType.INT64, Operands.contiguous(DType.INT64, 4), null, base, minusOne)))
                .containsExactly(1, -1, 0, 0);
        assertThatThrownBy(() -> run(
                        X.apply(BinaryFunction.POW, Expr.arg(0)),
                        DType.INT64,
                        Operands.contiguous(DType.INT64, 4),
                        new Object[] {Scalar.of(-1)},
                        base))
                .hasMessage("Integers to negative integer powers are not allowed.");
        Operand roots = run(
                X.apply(BinaryFunction.POW, Expr.constant(0.5)),
                DType.FLOAT32,
                Operands.contiguous(DType.FLOAT32, 4),
                null,
                Operands.floats(-8, 4, Double.NEGATIVE_INFINITY, -0.0));
        assertThat(Operands.reals(roots)).containsExactly(Double.NaN, 2, Double.NaN, -0.0);
        Operand nans = run(
                power,
                DType.FLOAT32,
                Operands.contiguous(DType.FLOAT32, 2),
                null,
                Operands.floats(1, Double.NaN),
                Operands.floats(Double.NaN, 0));
        assertThat(Operands.reals(nans)).containsExactly(1, 1);
    }

    @Test
    void anOperandBeyondItsBlockIsRefused() {
        Operand x = Operands.floats(1, 2, 3);
        Operand longer = new Operand(x.memory(), 1, DType.FLOAT32, new long[] {3}, new long[] {1});
        assertThatThrownBy(() -> run(X.neg(), DType.FLOAT32, Operands.contiguous(DType.FLOAT32, 3), null, longer))
                .isInstanceOf(DTorchError.class);
    }

    @Test
    void functionsThatADtypeLacksAreRefusedByName() {
        assertThatThrownBy(() -> Program.compile(X.exp(), DType.INT64)).hasMessageContaining("EXP");
        assertThatThrownBy(() -> Program.compile(X.apply(BinaryFunction.SHIFT_LEFT, Y), DType.FLOAT32))
                .hasMessageContaining("SHIFT_LEFT");
    }
}
