package org.dtorch.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.dtorch.python.PythonHost;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The budget rows in dtorch and in PyTorch, one after the other in one run, as one table of medians. */
@Command(name = "bench", description = "Measures against PyTorch.")
final class BenchCommand implements Callable<Integer> {
    private static final String PEER_VERSION = "2.13.0";

    @Option(names = "--quick", description = "Short runs, and of the Llamas only the smallest.")
    private boolean quick;

    @Option(
            names = "--rows",
            split = ",",
            paramLabel = "ROW",
            description = "Rows of benchmarks/rows.json; all by default.")
    private List<String> wanted = List.of();

    @Option(
            names = "--peer-python",
            paramLabel = "PYTHON",
            description = "A CPython with PyTorch; else one is installed.")
    private String peer;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Installation installation = Installation.current();
        Path benchmarks = installation.home().resolve("benchmarks");
        JsonNode all = new ObjectMapper()
                .readTree(benchmarks.resolve("rows.json").toFile())
                .get("rows");
        Set<String> unknown = new TreeSet<>(wanted);
        all.forEach(row -> unknown.remove(row.get("row").asText()));
        if (!unknown.isEmpty()) {
            System.err.println("dtorch: no rows " + String.join(", ", unknown) + "; benchmarks/rows.json lists them");
            return 2;
        }
        List<JsonNode> rows = StreamSupport.stream(all.spliterator(), false)
                .filter(row -> wanted.isEmpty() ? !quick || !row.has("slow") : wanted.contains(name(row)))
                .toList();
        Path results = Files.createDirectories(installation.state().resolve("bench"));
        double before = load();
        boolean complete = true;

        String python = peer != null ? peer : peerPython(installation);
        Path java = results.resolve("java.jsonl");
        Path script = results.resolve("python.jsonl");
        Path torch = results.resolve("torch.jsonl");
        for (Path file : List.of(java, script, torch)) {
            Files.deleteIfExists(file);
        }
        List<String> javaRows = from("java", rows);
        if (!javaRows.isEmpty()) {
            complete &= fromJava(installation, java, javaRows);
        }
        List<String> scriptRows = from("python", rows);
        if (!scriptRows.isEmpty()) {
            String dtorch = installation.home().resolve("dtorch").toString();
            String rowsScript = benchmarks.resolve("dtorch_rows.py").toString();
            complete &= measured("dtorch from Python", script, List.of(dtorch, "run", rowsScript), scriptRows);
        }
        List<String> peerRows = rows.stream()
                .filter(row -> row.has("peer"))
                .map(row -> row.get("peer").asText())
                .distinct()
                .toList();
        if (python != null && !peerRows.isEmpty()) {
            String rowsScript = benchmarks.resolve("peers/torch_rows.py").toString();
            complete &= measured("PyTorch", torch, List.of(python, rowsScript), peerRows);
        }

        List<String> argv = new ArrayList<>(List.of("table.py", "--rows", String.join(",", names(rows))));
        if (python == null) {
            argv.add("--no-peer");
        }
        Stream.of(java, script, torch).filter(Files::exists).forEach(file -> argv.add(file.toString()));
        int code;
        try (PythonHost host = installation
                .scripts()
                .path(benchmarks)
                .script(benchmarks.resolve("table.py"))
                .arguments(argv.toArray(String[]::new))
                .build()) {
            code = host.runScript();
        }
        System.out.printf(
                "%d cores, load average %.1f before and %.1f after%n",
                Runtime.getRuntime().availableProcessors(), before, load());
        return code != 0 ? code : complete ? 0 : 1;
    }

    private boolean measured(String what, Path results, List<String> program, List<String> rows)
            throws InterruptedException {
        System.err.println("dtorch: measuring " + what + ": " + String.join(", ", rows));
        List<String> command = new ArrayList<>(program);
        if (quick) {
            command.add("--quick");
        }
        command.addAll(rows);
        int code = Programs.runTo(results, command);
        if (code != 0) {
            System.err.println("dtorch: measuring " + what + " failed with exit code " + code);
        }
        return code == 0;
    }

    /** Compiles the benchmarks, which no other command needs, and runs them on this Java. */
    private boolean fromJava(Installation installation, Path results, List<String> rows)
            throws IOException, InterruptedException {
        int built = Programs.run(
                installation.home(),
                Map.of(
                        "JAVA_HOME",
                        TestCommand.jdk(installation).toString(),
                        "MAVEN_OPTS",
                        "--sun-misc-unsafe-memory-access=allow"),
                List.of(
                        "mvn",
                        "-q",
                        "-B",
                        "-ntp",
                        "-Ddtorch.start",
                        "-Dmaven.test.skip=true",
                        "-pl",
                        "benchmarks",
                        "-am",
                        "package",
                        "dependency:build-classpath"));
        if (built != 0) {
            System.err.println("dtorch: the benchmarks do not compile; Maven's output is above");
            return false;
        }
        Path target = installation.home().resolve("benchmarks/target");
        String classPath = target.resolve("classes")
                + File.pathSeparator
                + Files.readString(target.resolve("classpath.txt")).strip();
        return measured(
                "dtorch from Java",
                results,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "--add-modules",
                        "jdk.incubator.vector",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        classPath,
                        "org.dtorch.benchmarks.JavaRows"),
                rows);
    }

    private static String name(JsonNode row) {
        return row.get("row").asText();
    }

    private static List<String> names(List<JsonNode> rows) {
        return rows.stream().map(BenchCommand::name).toList();
    }

    private static List<String> from(String language, List<JsonNode> rows) {
        return names(rows.stream()
                .filter(row -> row.get("from").asText().equals(language))
                .toList());
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** A virtual environment with PyTorch below the state folder; null, with a word on why, where it cannot be made. */
    private static String peerPython(Installation installation) throws InterruptedException {
        Path folder = installation.state().resolve("venv");
        String python = folder.resolve("bin/python").toString();
        if (Files.isExecutable(Path.of(python)) && Programs.run(List.of(python, "-c", "import torch")) == 0) {
            return python;
        }
        System.err.println("dtorch: installing PyTorch " + PEER_VERSION + " into " + folder + " for comparison");
        if (Programs.run(List.of("python3", "-m", "venv", folder.toString())) == 0
                && Programs.run(List.of(python, "-m", "pip", "install", "-q", "torch==" + PEER_VERSION, "numpy"))
                        == 0) {
            return python;
        }
        System.err.println("dtorch: no PyTorch to compare with, only our side is measured: python3 with venv and the "
                + "package torch " + PEER_VERSION + " are needed, or --peer-python PYTHON");
        return null;
    }
}
