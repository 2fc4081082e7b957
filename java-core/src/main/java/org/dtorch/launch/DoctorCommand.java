package org.dtorch.launch;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "doctor", description = "Says what was found on this machine and what is missing.")
final class DoctorCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println("dtorch: 'doctor' is not there yet");
        return 3;
    }
}
