package org.dtorch.backend.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.recipe.Recipe;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReductionKernelTest {
    private static Operand run(Combine combine, DType compute, Operand in, Operand out) {
        Recipe.Reduction recipe = new Recipe.Reduction(combine, compute);
        new ReductionKernel(recipe).run(new Launch(new Operand[] {in}, new Operand[] {out}, null, null));
        return out;
    }

    private static void judge(Combine combine, DType compute, Operand in, Operand out, double tolerance) {
        double[] actual = Operands.reals(run(combine, compute, in, out));
        Operand want = Operands.contiguous(out.dtype(), out.sizes());
        Recipe.Reduction recipe = new Recipe.Reduction(combine, compute);
        Reference.of(recipe).run(new Launch(new Operand[] {in}, new Operand[] {want}, null, null));
        double[] expected = Operands.reals(want);
        for (int i = 0; i < expected.length; i++) {
            boolean same = Double.compare(expected[i], actual[i]) == 0
                    || Math.abs(expected[i] - actual[i]) <= tolerance * (1 + Math.abs(expected[i]));
            if (!same) {
                throw new AssertionError("%s of %s %s with strides %s to %s, result %d: expected %s, got %s"
                        .formatted(
                                combine,
                                in.dtype(),
                                Arrays.toString(in.sizes()),
                                Arrays.toString(in.strides()),
                                Arrays.toString(out.sizes()),
                                i,
                                expected[i],
                                actual[i]));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Combine.class)
    void anySetOfDimensionsOfAnyStrides(Combine combine) {
        long[][] shapes = {{}, {1}, {7}, {33}, {1000}, {17, 33}, {1, 40}, {5, 6, 7}, {3, 1, 40, 4}, {0, 3}, {2, 2500}};
        for (DType dtype :
                List.of(DType.FLOAT32, DType.FLOAT64, DType.INT64, DType.BFLOAT16, DType.BOOL, DType.INT32)) {
            DType compute = dtype.isFloating() ? (dtype == DType.FLOAT64 ? dtype : DType.FLOAT32) : DType.INT64;
            for (Form form : Form.values()) {
                for (long[] shape : shapes) {
                    for (int set = 0; set < 1 << shape.length; set++) {
                        long[] result = shape.clone();
                        for (int d = 0; d < shape.length; d++) {
                            result[d] = (set >> d & 1) == 1 ? 1 : result[d];
                        }
                        Operand in = Operands.fill(Operands.of(dtype, form, shape), new Random(set), false);
                        if (combine == Combine.PROD && dtype.isFloating()) {
                            Reference.forEach(
                                    shape, i -> Elements.setReal(in, i.length > 0 && i[0] % 3 == 0 ? -1 : 1, i));
                        }
                        judge(combine, compute, in, Operands.of(compute, Form.CONTIGUOUS, result), 1e-5);
                        judge(combine, compute, in, Operands.of(compute, Form.STRIDED, result), 1e-5);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Combine.class,
            names = {"MAX", "MIN", "SUM", "PROD", "ANY"})
    void nanWins(Combine combine) {
        for (long size : new long[] {1, 15, 16, 64, 100, 5000}) {
            for (long at = 0; at < size; at += Math.max(1, size / 7)) {
                Operand in = Operands.contiguous(DType.FLOAT32, size, 16);
                Elements.setReal(in, Double.NaN, at, 3);
                Double all =
                        Elements.real(run(combine, DType.FLOAT32, in, Operands.contiguous(DType.FLOAT32, 1, 1)), 0, 0);
                Double column =
                        Elements.real(run(combine, DType.FLOAT32, in, Operands.contiguous(DType.FLOAT32, 1, 16)), 0, 3);
                Double expected = combine == Combine.ANY ? 1.0 : Double.NaN;
                assertThat(all).as("size %d, NaN at %d", size, at).isEqualTo(expected);
                assertThat(column).isEqualTo(expected);
            }
        }
    }

    @Test
    void floatSumsKeepTheirDigits() {
        Operand in = Operands.contiguous(DType.FLOAT32, 1000, 1000);
        Random random = new Random(5);
        double[] want = {0};
        double[] columns = new double[1000];
        Reference.forEach(in.sizes(), i -> {
            float value = random.nextFloat();
            Elements.setReal(in, value, i);
            want[0] += value;
            columns[(int) i[1]] += value;
        });
        Operand all = run(Combine.SUM, DType.FLOAT32, in, Operands.contiguous(DType.FLOAT32, 1, 1));
        assertThat(Elements.real(all, 0, 0)).isCloseTo(want[0], within(want[0] * 1e-6));
        Operand down = run(Combine.SUM, DType.FLOAT32, in, Operands.contiguous(DType.FLOAT32, 1, 1000));
        for (int c = 0; c < 1000; c++) {
            assertThat(Elements.real(down, 0, c)).isCloseTo(columns[c], within(columns[c] * 1e-6));
        }
    }

    @Test
    void sumsOfSmallIntegersDoNotOverflow() {
        Operand in = Operands.contiguous(DType.INT8, 1000);
        Reference.forEach(in.sizes(), i -> Elements.setInteger(in, 127, i));
        Operand out = run(Combine.SUM, DType.INT64, in, Operands.contiguous(DType.INT64, 1));
        assertThat(Operands.integers(out)).containsExactly(127_000);
    }

    @Test
    void emptyReductionGivesTheNeutralElement() {
        Operand in = Operands.contiguous(DType.FLOAT32, 0, 3);
        assertThat(Operands.reals(run(Combine.SUM, DType.FLOAT32, in, Operands.contiguous(DType.FLOAT32, 1, 3))))
                .containsExactly(0, 0, 0);
        assertThat(Operands.reals(run(Combine.PROD, DType.FLOAT32, in, Operands.contiguous(DType.FLOAT32, 1, 3))))
                .containsExactly(1, 1, 1);
    }
}
