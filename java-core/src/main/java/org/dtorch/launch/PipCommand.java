package org.dtorch.launch;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "pip", description = "Installs Python packages for scripts.")
final class PipCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("dtorch: 'pip' is not there yet");
        return 3;
    }
}
