package org.dtorch.backend.cpu.dense;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code embedding} and {@code rotary}. */
class EmbeddingAndRotaryTest {
    private static void run(String name, Operand y, Operand[] inputs, Launch.Origins origins, Object... args) {
        DenseKernels.TABLE.get(name).run(new Launch(inputs, new Operand[] {y}, args, origins));
    }

    private static Launch.Origins weightFrom(long row) {
        return new Launch.Origins() {
            @Override
            public long input(int i, int dim) {
                return i == 1 && dim == 0 ? row : 0;
            }

            @Override
            public long output(int i, int dim) {
                return 0;
            }

            @Override
            public long inputSize(int i, int dim) {
                throw new UnsupportedOperationException();
            }

            @Override
            public long outputSize(int i, int dim) {
                throw new UnsupportedOperationException();
            }
        };
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void partsOfTheVocabularySumToTheWhole(DType dtype) {
        Random random = new Random(6);
        for (Form form : new Form[] {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED}) {
            for (DType idType : new DType[] {DType.INT32, DType.INT64}) {
                Operand ids = Operands.of(idType, form, 2, 3);
                Reference.forEach(ids.sizes(), at -> Elements.setInteger(ids, random.nextInt(7), at));
                Operand weight = Operands.fill(Operands.of(dtype, form, 3, 5), random, false);
                Operand y = Operands.of(dtype, form, 2, 3, 5);
                run("embedding", y, new Operand[] {ids, weight}, weightFrom(2), 7L);
                Reference.forEach(y.sizes(), at -> {
                    long row = Elements.integer(ids, at[0], at[1]) - 2;
                    double wanted = row >= 0 && row < 3 ? real(weight, row, at[2]) : 0;
                    assertThat(real(y, at)).as(dtype + " " + form).isEqualTo(wanted);
                });
            }
        }
    }

    private static double real(Operand operand, long... at) {
        return operand.dtype().isFloating() ? Elements.real(operand, at) : Elements.integer(operand, at);
    }

    @Test
    void idOutsideTheGlobalRowsIsRefusedBeforeWriting() {
        Operand y = Operands.view(Operands.floats(9, 9), 2, 1);
        Operand weight = Operands.view(Operands.floats(1, 2), 2, 1);
        for (long id : new long[] {-1, 2}) {
            Operand[] inputs = {Operands.integers(DType.INT64, 0, id), weight};
            assertThatThrownBy(() -> run("embedding", y, inputs, weightFrom(0), 2L))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.INDEX))
                    .hasMessageContaining("index out of range in self");
            assertThat(Operands.reals(y)).containsExactly(9, 9);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void rotaryEqualsTheFormula(DType dtype) {
        Random random = new Random(8);
        for (long[] sizes : new long[][] {{3, 2}, {2, 3, 5, 8}, {1, 2, 3, 64}, {1, 2, 4, 40}, {2, 0, 4}}) {
            int rank = sizes.length;
            long width = sizes[rank - 1];
            long[] table = Arrays.copyOfRange(sizes, rank - 2, rank);
            for (Form form : new Form[] {Form.CONTIGUOUS, Form.TRANSPOSED, Form.STRIDED}) {
                for (boolean interleaved : new boolean[] {false, true}) {
                    Operand x = Operands.fill(Operands.of(dtype, form, sizes), random, false);
                    Operand cos = Operands.fill(Operands.of(dtype, form, table), random, false);
                    Operand sin = Operands.fill(Operands.of(dtype, form, table), random, false);
                    Operand y = Operands.of(dtype, form, sizes);
                    run("rotary", y, new Operand[] {x, cos, sin}, null, interleaved);
                    Reference.forEach(sizes, at -> {
                        long i = at[rank - 1];
                        long other = interleaved ? i ^ 1 : (i + width / 2) % width;
                        boolean first = interleaved ? i % 2 == 0 : i < width / 2;
                        long[] partner = at.clone();
                        partner[rank - 1] = other;
                        long row = at[rank - 2];
                        double wanted = Elements.real(x, at) * Elements.real(cos, row, i)
                                + (first ? -1 : 1) * Elements.real(x, partner) * Elements.real(sin, row, i);
                        double unit = dtype == DType.BFLOAT16 ? 0x1p-8 : dtype == DType.FLOAT16 ? 0x1p-11 : 0;
                        double actual = Elements.real(y, at);
                        if (!(Math.abs(actual - wanted) <= 1.01 * unit * Math.abs(wanted) + 3e-6)) {
                            fail("%s %s %s: %s instead of %s", dtype, form, Arrays.toString(at), actual, wanted);
                        }
                    });
                }
            }
        }
    }

    @Test
    void rotaryInPlace() {
        Operand x = Operands.view(Operands.floats(1, 0), 1, 2);
        Operand cos = Operands.view(Operands.floats(Math.cos(6), Math.cos(6)), 1, 2);
        Operand sin = Operands.view(Operands.floats(Math.sin(6), Math.sin(6)), 1, 2);
        run("rotary", x, new Operand[] {x, cos, sin}, null, false);
        assertThat(Operands.reals(x)[0]).isCloseTo(0.960170, within(1e-6));
        assertThat(Operands.reals(x)[1]).isCloseTo(-0.279415, within(1e-6));
    }
}
