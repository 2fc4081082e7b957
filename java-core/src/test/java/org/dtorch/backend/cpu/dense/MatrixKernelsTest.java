package org.dtorch.backend.cpu.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.Random;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code matmul} and {@code linear} against plain loops in float64 and int64. */
class MatrixKernelsTest {
    private static final long[][] SHAPES = {
        {1, 1, 1},
        {8, 64, 64},
        {3, 5, 7},
        {1, 33, 17},
        {17, 1, 9},
        {5, 3, 0},
        {0, 3, 4},
        {4, 0, 4},
        {40, 270, 41},
        {1, 70, 520}
    };

    static void run(String name, Operand[] inputs, Operand output, Object... args) {
        DenseKernels.TABLE.get(name).run(new Launch(inputs, new Operand[] {output}, args, null));
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "BOOL")
    void linearEqualsLoops(DType dtype) {
        Random random = new Random(7);
        for (long[] shape : SHAPES) {
            for (Form form : new Form[] {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED, Form.BROADCAST_ROWS}) {
                for (boolean biased : new boolean[] {false, true}) {
                    Operand x = Operands.fill(Operands.of(dtype, form, shape[0], shape[2]), random, false);
                    Operand w = Operands.fill(Operands.of(dtype, form, shape[1], shape[2]), random, false);
                    Operand bias = biased ? Operands.fill(Operands.of(dtype, form, shape[1]), random, false) : null;
                    Form target = form == Form.BROADCAST_ROWS ? Form.CONTIGUOUS : form;
                    Operand y = Operands.of(dtype, target, shape[0], shape[1]);
                    run("linear", new Operand[] {x, w, bias}, y);
                    check(y, x, transposed(w), bias, dtype + " " + Arrays.toString(shape) + " " + form + " " + biased);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "BOOL")
    void matmulEqualsLoopsInEveryBatchForm(DType dtype) {
        Random random = new Random(11);
        for (long[] shape : new long[][] {{4, 6, 5}, {1, 19, 33}, {20, 1, 3}, {2, 3, 0}}) {
            for (Form formA : Form.values()) {
                for (Form formB : new Form[] {Form.CONTIGUOUS, Form.TRANSPOSED, Form.BROADCAST_ROWS}) {
                    Operand a = Operands.fill(Operands.of(dtype, formA, 3, shape[0], shape[2]), random, false);
                    Operand b = Operands.fill(Operands.of(dtype, formB, 3, shape[2], shape[1]), random, false);
                    for (Form formC : new Form[] {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED}) {
                        Operand c = Operands.of(dtype, formC, 3, shape[0], shape[1]);
                        run("matmul", new Operand[] {a, b}, c);
                        for (int i = 0; i < 3; i++) {
                            String what = dtype + " " + Arrays.toString(shape) + formA + formB + formC + i;
                            check(slice(c, i), slice(a, i), slice(b, i), null, what);
                        }
                    }
                }
            }
        }
    }

    @Test
    void batchThatInterleavesWithColumnsFoldsIntoOneProduct() {
        Random random = new Random(3);
        Operand a = Operands.fill(Operands.of(DType.FLOAT32, Form.BROADCAST_ROWS, 4, 5, 6), random, false);
        Operand bData = Operands.fill(Operands.contiguous(DType.FLOAT32, 6, 4, 7), random, false);
        Operand cData = Operands.contiguous(DType.FLOAT32, 5, 4, 7);
        Operand b = permuted(bData, 1, 0, 2);
        Operand c = permuted(cData, 1, 0, 2);
        run("matmul", new Operand[] {a, b}, c);
        for (int i = 0; i < 4; i++) {
            check(slice(c, i), slice(a, i), slice(b, i), null, "batch " + i);
        }
    }

    @Test
    void largeProductsAreSplitWithoutSeams() {
        Random random = new Random(5);
        for (int[] shape : new int[][] {{700, 230, 260}, {230, 707, 260}}) {
            int m = shape[0];
            int n = shape[1];
            int k = shape[2];
            Operand x = Operands.fill(Operands.contiguous(DType.FLOAT64, m, k), random, false);
            Operand w = Operands.fill(Operands.contiguous(DType.FLOAT64, n, k), random, false);
            Operand bias = Operands.fill(Operands.contiguous(DType.FLOAT64, n), random, false);
            Operand y = Operands.contiguous(DType.FLOAT64, m, n);
            run("linear", new Operand[] {x, w, bias}, y);
            double[] a = Operands.reals(x);
            double[] b = Operands.reals(w);
            double[] start = Operands.reals(bias);
            double[] actual = Operands.reals(y);
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = start[j];
                    for (int e = 0; e < k; e++) {
                        sum += a[i * k + e] * b[j * k + e];
                    }
                    if (!(Math.abs(actual[i * n + j] - sum) <= 1e-10)) {
                        fail("%s at %d,%d: %s instead of %s", Arrays.toString(shape), i, j, actual[i * n + j], sum);
                    }
                }
            }
        }
    }

    @Test
    void nanInTheOldResultDoesNotSurvive() {
        Operand x = Operands.view(Operands.floats(1, 2), 1, 2);
        Operand w = Operands.view(Operands.floats(3, 4), 1, 2);
        Operand y = Operands.view(Operands.floats(Double.NaN), 1, 1);
        run("linear", new Operand[] {x, w, null}, y);
        assertThat(Operands.reals(y)).containsExactly(11);
    }

    @Test
    void int64Wraps() {
        Operand x = Operands.view(Operands.integers(DType.INT64, Long.MAX_VALUE, 1), 1, 2);
        Operand w = Operands.view(Operands.integers(DType.INT64, 1, 1), 1, 2);
        Operand y = Operands.contiguous(DType.INT64, 1, 1);
        run("linear", new Operand[] {x, w, null}, y);
        assertThat(Operands.integers(y)).containsExactly(Long.MIN_VALUE);
    }

    @Test
    void float16SumsAreRoundedOnce() {
        // 2048 + 1 is no float16 number: rounding after each term would lose every 1.
        Operand x = Operands.view(Operands.reals(DType.FLOAT16, 2048, 1, 1, 1, 1), 1, 5);
        Operand w = Operands.view(Operands.reals(DType.FLOAT16, 1, 1, 1, 1, 1), 1, 5);
        Operand y = Operands.contiguous(DType.FLOAT16, 1, 1);
        run("linear", new Operand[] {x, w, Operands.reals(DType.FLOAT16, 2)}, y);
        assertThat(Operands.reals(y)).containsExactly(2054);
    }

    @Test
    void boolIsRefusedByName() {
        Operand x = Operands.contiguous(DType.BOOL, 1, 1);
        assertThatThrownBy(() -> run("linear", new Operand[] {x, x, null}, x))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("linear of dtype torch.bool");
    }

    private static void check(Operand c, Operand a, Operand b, Operand bias, String what) {
        Operand wrapped = Operands.contiguous(c.dtype(), 1);
        for (int i = 0; i < c.sizes()[0]; i++) {
            for (int j = 0; j < c.sizes()[1]; j++) {
                if (!c.dtype().isFloating()) {
                    long sum = bias == null ? 0 : Elements.integer(bias, j);
                    for (int k = 0; k < a.sizes()[1]; k++) {
                        sum += Elements.integer(a, i, k) * Elements.integer(b, k, j);
                    }
                    Elements.setInteger(wrapped, sum, 0);
                    if (Elements.integer(c, i, j) != Elements.integer(wrapped, 0)) {
                        fail("%s at %d,%d: %d", what, i, j, Elements.integer(c, i, j));
                    }
                    continue;
                }
                double sum = bias == null ? 0 : Elements.real(bias, j);
                double magnitude = Math.abs(sum);
                for (int k = 0; k < a.sizes()[1]; k++) {
                    double term = Elements.real(a, i, k) * Elements.real(b, k, j);
                    sum += term;
                    magnitude += Math.abs(term);
                }
                double actual = Elements.real(c, i, j);
                if (!(Math.abs(actual - sum) <= tolerance(c.dtype(), sum, magnitude))) {
                    fail("%s at %d,%d: %s instead of %s", what, i, j, actual, sum);
                }
            }
        }
    }

    private static double tolerance(DType dtype, double value, double magnitude) {
        double own = switch (dtype) {
            case FLOAT16 -> 0x1p-11 * Math.abs(value) + 0x1p-25;
            case BFLOAT16 -> 0x1p-8 * Math.abs(value);
            default -> 0;
        };
        return own + magnitude * (dtype == DType.FLOAT64 ? 1e-14 : 2e-6);
    }

    private static Operand transposed(Operand x) {
        return permuted(x, 1, 0);
    }

    private static Operand permuted(Operand x, int... order) {
        long[] sizes = Arrays.stream(order).mapToLong(d -> x.sizes()[d]).toArray();
        long[] strides = Arrays.stream(order).mapToLong(d -> x.strides()[d]).toArray();
        return new Operand(x.memory(), x.offset(), x.dtype(), sizes, strides);
    }

    private static Operand slice(Operand x, int index) {
        return new Operand(
                x.memory(),
                x.offset() + index * x.strides()[0],
                x.dtype(),
                Arrays.copyOfRange(x.sizes(), 1, 3),
                Arrays.copyOfRange(x.strides(), 1, 3));
    }
}
