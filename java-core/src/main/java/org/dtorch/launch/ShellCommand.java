package org.dtorch.launch;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "shell", description = "An interactive Python.")
final class ShellCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("dtorch: 'shell' is not there yet");
        return 3;
    }
}
