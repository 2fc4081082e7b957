package org.dtorch.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.dtorch.python.PythonHost;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a Python script with its arguments, as {@code python SCRIPT ARGS} does. */
@Command(name = "run", description = "Runs a Python script.")
final class RunCommand implements Callable<Integer> {
    @Parameters(arity = "1", paramLabel = "SCRIPT", description = "A Python file, or a folder with __main__.py.")
    private Path script;

    @Parameters(index = "1..*", paramLabel = "ARG", description = "What the script finds in sys.argv.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws IOException {
        if (!Files.exists(script)) {
            System.err.println("dtorch: can't open file '" + script.toAbsolutePath() + "': No such file or directory");
            return 2;
        }
        List<String> argv = new ArrayList<>();
        argv.add(script.toString());
        argv.addAll(arguments);
        try (PythonHost host = Installation.current()
                .scripts()
                .script(script)
                .arguments(argv.toArray(String[]::new))
                .build()) {
            return host.runScript();
        }
    }
}
