package org.dtorch.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.dtorch.python.PythonHost;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The budget rows in dtorch and in PyTorch, one after the other, as one table. */
@Command(name = "bench", description = "Measures against PyTorch.")
final class BenchCommand implements Callable<Integer> {
    private static final List<String> PEERS = List.of("torch_rows.py", "torch_llama.py");

    @Option(
            names = "--peer-python",
            paramLabel = "PYTHON",
            description = "A CPython with PyTorch; else one is installed.")
    private String peer;

    @Parameters(arity = "0..*", paramLabel = "ROW", description = "Rows of benchmarks/rows.json; all by default.")
    private List<String> rows = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Installation installation = Installation.current();
        Path benchmarks = installation.home().resolve("benchmarks");
        Path results = Files.createDirectories(installation.state().resolve("bench"));
        List<String> files = new ArrayList<>();
        boolean complete = true;

        Path ours = results.resolve("dtorch.jsonl");
        List<String> own = new ArrayList<>(List.of(
                installation.home().resolve("dtorch").toString(),
                "run",
                benchmarks.resolve("dtorch_rows.py").toString()));
        own.addAll(rows);
        complete &= Programs.runTo(ours, own) == 0;
        files.add(ours.toString());

        String python = peer != null ? peer : peerPython(installation);
        if (python == null) {
            complete = false;
        } else {
            for (String script : PEERS) {
                Path theirs = results.resolve(script.replace(".py", ".jsonl"));
                List<String> command = new ArrayList<>(List.of(
                        python, benchmarks.resolve("peers").resolve(script).toString()));
                command.addAll(rows);
                complete &= Programs.runTo(theirs, command) == 0;
                files.add(theirs.toString());
            }
        }
        List<String> argv = new ArrayList<>(List.of("table.py"));
        argv.addAll(files);
        try (PythonHost host = installation
                .scripts()
                .script(benchmarks.resolve("table.py"))
                .arguments(argv.toArray(String[]::new))
                .build()) {
            int code = host.runScript();
            return code != 0 ? code : complete ? 0 : 1;
        }
    }

    /** A virtual environment with PyTorch below the state folder; null, with a word on why, where it cannot be made. */
    private static String peerPython(Installation installation) throws IOException, InterruptedException {
        Path python = installation.state().resolve("peer/bin/python");
        if (Programs.run(List.of(python.toString(), "-c", "import torch")) == 0) {
            return python.toString();
        }
        System.err.println("dtorch: installing PyTorch for comparison");
        if (Programs.run(List.of(
                                "python3",
                                "-m",
                                "venv",
                                installation.state().resolve("peer").toString()))
                        == 0
                && Programs.run(List.of(python.toString(), "-m", "pip", "install", "-q", "torch==2.13.0")) == 0) {
            return python.toString();
        }
        System.err.println(
                "dtorch: no PyTorch to compare with: python3 with venv and the package torch 2.13 are needed, "
                        + "or --peer-python PYTHON");
        return null;
    }
}
