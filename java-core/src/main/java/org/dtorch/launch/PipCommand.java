package org.dtorch.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.dtorch.python.PythonHost;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * GraalPy's own pip, run from the wheel that GraalPy brings along; packages go below {@code .dtorch/python}, where
 * scripts find them. The configuration of the machine's pip (indexes, proxies, certificates) is handed over.
 */
@Command(name = "pip", description = "Installs Python packages for scripts.")
final class PipCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "ARG", description = "Arguments of pip.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws IOException {
        return pip(Installation.current(), arguments);
    }

    /** Runs pip and returns its exit code. */
    static int pip(Installation installation, List<String> arguments) throws IOException {
        Path packages = Files.createDirectories(installation.sitePackages());
        List<String> argv = new ArrayList<>(List.of("pip"));
        argv.addAll(arguments);
        if (arguments.contains("install")) {
            argv.addAll(List.of("--upgrade", "--target", packages.toString()));
        } else if (arguments.contains("list") || arguments.contains("freeze")) {
            argv.addAll(List.of("--path", packages.toString()));
        }
        PythonHost.Builder builder = installation.scripts().arguments(argv.toArray(String[]::new));
        HostPip.settings().forEach(builder::environment);
        try (PythonHost host = builder.build()) {
            host.eval("import sys, sysconfig, glob\n"
                    + "sys.path[:0] = glob.glob(sysconfig.get_path('stdlib') + '/ensurepip/_bundled/pip-*.whl')");
            return host.runModule("pip");
        }
    }

    /** Whether a package's folder is there. */
    static boolean installed(Installation installation, String name) throws IOException {
        if (!Files.isDirectory(installation.sitePackages())) {
            return false;
        }
        try (Stream<Path> found = Files.list(installation.sitePackages())) {
            return found.anyMatch(p -> p.getFileName().toString().equals(name));
        }
    }
}
