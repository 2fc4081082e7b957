package org.dtorch.launch;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "test", description = "Runs the tests of the product.")
final class TestCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("dtorch: 'test' is not there yet");
        return 3;
    }
}
