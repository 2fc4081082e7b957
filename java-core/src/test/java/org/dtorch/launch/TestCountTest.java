package org.dtorch.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestCountTest {
    @Test
    void addsTheReportsOfAllModules(@TempDir Path home) throws IOException {
        report(home.resolve("core"), "tests=\"5\" errors=\"0\" skipped=\"1\" failures=\"2\"");
        report(home.resolve("examples/java"), "tests=\"3\" errors=\"1\" skipped=\"0\" failures=\"0\"");
        assertThat(TestCount.inReports(home)).isEqualTo(new TestCount(4, 3, 1));
    }

    private static void report(Path module, String counts) throws IOException {
        Path folder = Files.createDirectories(module.resolve("target/surefire-reports"));
        Files.writeString(folder.resolve("TEST-x.xml"), "<testsuite name=\"x\" " + counts + "></testsuite>");
    }
}
