package org.dtorch.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.dtorch.python.PythonHost;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The product's tests: JUnit in Maven, then pytest on this very Python; the last line counts both. */
@Command(name = "test", description = "Runs the tests of the product.")
final class TestCommand implements Callable<Integer> {
    private static final Set<String> PARTS = Set.of("java", "python", "conformance", "examples");

    @Option(names = "--full", description = "Every case, not the sample of an ordinary run.")
    private boolean full;

    @Parameters(
            arity = "0..1",
            paramLabel = "PART",
            description = "java, python, conformance or examples; all by default.")
    private String part;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (part != null && !PARTS.contains(part)) {
            System.err.println("dtorch: no part '" + part + "'; there are java, python, conformance, examples");
            return 2;
        }
        Installation installation = Installation.current();
        TestCount total = TestCount.NONE;
        boolean broken = false;
        if (part == null || part.equals("java")) {
            broken |= maven(installation) != 0;
            total = total.plus(TestCount.inReports(installation.home()));
        }
        List<Path> folders = Stream.of(
                        "python:python-shim/tests", "conformance:conformance/replay", "examples:examples/tests")
                .filter(f -> part == null || f.startsWith(part + ":"))
                .map(f -> installation.home().resolve(f.substring(f.indexOf(':') + 1)))
                .filter(Files::isDirectory)
                .toList();
        if (!folders.isEmpty()) {
            Path report = Files.createDirectories(installation.state()).resolve("pytest.xml");
            Files.deleteIfExists(report);
            broken |= pytest(installation, folders, report) != 0;
            total = total.plus(TestCount.inReport(report));
        }
        System.out.println(total);
        return broken || total.failed() > 0 || total.passed() == 0 ? 1 : 0;
    }

    private int maven(Installation installation) throws InterruptedException {
        return Programs.run(
                installation.home(),
                Map.of(
                        "JAVA_HOME",
                        jdk(installation).toString(),
                        "MAVEN_OPTS",
                        "--sun-misc-unsafe-memory-access=allow"),
                List.of("mvn", "-B", "-ntp", "--fail-at-end", "-q", "-Ddtorch.full=" + full, "test"));
    }

    /** The JDK that the launcher built with; the running image has no compiler to offer. */
    static Path jdk(Installation installation) {
        try {
            return Path.of(Files.readString(installation.state().resolve("jdk")).strip());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("start through ./dtorch: it says which JDK it found", e);
        }
    }

    private int pytest(Installation installation, List<Path> folders, Path report)
            throws IOException, InterruptedException {
        if (!PipCommand.installed(installation, "pytest")) {
            System.err.println("dtorch: installing pytest");
            // A process of its own: native modules of one Python context cannot be loaded by the next one here.
            int code =
                    Programs.run(installation.home(), Map.of(), List.of("./dtorch", "pip", "install", "-q", "pytest"));
            if (code != 0) {
                return code;
            }
        }
        List<String> argv = new ArrayList<>(List.of("pytest", "-q", "-p", "no:cacheprovider", "--junitxml=" + report));
        folders.forEach(f -> argv.add(f.toString()));
        PythonHost.Builder builder = installation
                .scripts()
                .path(installation.home())
                .environment("DTORCH_TEST_FULL", full ? "1" : "0")
                .arguments(argv.toArray(String[]::new));
        try (PythonHost host = builder.build()) {
            return host.runModule("pytest");
        }
    }
}
