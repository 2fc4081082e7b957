package org.dtorch.backend.cpu.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.random.Philox;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values recorded from PyTorch 2.13, or worked by hand. */
class IndexKernelsTest {
    /** The piece begins at the global index {@code start} in every dimension of a global tensor of {@code size} each. */
    private record At(long start, long size) implements Launch.Origins {
        @Override
        public long input(int i, int dim) {
            return start;
        }

        @Override
        public long output(int i, int dim) {
            return start;
        }

        @Override
        public long inputSize(int i, int dim) {
            return size;
        }

        @Override
        public long outputSize(int i, int dim) {
            return size;
        }
    }

    private static final Launch.Origins ZERO = new At(0, 0);

    private static void run(String name, Launch.Origins origins, Object[] args, Operand[] inputs, Operand... outputs) {
        IndexKernels.TABLE.get(name).run(new Launch(inputs, outputs, args, origins));
    }

    private static Operand[] in(Operand... inputs) {
        return inputs;
    }

    private static Object[] args(Object... args) {
        return args;
    }

    private static Operand f(long... sizes) {
        return Operands.contiguous(DType.FLOAT32, sizes);
    }

    private static Operand l(long... sizes) {
        return Operands.contiguous(DType.INT64, sizes);
    }

    private static Operand ids(long... values) {
        return Operands.integers(DType.INT64, values);
    }

    private static Operand count(long... sizes) {
        Operand operand = f(sizes);
        double[] next = {0};
        Reference.forEach(sizes, i -> Elements.setReal(operand, next[0]++, i));
        return operand;
    }

    @Test
    void arangeByGlobalIndex() {
        Operand y = l(3);
        run("arange", new At(4, 10), args(Scalar.of(10), Scalar.of(-2)), in(), y);
        assertThat(Operands.integers(y)).containsExactly(2, 0, -2);
        Operand half = Operands.of(DType.BFLOAT16, Form.STRIDED, 3);
        run("arange", ZERO, args(Scalar.of(0.5), Scalar.of(1)), in(), half);
        assertThat(Operands.reals(half)).containsExactly(0.5, 1.5, 2.5);
    }

    @Test
    void eyeByGlobalIndices() {
        Operand y = f(2, 3);
        run("eye", ZERO, args(), in(), y);
        assertThat(Operands.reals(y)).containsExactly(1, 0, 0, 0, 1, 0);
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void triangles(Form form) {
        for (long diagonal = -4; diagonal <= 5; diagonal++) {
            Operand x = Operands.fill(Operands.of(DType.FLOAT32, form, 2, 3, 4), new Random(1), false);
            Operand lower = Operands.of(DType.FLOAT32, Form.TRANSPOSED, 2, 3, 4);
            Operand upper = f(2, 3, 4);
            run("tril", ZERO, args(diagonal), in(x), lower);
            run("triu", ZERO, args(diagonal), in(x), upper);
            long k = diagonal;
            Reference.forEach(x.sizes(), i -> {
                double value = Elements.real(x, i);
                assertThat(Elements.real(lower, i)).isEqualTo(i[2] - i[1] <= k ? value : 0);
                assertThat(Elements.real(upper, i)).isEqualTo(i[2] - i[1] >= k ? value : 0);
            });
        }
    }

    @Test
    void catOfDifferentStrides() {
        Operand y = f(2, 5);
        Operand transposed = Operands.of(DType.FLOAT32, Form.TRANSPOSED, 2, 2);
        Reference.forEach(transposed.sizes(), i -> Elements.setReal(transposed, 10 * i[0] + i[1], i));
        run("cat", ZERO, args(1L), in(count(2, 3), f(2, 0), transposed), y);
        assertThat(Operands.reals(y)).containsExactly(0, 1, 2, 0, 1, 3, 4, 5, 10, 11);
    }

    @Test
    void repeatInterleave() {
        Operand y = f(2, 4);
        run("repeat_interleave", ZERO, args(1L, 2L), in(count(2, 2)), y);
        assertThat(Operands.reals(y)).containsExactly(0, 0, 1, 1, 2, 2, 3, 3);
    }

    @Test
    void indexOfOneAndOfTwoDimensions() {
        Operand x = count(3, 2, 2);
        Operand rows = f(2, 2, 2);
        run("index", ZERO, args(0L), in(x, ids(2, -3)), rows);
        assertThat(Operands.reals(rows)).containsExactly(8, 9, 10, 11, 0, 1, 2, 3);
        Operand last = f(3, 2, 3);
        run("index", ZERO, args(2L), in(x, null, null, ids(1, 0, 1)), last);
        assertThat(Operands.reals(last)).containsExactly(1, 0, 1, 3, 2, 3, 5, 4, 5, 7, 6, 7, 9, 8, 9, 11, 10, 11);
        Operand split = f(3, 2);
        run("index", ZERO, args(0L), in(x, ids(0, 1, 2), null, ids(1, 1, 0)), split);
        assertThat(Operands.reals(split)).containsExactly(1, 3, 5, 7, 8, 10);
        Operand all = f(2);
        run("index", ZERO, args(0L), in(x, ids(0, 2), ids(1, 0), ids(1, 1)), all);
        assertThat(Operands.reals(all)).containsExactly(3, 9);
    }

    @Test
    void indexOutOfRangeRaisesBeforeWriting() {
        Operand y = f(2, 2);
        assertThatThrownBy(() -> run("index", ZERO, args(0L), in(count(3, 2), ids(0, 3)), y))
                .isInstanceOf(DTorchError.class)
                .hasMessage("index 3 is out of bounds for dimension 0 with size 3");
        Operand x = count(3, 2);
        assertThatThrownBy(() -> run("index_put", ZERO, args(0L, false), in(x, f(2, 2), ids(0, -4)), x))
                .hasMessage("index -4 is out of bounds for dimension 0 with size 3");
        assertThat(Operands.reals(x)).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void indexPut() {
        Operand x = count(3, 2);
        run("index_put", ZERO, args(0L, false), in(x, Operands.view(Operands.floats(7, 8, 9, 10), 2, 2), ids(2, 0)), x);
        assertThat(Operands.reals(x)).containsExactly(9, 10, 2, 3, 7, 8);
        Operand y = count(3, 2);
        Operand one = Operands.of(DType.FLOAT32, Form.BROADCAST_ALL, 3, 2);
        Elements.setReal(one, 1, 0, 0);
        run("index_put", ZERO, args(0L, true), in(y, one, ids(1, 1, -2)), y);
        assertThat(Operands.reals(y)).containsExactly(0, 1, 5, 6, 4, 5);
    }

    @Test
    void indexSelect() {
        Operand y = f(2, 2);
        run("index_select", ZERO, args(1L), in(count(2, 3), ids(2, 0)), y);
        assertThat(Operands.reals(y)).containsExactly(2, 0, 5, 3);
        assertThatThrownBy(() -> run("index_select", ZERO, args(1L), in(count(2, 3), ids(-1, 0)), y))
                .hasMessage("index out of range in self");
    }

    @Test
    void gatherAndScatter() {
        Operand index = Operands.view(ids(2, 0, 1, 1), 2, 2);
        Operand y = f(2, 2);
        run("gather", ZERO, args(1L), in(count(3, 3), index), y);
        assertThat(Operands.reals(y)).containsExactly(2, 0, 4, 4);
        Operand into = count(3, 2);
        run("scatter", ZERO, args(0L, false), in(into, index, Operands.view(Operands.floats(7, 8, 9, 10), 2, 2)), into);
        assertThat(Operands.reals(into)).containsExactly(0, 8, 9, 10, 7, 5);
        Operand sums = f(3, 2);
        run("scatter", ZERO, args(0L, true), in(sums, index, Operands.view(Operands.floats(7, 8, 9, 10), 2, 2)), sums);
        assertThat(Operands.reals(sums)).containsExactly(0, 8, 9, 10, 7, 0);
        assertThatThrownBy(() -> run("gather", ZERO, args(0L), in(count(2, 2), index), f(2, 2)))
                .hasMessage("index 2 is out of bounds for dimension 0 with size 2");
    }

    @Test
    void runningSumsAndProducts() {
        Operand y = f(2, 3);
        run("cumsum", ZERO, args(1L), in(count(2, 3)), y);
        assertThat(Operands.reals(y)).containsExactly(0, 1, 3, 3, 7, 12);
        run("cumsum", ZERO, args(0L), in(count(2, 3)), y);
        assertThat(Operands.reals(y)).containsExactly(0, 1, 2, 3, 5, 7);
        Operand product = l(4);
        run("cumprod", ZERO, args(0L), in(Operands.integers(DType.INT32, 1, 2, 3, 4)), product);
        assertThat(Operands.integers(product)).containsExactly(1, 2, 6, 24);
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT32", "FLOAT64", "BFLOAT16"})
    void sortIsStableAndPutsNanLast(DType dtype) {
        Operand x =
                Operands.reals(dtype, 2, Double.NaN, -0.0, 0, Double.POSITIVE_INFINITY, 2, Double.NEGATIVE_INFINITY);
        Operand values = Operands.contiguous(dtype, 7);
        Operand indices = l(7);
        run("sort", ZERO, args(0L, false), in(x), values, indices);
        assertThat(Operands.integers(indices)).containsExactly(6, 2, 3, 0, 5, 4, 1);
        assertThat(Operands.reals(values)[0]).isEqualTo(Double.NEGATIVE_INFINITY);
        run("sort", ZERO, args(0L, true), in(x), values, indices);
        assertThat(Operands.integers(indices)).containsExactly(1, 4, 0, 5, 2, 3, 6);
    }

    @Test
    void sortsOfManyEqualValuesAreStable() {
        for (DType dtype : new DType[] {DType.INT64, DType.INT8, DType.FLOAT64}) {
            Operand x = Operands.fill(Operands.of(dtype, Form.TRANSPOSED, 200, 3), new Random(3), false);
            Operand values = Operands.contiguous(dtype, 200, 3);
            Operand indices = l(200, 3);
            run("sort", ZERO, args(0L, false), in(x), values, indices);
            for (int c = 0; c < 3; c++) {
                for (int i = 1; i < 200; i++) {
                    double before = Elements.real(values, i - 1, c);
                    double here = Elements.real(values, i, c);
                    long position = Elements.integer(indices, i, c);
                    assertThat(before).isLessThanOrEqualTo(here);
                    assertThat(Elements.real(x, position, c)).isEqualTo(here);
                    if (before == here) {
                        assertThat(Elements.integer(indices, i - 1, c)).isLessThan(position);
                    }
                }
            }
        }
    }

    @Test
    void topk() {
        Operand x = f(100);
        Reference.forEach(x.sizes(), i -> Elements.setReal(x, (i[0] * 37) % 101, i));
        Operand values = f(3);
        Operand indices = l(3);
        run("topk", ZERO, args(0L, true, true), in(x), values, indices);
        assertThat(Operands.reals(values)).containsExactly(100, 99, 98);
        run("topk", ZERO, args(0L, false, true), in(x), values, indices);
        assertThat(Operands.reals(values)).containsExactly(0, 1, 2);
        assertThat(Operands.integers(indices)[0]).isZero();
    }

    @Test
    void argReduceIsGlobalAndFirstOnTies() {
        Operand values = f(1);
        Operand indices = l(1);
        run("arg_reduce", new At(10, 20), args(0L, true), in(Operands.floats(1, 5, 5, 2)), values, indices);
        assertThat(Operands.integers(indices)).containsExactly(11);
        run("arg_reduce", ZERO, args(0L, false), in(Operands.floats(1, Double.NaN, -5, Double.NaN)), values, indices);
        assertThat(Operands.integers(indices)).containsExactly(1);
        Operand columns = f(1, 2);
        Operand at = l(1, 2);
        run("arg_reduce", ZERO, args(0L, true), in(count(3, 2)), columns, at);
        assertThat(Operands.reals(columns)).containsExactly(4, 5);
        assertThat(Operands.integers(at)).containsExactly(2, 2);
    }

    @Test
    void nonzero() {
        Operand x = Operands.view(Operands.floats(0, 1, Double.NaN, 0, -0.0, 3), 2, 3);
        Operand n = l();
        run("count_nonzero", ZERO, args(), in(x), n);
        assertThat(Operands.integers(n)).containsExactly(3);
        Operand y = l(3, 2);
        run("nonzero", new At(1, 9), args(), in(x), y);
        assertThat(Operands.integers(y)).containsExactly(1, 2, 1, 3, 2, 3);
    }

    @Test
    void dropoutDependsOnTheGlobalIndexOnly() {
        Operand x = count(4, 4);
        Operand whole = f(4, 4);
        run("dropout", new At(0, 4), args(0.5, 7L, 3L), in(x), whole);
        Operand part = new Operand(x.memory(), 10, DType.FLOAT32, new long[] {2, 2}, new long[] {4, 1});
        Operand y = f(2, 2);
        run("dropout", new At(2, 4), args(0.5, 7L, 3L), in(part), y);
        Philox philox = new Philox(7, 3);
        Reference.forEach(x.sizes(), i -> {
            long index = i[0] * 4 + i[1];
            double expected = philox.uniform(index) < 0.5 ? 0 : 2.0 * index;
            assertThat(Elements.real(whole, i)).isEqualTo(expected);
            if (i[0] >= 2 && i[1] >= 2) {
                assertThat(Elements.real(y, i[0] - 2, i[1] - 2)).isEqualTo(expected);
            }
        });
    }

    @Test
    void emptyOperands() {
        run("index", ZERO, args(0L), in(count(3, 2), ids()), f(0, 2));
        run("gather", ZERO, args(0L), in(count(3, 2), l(0, 2)), f(0, 2));
        run("cumsum", ZERO, args(0L), in(f(0, 2)), f(0, 2));
        run("sort", ZERO, args(0L, false), in(f(0)), f(0), l(0));
        run("tril", ZERO, args(0L), in(f(0, 2)), f(0, 2));
        run("cat", ZERO, args(0L), in(f(0), f(0)), f(0));
    }
}
