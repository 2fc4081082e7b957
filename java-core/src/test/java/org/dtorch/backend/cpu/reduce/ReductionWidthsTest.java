package org.dtorch.backend.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.dtorch.backend.cpu.ChildJvm;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.backend.cpu.simd.Simd;
import org.dtorch.recipe.Recipe.Combine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The judge's sweep at every vector width that the machine has, each in a JVM of its own. */
class ReductionWidthsTest {
    static final class Sweep {
        public static void main(String[] args) {
            ReductionKernelTest test = new ReductionKernelTest();
            for (Combine combine : Combine.values()) {
                test.anySetOfDimensionsOfAnyStrides(combine);
            }
            test.nanWins(Combine.MAX);
            test.nanWins(Combine.SUM);
            test.floatSumsKeepTheirDigits();
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
