package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PtxTest {
    private static final Path SOURCES = Sources.folder().resolve("src/main/cuda");
    private static final Pattern COMPILER = Pattern.compile("// Cuda compilation tools, (release .*)");

    @Test
    void committedPtxIsOfTheCommittedSource() throws IOException, NoSuchAlgorithmException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(SOURCES.resolve("pointwise.cu")));
        assertThat(committed().lines().findFirst())
                .as("run kernels-cuda/src/main/cuda/compile.sh after a change of pointwise.cu")
                .hasValue("// source sha256 " + HexFormat.of().formatHex(hash));
    }

    @Test
    void holdsAnEntryOfTheRightParameterForEachComputeDType() throws IOException {
        for (DType compute : List.of(DType.FLOAT32, DType.FLOAT64, DType.INT64)) {
            String entry = PointwiseKernel.entry(compute);
            for (String ptx : List.of(committed(), CudaDevice.ptx())) {
                assertThat(ptx)
                        .containsPattern("\\.visible \\.entry " + entry + "\\(\\s*\\.param \\.align 8 \\.b8 " + entry
                                + "_param_0\\[" + PointwiseArguments.BYTES + "\\]\\s*\\)")
                        .contains(".target sm_75");
            }
        }
    }

    @Test
    void nvccMakesWhatIsCommitted(@TempDir Path folder) throws IOException, InterruptedException {
        Assumptions.assumeTrue(ChildJvm.isInstalled("nvcc", folder), "untested: compiling the kernels needs nvcc");
        Path made = folder.resolve("pointwise.ptx");
        ChildJvm.Outcome outcome = ChildJvm.run(
                List.of("sh", SOURCES.resolve("compile.sh").toString(), made.toString()), Map.of(), folder);
        assertThat(outcome.status()).as(outcome.errors()).isZero();
        String fresh = Files.readString(made, StandardCharsets.US_ASCII);
        if (compiler(fresh).equals(compiler(committed()))) {
            assertThat(fresh).isEqualTo(committed());
        } else {
            assertThat(entries(fresh)).isEqualTo(entries(committed())); // another nvcc chooses other registers
        }
    }

    private static String committed() throws IOException {
        return Files.readString(SOURCES.resolve("pointwise.ptx"), StandardCharsets.US_ASCII);
    }

    private static String compiler(String ptx) {
        Matcher line = COMPILER.matcher(ptx);
        assertThat(line.find()).isTrue();
        return line.group(1);
    }

    private static List<String> entries(String ptx) {
        return ptx.lines()
                .filter(line -> line.contains(".entry") || line.contains(".param .align"))
                .toList();
    }
}
