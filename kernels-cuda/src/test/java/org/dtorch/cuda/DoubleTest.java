package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.backend.BackendReport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backend over a stand-in for the driver, in a process of its own: the loader's path is read at its start. */
class DoubleTest {
    @TempDir
    private static Path folder;

    @BeforeAll
    static void compileDouble() throws IOException, InterruptedException {
        Assumptions.assumeTrue(ChildJvm.isInstalled("g++", folder), "untested: the stand-in for the driver needs g++");
        ChildJvm.Outcome outcome = ChildJvm.run(
                List.of(
                        "g++",
                        "-std=c++17",
                        "-O1",
                        "-fwrapv",
                        "-fno-strict-aliasing",
                        "-Wall",
                        "-Werror",
                        "-shared",
                        "-fPIC",
                        "-o",
                        folder.resolve("libcuda.so.1").toString(),
                        Sources.folder().resolve("src/test/cuda/libcuda.cpp").toString()),
                Map.of(),
                folder);
        assertThat(outcome.status()).as(outcome.errors()).isZero();
    }

    @Test
    void discoversAllocatesCopiesLaunchesAndFrees() throws IOException, InterruptedException {
        ChildJvm.Outcome outcome = ChildJvm.java(DoubleProgram.class, environment(Map.of()), folder);
        assertThat(outcome.status()).as(outcome.errors() + outcome.output()).isZero();
        assertThat(outcome.output().lines().filter(line -> line.startsWith("passed ")))
                .containsExactlyElementsOf(DoubleProgram.names().stream()
                        .map(name -> "passed " + name)
                        .toList());
    }

    @Test
    void reportsWhyThereIsNoDevice() throws IOException, InterruptedException {
        assertThat(report(Map.of("DOUBLE_INIT", "100")))
                .isEqualTo("no device: the NVIDIA driver is there, but it shows no GPU; check nvidia-smi and"
                        + " CUDA_VISIBLE_DEVICES");
        assertThat(report(Map.of("DOUBLE_DEVICES", "0"))).contains("shows no GPU");
        assertThat(report(Map.of("DOUBLE_INIT", "803")))
                .contains("does not start (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)")
                .contains("check nvidia-smi");
    }

    private static String report(Map<String, String> settings) throws IOException, InterruptedException {
        ChildJvm.Outcome outcome = ChildJvm.java(Report.class, environment(settings), folder);
        assertThat(outcome.status()).as(outcome.errors()).isZero();
        assertThat(outcome.errors()).isEmpty();
        return outcome.output().strip();
    }

    private static Map<String, String> environment(Map<String, String> settings) {
        Map<String, String> environment = new HashMap<>(settings);
        environment.put("LD_LIBRARY_PATH", folder.toString());
        return environment;
    }

    /** Prints what the backend found. */
    static final class Report {
        public static void main(String[] args) {
            System.out.println(BackendReport.of(new CudaBackend()).text());
        }
    }
}
