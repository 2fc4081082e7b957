package org.dtorch.backend.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Random;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.ChildJvm;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every vector width, and the plain loops, give the same bits: so a result never depends on when loops are compiled. */
class SameBitsTest {
    static final class Fingerprints {
        private static final CpuBackend BACKEND = new CpuBackend();

        public static void main(String[] args) {
            for (DType dtype : List.of(DType.FLOAT32, DType.FLOAT64)) {
                Operand x = Operands.fill(Operands.contiguous(dtype, 5003), new Random(1), true);
                Operand y = Operands.fill(Operands.contiguous(dtype, 5003), new Random(2), true);
                Operand finite = Operands.fill(Operands.contiguous(dtype, 5003), new Random(3), false);
                for (UnaryFunction function : UnaryFunction.values()) {
                    print(function, new Recipe.Pointwise(Expr.input(0).apply(function), dtype), 5003, x);
                    Expr far = Expr.input(0).mul(20_000).apply(function);
                    print(function, new Recipe.Pointwise(far, dtype), 5003, x);
                }
                for (BinaryFunction function : BinaryFunction.values()) {
                    print(
                            function,
                            new Recipe.Pointwise(Expr.input(0).apply(function, Expr.input(1)), dtype),
                            5003,
                            x,
                            y);
                }
                for (Recipe.Combine combine : Recipe.Combine.values()) {
                    print(combine, new Recipe.Reduction(combine, dtype), 1, finite);
                }
            }
        }

        private static void print(Object name, Recipe recipe, long n, Operand... inputs) {
            Operand out = Operands.contiguous(inputs[0].dtype(), n);
            try {
                BACKEND.kernel(recipe).run(new Launch(inputs, new Operand[] {out}, null, null));
            } catch (DTorchError e) {
                return; // a function of integers only
            }
            long hash = 0;
            for (double value : Operands.reals(out)) {
                hash = hash * 31 + Double.hashCode(value);
            }
            System.out.println(name + " " + inputs[0].dtype() + " " + Long.toHexString(hash));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {128, 256, 512})
    void asThePlainLoops(int bits) {
        assumeTrue(
                bits <= CpuBackend.simd().bits(), () -> "untested: this machine has no vectors of " + bits + " bits");
        assertThat(fingerprints(bits)).isEqualTo(fingerprints(0)).contains("TANH", "ATAN2", "PROD");
    }

    private static String fingerprints(int bits) {
        ChildJvm child = ChildJvm.run(
                List.of("--add-modules", "jdk.incubator.vector", "-D" + Simd.PROPERTY + "=" + bits),
                Fingerprints.class);
        assertThat(child.exitCode()).as(child.errors()).isZero();
        return child.output();
    }
}
