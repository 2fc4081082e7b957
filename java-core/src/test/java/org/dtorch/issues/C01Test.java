package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Context parallel over two devices with the head-tail split, 8 tokens with zero queries and keys and values 0 to 7: every
 * device attends to both parts by global positions and merges.
 */
class C01Test {
    private static final long[][] TOKENS = {{0, 1, 6, 7}, {2, 3, 4, 5}};

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void headTailPartsMergeToTheWhole(boolean causal) {
        CpuBackend cpu = new CpuBackend();
        Kernel attention = cpu.kernel(new Recipe.Named("attention"));
        Kernel merge = cpu.kernel(new Recipe.Named("attention_merge"));
        Operand zeros = Operands.contiguous(DType.FLOAT32, 1, 1, 4, 1);
        double[] whole = new double[8];
        for (long[] rows : TOKENS) {
            Operand[][] parts = new Operand[2][];
            for (int part = 0; part < 2; part++) {
                long[] keys = TOKENS[part];
                Operand values = Operands.view(Operands.floats(keys[0], keys[1], keys[2], keys[3]), 1, 1, 4, 1);
                parts[part] = results();
                Object[] args = {1.0, causal, rows, keys};
                attention.run(new Launch(new Operand[] {zeros, zeros, values, null}, parts[part], args, null));
            }
            Operand[] merged = results();
            Operand[] both = {parts[0][0], parts[0][1], parts[1][0], parts[1][1]};
            merge.run(new Launch(both, merged, new Object[0], null));
            double[] local = Operands.reals(merged[0]);
            for (int i = 0; i < 4; i++) {
                whole[(int) rows[i]] = local[i];
            }
        }
        assertThat(whole)
                .usingComparatorWithPrecision(1e-6)
                .containsExactly(
                        causal
                                ? new double[] {0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}
                                : new double[] {3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5});
    }

    private static Operand[] results() {
        return new Operand[] {
            Operands.contiguous(DType.FLOAT32, 1, 1, 4, 1), Operands.contiguous(DType.FLOAT32, 1, 1, 4)
        };
    }
}
