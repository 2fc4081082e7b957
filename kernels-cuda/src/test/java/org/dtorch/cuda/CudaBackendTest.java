package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.dtorch.backend.Backend;
import org.dtorch.backend.BackendReport;
import org.dtorch.mesh.DeviceType;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CudaBackendTest {
    @Test
    void isFoundByServiceLoader() {
        assertThat(ServiceLoader.load(Backend.class).stream().map(ServiceLoader.Provider::type))
                .contains(CudaBackend.class);
    }

    @Test
    void withoutDriverItIsAbsentAndSaysWhatToInstall(@TempDir Path folder) throws IOException, InterruptedException {
        ChildJvm.Outcome outcome = ChildJvm.java(WithoutDriver.class, Map.of("LD_LIBRARY_PATH", ""), folder);
        assertThat(outcome.status()).as(outcome.errors()).isZero();
        String absence =
                "the NVIDIA driver's library libcuda.so.1 was not found; install the NVIDIA driver 525 or later, or"
                        + " put the folder that holds the library on LD_LIBRARY_PATH";
        assertThat(outcome.output().lines())
                .containsExactly(
                        "no device: " + absence,
                        "device cuda:0 does not exist: " + absence,
                        "cuda:0 simulated true",
                        "cuda:5 simulated true");
        assertThat(outcome.errors().lines().filter(line -> line.contains("INFO")))
                .containsExactly("INFO: cuda devices are simulated on host memory: " + absence);
        assertThat(outcome.errors().lines()).hasSize(2); // the line, under the logger's line of date and class
    }

    /** What a machine without the driver shows; such a machine is the usual one, but not every one that tests. */
    static final class WithoutDriver {
        public static void main(String[] args) {
            CudaBackend backend = new CudaBackend();
            System.out.println(BackendReport.of(backend).text());
            try {
                backend.allocate(0, 4);
            } catch (DTorchError e) {
                System.out.println(e.getMessage());
            }
            try (Session first = Session.open(Settings.defaults());
                    Session second = Session.open(Settings.defaults())) {
                for (Device device :
                        new Device[] {first.device(DeviceType.CUDA, 0), second.device(DeviceType.CUDA, 5)}) {
                    System.out.println(device + " simulated " + device.isSimulated());
                }
            }
        }
    }

    @Test
    void recipesWithoutKernelAreNamed() {
        CudaBackend backend = new CudaBackend();
        assertThatThrownBy(() -> backend.kernel(new Recipe.Named("matmul")))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.NOT_IMPLEMENTED))
                .hasMessage("kernel 'matmul' on the cuda backend");
        assertThatThrownBy(() -> backend.kernel(new Recipe.Reduction(Recipe.Combine.SUM, DType.FLOAT32)))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("Reduction[combine=SUM");
        Expr[] beyond = {
            Expr.input(0).exp(),
            Expr.input(0).mul(Expr.input(1)),
            Expr.input(0).add(Expr.input(1).mul(Expr.arg(0))),
            Expr.input(0).select(Expr.input(1), Expr.input(2))
        };
        for (Expr expr : beyond) {
            assertThatThrownBy(() -> backend.kernel(new Recipe.Pointwise(expr, DType.FLOAT32)))
                    .isInstanceOf(DTorchError.class)
                    .hasMessageContaining(expr.toString())
                    .hasMessageContaining("copy, fill and add");
        }
    }

    @Test
    void sessionsDoNotUseItYet() {
        assertThat(new CudaBackend().isComplete()).isFalse();
    }
}
