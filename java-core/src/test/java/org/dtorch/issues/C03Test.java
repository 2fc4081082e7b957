package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks of attention are merged by (output, log-sum-exp) without overflow, NaN or infinities. */
class C03Test {
    private static final double INF = Double.POSITIVE_INFINITY;

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void extremeBlocks(DType dtype) {
        Operand outA = Operands.view(Operands.reals(dtype, 1, 1, 0, 0), 4, 1);
        Operand outB = Operands.view(Operands.reals(dtype, 5, 5, 5, 0), 4, 1);
        DType lseType = dtype == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        Operand lseA = Operands.reals(lseType, 200, 0, -INF, -INF);
        Operand lseB = Operands.reals(lseType, -200, Math.log(3), 2, -INF);
        Operand out = Operands.contiguous(dtype, 4, 1);
        Operand lse = Operands.contiguous(lseType, 4);
        Operand[] inputs = {outA, lseA, outB, lseB};
        new CpuBackend()
                .kernel(new Recipe.Named("attention_merge"))
                .run(new Launch(inputs, new Operand[] {out, lse}, new Object[0], null));
        assertThat(Operands.reals(out)).usingComparatorWithPrecision(1e-6).containsExactly(1, 4, 5, 0);
        assertThat(Operands.reals(lse)).usingComparatorWithPrecision(1e-6).startsWith(200, 1.386294, 2);
        assertThat(Operands.reals(lse)[3]).isEqualTo(-INF);
    }

    @org.junit.jupiter.api.Test
    void aSideWithoutKeysAddsNothingWhateverItHolds() {
        Operand[] inputs = {
            Operands.view(Operands.floats(Double.NaN), 1, 1),
            Operands.floats(-INF),
            Operands.view(Operands.floats(7), 1, 1),
            Operands.floats(1)
        };
        Operand out = Operands.contiguous(DType.FLOAT32, 1, 1);
        new CpuBackend()
                .kernel(new Recipe.Named("attention_merge"))
                .run(new Launch(
                        inputs, new Operand[] {out, Operands.contiguous(DType.FLOAT32, 1)}, new Object[0], null));
        assertThat(Operands.reals(out)).containsExactly(7);
    }
}
