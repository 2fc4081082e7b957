package org.dtorch.backend.cpu.pointwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.dtorch.backend.cpu.ChildJvm;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.backend.cpu.Operands.Form;
import org.dtorch.backend.cpu.simd.Simd;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.values.DType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The judge's sweep at every vector width that the machine has, each in a JVM of its own. */
class PointwiseWidthsTest {
    static final class Sweep {
        public static void main(String[] args) {
            PointwiseKernelTest test = new PointwiseKernelTest();
            for (UnaryFunction function : UnaryFunction.values()) {
                test.unaryFunctionsAgreeWithTheReference(function);
            }
            for (BinaryFunction function : BinaryFunction.values()) {
                test.binaryFunctionsAgreeWithTheReference(function);
            }
            for (DType dtype : List.of(DType.BOOL, DType.INT32, DType.FLOAT16, DType.BFLOAT16, DType.FLOAT64)) {
                test.everyPairOfDtypesLoadsAndStores(dtype);
            }
            test.operandsMayHaveAnyStrides(Form.TRANSPOSED);
            test.longExpressionsShareRegisters(5000);
            System.out.println("swept " + CpuBackend.simd().bits());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 128, 256, 512})
    void everyWidthAgreesWithTheReference(int bits) {
        assumeTrue(
                bits <= CpuBackend.simd().bits(), () -> "untested: this machine has no vectors of " + bits + " bits");
        ChildJvm child = ChildJvm.run(
                List.of("--add-modules", "jdk.incubator.vector", "-D" + Simd.PROPERTY + "=" + bits), Sweep.class);
        assertThat(child.errors()).doesNotContain("AssertionError", "Exception");
        assertThat(child.output()).isEqualTo("swept " + bits + "\n");
    }
}
