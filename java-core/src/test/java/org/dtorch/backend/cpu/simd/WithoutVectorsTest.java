package org.dtorch.backend.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.ChildJvm;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.backend.cpu.Operands;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starting without the vector module, or with narrow vectors, gives the same numbers. */
class WithoutVectorsTest {
    static final class DotProduct {
        public static void main(String[] args) {
            CpuBackend backend = new CpuBackend();
            Operand x = Operands.floats(1, 2, 3, 4, 5, 6, 7);
            Operand product = Operands.contiguous(DType.FLOAT32, 7);
            Operand sum = Operands.contiguous(DType.FLOAT32, 1);
            Recipe mul = new Recipe.Pointwise(Expr.input(0).mul(Expr.input(1)), DType.FLOAT32);
            Recipe add = new Recipe.Reduction(Recipe.Combine.SUM, DType.FLOAT32);
            backend.kernel(mul).run(new Launch(new Operand[] {x, x}, new Operand[] {product}, null, null));
            backend.kernel(add).run(new Launch(new Operand[] {product}, new Operand[] {sum}, null, null));
            System.out.println(CpuBackend.simd().bits() + " bits: " + Operands.reals(sum)[0]);
        }
    }

    @Test
    void withoutTheModuleOneWarningAndScalarKernels() {
        ChildJvm child = ChildJvm.run(List.of(), DotProduct.class);
        assertThat(child.output()).isEqualTo("0 bits: 140.0\n");
        assertThat(child.exitCode()).isZero();
        assertThat(child.errors().lines().filter(line -> line.contains("WARNING")))
                .singleElement()
                .asString()
                .contains("--add-modules jdk.incubator.vector");
        assertThat(child.errors()).doesNotContain("Exception", "Error");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 128, 256})
    void theWidthCanBeForced(int bits) {
        ChildJvm child = ChildJvm.run(
                List.of("--add-modules", "jdk.incubator.vector", "-D" + Simd.PROPERTY + "=" + bits), DotProduct.class);
        assertThat(child.output()).isEqualTo(bits + " bits: 140.0\n");
    }

    @Test
    void anUnknownWidthIsRefusedByName() {
        ChildJvm child = ChildJvm.run(List.of("-D" + Simd.PROPERTY + "=300"), DotProduct.class);
        assertThat(child.exitCode()).isNotZero();
        assertThat(child.errors()).contains(Simd.PROPERTY + "=300, expected 0, 128, 256 or 512");
    }
}
