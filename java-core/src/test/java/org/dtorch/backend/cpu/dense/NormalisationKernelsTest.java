package org.dtorch.backend.cpu.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.reference.Elements;
import org.dtorch.backend.cpu.reference.Reference;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** softmax, log_softmax, layer_norm, rms_norm and group_norm against plain loops in float64. */
class NormalisationKernelsTest {
    private static final Form[] SOURCES = {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED, Form.BROADCAST_ROWS};
    private static final Form[] TARGETS = {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED};

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void softmaxAlongEveryDim(DType dtype) {
        Random random = new Random(1);
        long[][] shapes = {{}, {1}, {37}, {3, 70}, {40, 33}, {2, 3, 70}, {4, 1, 20}, {0, 3}, {3, 0}};
        for (long[] sizes : shapes) {
            for (Form from : SOURCES) {
                for (Form to : TARGETS) {
                    Operand x = Operands.fill(Operands.of(dtype, from, sizes), random, false);
                    Operand y = Operands.of(dtype, to, sizes);
                    for (int dim = 0; dim < Math.max(1, sizes.length); dim++) {
                        for (boolean log : new boolean[] {false, true}) {
                            run(log ? "log_softmax" : "softmax", y, new Operand[] {x}, (long) dim);
                            String what = dtype + Arrays.toString(sizes) + from + to + dim + log;
                            compare(y, softmax(x, dim, log), what);
                        }
                    }
                }
            }
        }
    }

    @Test
    void softmaxOfInfinitiesAndNan() {
        double inf = Double.POSITIVE_INFINITY;
        double nan = Double.NaN;
        double[][] rows = {{-inf, -inf}, {-inf, 0}, {nan, 1}, {inf, 1}, {1e38, -1e38}};
        double[][] expected = {{nan, nan}, {0, 1}, {nan, nan}, {nan, nan}, {1, 0}};
        for (int wide = 1; wide <= 40; wide += 13) { // short rows take the scalar loop, long ones vectors
            for (int i = 0; i < rows.length; i++) {
                double[] row = new double[2 * wide];
                Arrays.fill(row, -inf);
                row[0] = rows[i][0];
                row[2 * wide - 1] = rows[i][1];
                Operand y = Operands.contiguous(DType.FLOAT32, row.length);
                run("softmax", y, new Operand[] {Operands.floats(row)}, 0L);
                double[] result = Operands.reals(y);
                assertThat(new double[] {result[0], result[row.length - 1]}).containsExactly(expected[i]);
            }
        }
        Operand y = Operands.contiguous(DType.FLOAT32, 3, 32);
        Operand x = Operands.contiguous(DType.FLOAT32, 3, 32);
        for (int i = 0; i < 3; i++) {
            Elements.setReal(x, -inf, i, 5);
            Elements.setReal(x, i == 1 ? -inf : 2, i, 6);
        }
        run("softmax", y, new Operand[] {x}, 0L);
        assertThat(Elements.real(y, 0, 5)).isNaN();
        assertThat(Elements.real(y, 1, 6)).isEqualTo(0);
        assertThat(Elements.real(y, 0, 6)).isEqualTo(0.5);
    }

    @Test
    void logSoftmaxKeepsItsDigitsBesideALargeMaximum() {
        Operand y = Operands.contiguous(DType.FLOAT32, 4);
        run("log_softmax", y, new Operand[] {Operands.floats(1000, 1001, 1002, 1003)}, 0L);
        double[] expected = {-3.440190, -2.440190, -1.440190, -0.440190};
        for (int i = 0; i < 4; i++) {
            assertThat(Operands.reals(y)[i]).isCloseTo(expected[i], within(1e-6));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void layerAndRmsNorm(DType dtype) {
        Random random = new Random(2);
        for (long[] sizes : new long[][] {{1}, {3, 70}, {2, 3, 20}, {0, 3}, {7, 1}}) {
            for (Form from : SOURCES) {
                for (Form to : TARGETS) {
                    for (int dims = 1; dims <= sizes.length; dims++) {
                        for (int present = 0; present < 4; present++) {
                            long[] inner = Arrays.copyOfRange(sizes, sizes.length - dims, sizes.length);
                            Operand x = Operands.fill(Operands.of(dtype, from, sizes), random, false);
                            Operand weight = optional(present % 2 == 1, dtype, from, inner, random);
                            Operand bias = optional(present >= 2, dtype, from, inner, random);
                            Operand y = Operands.of(dtype, to, sizes);
                            String what = dtype + Arrays.toString(sizes) + from + to + dims + present;
                            run("layer_norm", y, new Operand[] {x, weight, bias}, (long) dims, 1e-5);
                            compare(y, norm(x, dims, weight, bias, true), what);
                            run("rms_norm", y, new Operand[] {x, weight}, (long) dims, 1e-5);
                            compare(y, norm(x, dims, weight, null, false), what);
                        }
                    }
                }
            }
        }
    }

    @Test
    void layerNormOfLargeOffset() {
        Operand y = Operands.contiguous(DType.FLOAT32, 4);
        run("layer_norm", y, new Operand[] {Operands.floats(100000, 100001, 100002, 100003), null, null}, 1L, 1e-5);
        double[] expected = {-1.341635, -0.447212, 0.447212, 1.341635};
        for (int i = 0; i < 4; i++) {
            assertThat(Operands.reals(y)[i]).isCloseTo(expected[i], within(1e-5));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void groupNorm(DType dtype) {
        Random random = new Random(3);
        for (long[] sizes : new long[][] {{2, 6}, {2, 6, 5}, {1, 4, 2, 9}, {0, 6, 2}}) {
            for (Form from : SOURCES) {
                for (Form to : TARGETS) {
                    for (int groups : new int[] {1, 2}) {
                        for (int present = 0; present < 4; present++) {
                            Operand x = Operands.fill(Operands.of(dtype, from, sizes), random, false);
                            Operand weight = optional(present % 2 == 1, dtype, from, new long[] {sizes[1]}, random);
                            Operand bias = optional(present >= 2, dtype, from, new long[] {sizes[1]}, random);
                            Operand y = Operands.of(dtype, to, sizes);
                            run("group_norm", y, new Operand[] {x, weight, bias}, (long) groups, 1e-5);
                            compare(y, groupNorm(x, groups, weight, bias), dtype + Arrays.toString(sizes) + from + to);
                        }
                    }
                }
            }
        }
    }

    private static Operand optional(boolean present, DType dtype, Form form, long[] sizes, Random random) {
        return present ? Operands.fill(Operands.of(dtype, form, sizes), random, false) : null;
    }

    private static void run(String name, Operand y, Operand[] inputs, Object... args) {
        DenseKernels.TABLE.get(name).run(new Launch(inputs, new Operand[] {y}, args, null));
    }

    private static void compare(Operand y, Operand expected, String what) {
        double tolerance = switch (y.dtype()) {
            case FLOAT64 -> 1e-12;
            case FLOAT16 -> 1.1 * 0x1p-11;
            case BFLOAT16 -> 1.1 * 0x1p-8;
            default -> 4e-6;
        };
        Reference.forEach(y.sizes(), index -> {
            double wanted = Elements.real(expected, index);
            double actual = Elements.real(y, index);
            if (!(Math.abs(actual - wanted) <= tolerance * Math.max(Math.abs(wanted), 0.5))) {
                fail("%s at %s: %s instead of %s", what, Arrays.toString(index), actual, wanted);
            }
        });
    }

    private static Operand softmax(Operand x, int dim, boolean log) {
        Operand y = Operands.contiguous(DType.FLOAT64, x.sizes());
        int n = x.rank() == 0 ? 1 : (int) x.sizes()[dim];
        Reference.forEach(x.sizes(), index -> {
            double max = Double.NEGATIVE_INFINITY;
            double sum = 0;
            for (int i = 0; i < n; i++) {
                max = Math.max(max, Elements.real(x, at(index, dim, i)));
            }
            for (int i = 0; i < n; i++) {
                sum += Math.exp(Elements.real(x, at(index, dim, i)) - max);
            }
            double own = Elements.real(x, index) - max;
            Elements.setReal(y, log ? own - Math.log(sum) : Math.exp(own) / sum, index);
        });
        return y;
    }

    private static long[] at(long[] index, int dim, long value) {
        long[] result = index.clone();
        if (result.length > 0) {
            result[dim] = value;
        }
        return result;
    }

    private static Operand norm(Operand x, int dims, Operand weight, Operand bias, boolean centred) {
        Operand y = Operands.contiguous(DType.FLOAT64, x.sizes());
        int outer = x.rank() - dims;
        long[] inner = Arrays.copyOfRange(x.sizes(), outer, x.rank());
        Reference.forEach(x.sizes(), index -> {
            double[] sums = new double[3];
            long[] other = index.clone();
            Reference.forEach(inner, part -> {
                System.arraycopy(part, 0, other, outer, dims);
                sums[0] += Elements.real(x, other);
                sums[2]++;
            });
            double mean = centred ? sums[0] / sums[2] : 0;
            Reference.forEach(inner, part -> {
                System.arraycopy(part, 0, other, outer, dims);
                sums[1] += Math.pow(Elements.real(x, other) - mean, 2);
            });
            long[] own = Arrays.copyOfRange(index, outer, x.rank());
            double value = (Elements.real(x, index) - mean) / Math.sqrt(sums[1] / sums[2] + 1e-5);
            value *= weight == null ? 1 : Elements.real(weight, own);
            Elements.setReal(y, value + (bias == null ? 0 : Elements.real(bias, own)), index);
        });
        return y;
    }

    private static Operand groupNorm(Operand x, int groups, Operand weight, Operand bias) {
        Operand y = Operands.contiguous(DType.FLOAT64, x.sizes());
        long perGroup = x.sizes()[1] / groups;
        Reference.forEach(x.sizes(), index -> {
            double[] sums = new double[3];
            long[] inside = x.sizes().clone();
            inside[0] = 1;
            inside[1] = perGroup;
            for (int pass = 0; pass < 2; pass++) {
                boolean first = pass == 0;
                Reference.forEach(inside, part -> {
                    long[] other = part.clone();
                    other[0] = index[0];
                    other[1] += index[1] / perGroup * perGroup;
                    double value = Elements.real(x, other);
                    if (first) {
                        sums[0] += value;
                        sums[2]++;
                    } else {
                        sums[1] += Math.pow(value - sums[0] / sums[2], 2);
                    }
                });
            }
            double value = (Elements.real(x, index) - sums[0] / sums[2]) / Math.sqrt(sums[1] / sums[2] + 1e-5);
            value *= weight == null ? 1 : Elements.real(weight, index[1]);
            Elements.setReal(y, value + (bias == null ? 0 : Elements.real(bias, index[1])), index);
        });
        return y;
    }
}
