package org.dtorch.launch;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.dtorch.python.PythonHost;
import picocli.CommandLine.Command;

/** Python's own console, with what was typed before kept in {@code .dtorch/history} by line. */
@Command(name = "shell", description = "An interactive Python.")
final class ShellCommand implements Callable<Integer> {
    private static final String CONSOLE = """
            import code, sys
            try:
                import readline
            except ImportError:
                readline = None

            def _console(history):
                sys.ps1, sys.ps2 = ">>> ", "... "
                if readline is not None:
                    try:
                        readline.read_history_file(history)
                    except OSError:
                        pass
                shell = code.InteractiveConsole({"__name__": "__main__"})
                typed = []
                def read(prompt=""):
                    line = InteractiveRead(prompt)
                    typed.append(line)
                    return line
                InteractiveRead = shell.raw_input
                shell.raw_input = read
                try:
                    shell.interact(banner=f"dtorch on Python {sys.version.split()[0]} (GraalPy); exit() or Ctrl-D leaves", exitmsg="")
                finally:
                    with open(history, "a", encoding="utf-8") as file:
                        file.writelines(line + "\\n" for line in typed)
            """;

    @Override
    public Integer call() throws IOException {
        try (PythonHost host = Installation.current().scripts().arguments("").build()) {
            host.eval(CONSOLE);
            return host.call(
                    "_console",
                    Installation.current().state().resolve("history").toString());
        }
    }
}
