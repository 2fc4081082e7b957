package org.dtorch.launch;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "bench", description = "Measures against PyTorch.")
final class BenchCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("dtorch: 'bench' is not there yet");
        return 3;
    }
}
