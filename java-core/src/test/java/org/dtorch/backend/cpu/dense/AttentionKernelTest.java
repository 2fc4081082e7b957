package org.dtorch.backend.cpu.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code attention} against the formula in float64 over whole rows. */
class AttentionKernelTest {
    private static final double INF = Double.POSITIVE_INFINITY;

    /** Batch, query heads, key heads, queries, keys, query width, value width. */
    private static final int[][] SHAPES = {
        {1, 1, 1, 1, 1, 1, 1},
        {2, 4, 2, 5, 7, 8, 8},
        {1, 2, 2, 1, 300, 16, 48},
        {1, 6, 2, 1, 70, 32, 32},
        {1, 2, 1, 66, 260, 9, 4},
        {1, 1, 1, 3, 0, 4, 4},
        {1, 1, 1, 0, 3, 4, 4},
        {1, 1, 1, 40, 40, 16, 16},
        {1, 3, 1, 9, 520, 5, 3},
        {1, 1, 1, 3, 4, 0, 2},
    };

    private record Problem(
            Operand q, Operand k, Operand v, Operand mask, double scale, boolean causal, long[] rows, long[] cols) {}

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void everyMaskFormAndLayout(DType dtype) {
        Random random = new Random(4);
        for (int[] s : SHAPES) {
            for (Form form : new Form[] {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED}) {
                for (int kind = 0; kind < 6; kind++) {
                    Operand q = Operands.fill(Operands.of(dtype, form, s[0], s[1], s[3], s[5]), random, false);
                    Operand k = Operands.fill(Operands.of(dtype, form, s[0], s[2], s[4], s[5]), random, false);
                    Operand v = Operands.fill(Operands.of(dtype, form, s[0], s[2], s[4], s[6]), random, false);
                    Operand mask = switch (kind) {
                        case 1 -> Operands.fill(Operands.of(dtype, form, s[0], s[1], s[3], s[4]), random, false);
                        case 2 -> Operands.fill(Operands.of(DType.BOOL, form, s[3], s[4]), random, false);
                        case 3 -> Operands.fill(Operands.of(DType.BOOL, form, s[0], 1, 1, s[4]), random, false);
                        default -> null;
                    };
                    boolean causal = kind >= 4;
                    long[] rows = LongStream.range(0, s[3])
                            .map(i -> i + Math.max(0, s[4] - s[3]))
                            .toArray();
                    long[] cols = LongStream.range(0, s[4]).toArray();
                    if (kind == 5) { // head-tail order: not ascending across the middle, some queries see nothing
                        rows = LongStream.range(0, s[3])
                                .map(i -> (i * 7) % (s[4] + 2) - 1)
                                .toArray();
                        cols = LongStream.range(0, s[4])
                                .map(j -> (j * 37) % 1009)
                                .toArray();
                    }
                    Problem problem = new Problem(q, k, v, mask, 0.3, causal, rows, cols);
                    check(problem, form, dtype + Arrays.toString(s) + form + " kind " + kind);
                }
            }
        }
    }

    @Test
    void rowsWithoutKeysAndWithNan() {
        Operand q = Operands.view(Operands.floats(1, 1, Double.NaN, 1), 1, 1, 4, 1);
        Operand k = Operands.view(Operands.floats(1, 2), 1, 1, 2, 1);
        Operand v = Operands.view(Operands.floats(3, 5), 1, 1, 2, 1);
        Operand mask = Operands.view(Operands.floats(0, 0, -INF, -INF, 0, 0, -INF, 0), 4, 2);
        Operand out = Operands.contiguous(DType.FLOAT32, 1, 1, 4, 1);
        Operand lse = Operands.contiguous(DType.FLOAT32, 1, 1, 4);
        run(new Problem(q, k, v, mask, 1, false, null, null), out, lse);
        double[] values = Operands.reals(out);
        assertThat(values[0]).isCloseTo((3 + 5 * Math.E) / (1 + Math.E), within(1e-6));
        assertThat(values[1]).isEqualTo(0);
        assertThat(values[2]).isNaN();
        assertThat(values[3]).isEqualTo(5);
        double[] logs = Operands.reals(lse);
        assertThat(logs[0]).isCloseTo(Math.log(Math.E + Math.E * Math.E), within(1e-6));
        assertThat(logs[1]).isEqualTo(-INF);
        assertThat(logs[2]).isNaN();
        assertThat(logs[3]).isEqualTo(2);
    }

    @Test
    void headsMustBeAMultiple() {
        Operand q = Operands.contiguous(DType.FLOAT32, 1, 3, 1, 1);
        Operand k = Operands.contiguous(DType.FLOAT32, 1, 2, 1, 1);
        Operand lse = Operands.contiguous(DType.FLOAT32, 1, 3, 1);
        assertThatThrownBy(() -> run(new Problem(q, k, k, null, 1, false, null, null), q, lse))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("3 query heads for 2 key and value heads");
    }

    private static void run(Problem p, Operand out, Operand lse) {
        Operand[] inputs = {p.q, p.k, p.v, p.mask};
        Object[] args = {p.scale, p.causal, p.rows, p.cols};
        DenseKernels.TABLE.get("attention").run(new Launch(inputs, new Operand[] {out, lse}, args, null));
    }

    private static void check(Problem p, Form form, String what) {
        long[] s = p.q.sizes();
        DType dtype = p.q.dtype();
        Operand out = Operands.of(dtype, form, s[0], s[1], s[2], p.v.sizes()[3]);
        DType lseType = dtype == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        Operand lse = Operands.of(lseType, form, s[0], s[1], s[2]);
        run(p, out, lse);
        int keys = (int) p.k.sizes()[2];
        long group = p.k.sizes()[1] == 0 ? 1 : s[1] / p.k.sizes()[1];
        Reference.forEach(lse.sizes(), at -> {
            double[] scores = new double[keys];
            double max = -INF;
            for (int j = 0; j < keys; j++) {
                double dot = 0;
                for (int e = 0; e < s[3]; e++) {
                    dot += Elements.real(p.q, at[0], at[1], at[2], e) * Elements.real(p.k, at[0], at[1] / group, j, e);
                }
                scores[j] = dot * p.scale + masked(p, at, j);
                max = Math.max(max, scores[j]);
            }
            double total = 0;
            for (int j = 0; j < keys && max > -INF; j++) {
                scores[j] = Math.exp(scores[j] - max);
                total += scores[j];
            }
            double log = total == 0 ? -INF : max + Math.log(total);
            double loose = dtype == DType.FLOAT64 ? 1e-11 : 1e-5;
            close(Elements.real(lse, at), log, loose * Math.max(1, Math.abs(log)), what, at);
            for (int f = 0; f < p.v.sizes()[3]; f++) {
                double sum = 0;
                for (int j = 0; j < keys && total > 0; j++) {
                    sum += scores[j] / total * Elements.real(p.v, at[0], at[1] / group, j, f);
                }
                double unit = switch (dtype) {
                    case FLOAT16 -> 0x1p-10;
                    case BFLOAT16 -> 0x1p-7;
                    default -> 0;
                };
                double actual = Elements.real(out, at[0], at[1], at[2], f);
                close(actual, sum, unit * Math.abs(sum) + 2 * loose, what, at);
            }
        });
    }

    private static void close(double actual, double wanted, double tolerance, String what, long[] at) {
        if (actual != wanted && !(Math.abs(actual - wanted) <= tolerance)) {
            fail("%s at %s: %s instead of %s", what, Arrays.toString(at), actual, wanted);
        }
    }

    private static double masked(Problem p, long[] at, int j) {
        if (p.causal && p.cols[j] > p.rows[(int) at[2]]) {
            return -INF;
        }
        if (p.mask == null) {
            return 0;
        }
        long[] full = {at[0], at[1], at[2], j};
        int rank = p.mask.rank();
        long[] index = new long[rank];
        for (int d = 0; d < rank; d++) {
            index[d] = p.mask.sizes()[d] == 1 ? 0 : full[4 - rank + d];
        }
        if (p.mask.dtype() == DType.BOOL) {
            return Elements.integer(p.mask, index) != 0 ? 0 : -INF;
        }
        return Elements.real(p.mask, index);
    }
}
