package org.dtorch.launch;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code dtorch run | test | shell | pip | doctor | bench}. */
@Command(
        name = "dtorch",
        mixinStandardHelpOptions = true,
        version = "dtorch 0.1.0",
        description = "Sharded tensors and modules on the JVM, driven from Python or Java.",
        subcommands = {
            RunCommand.class,
            TestCommand.class,
            ShellCommand.class,
            PipCommand.class,
            DoctorCommand.class,
            BenchCommand.class
        })
public final class Main implements Runnable {
    private Main() {}

    public static void main(String[] arguments) {
        int code = commandLine().execute(arguments);
        System.out.flush();
        System.err.flush();
        // Daemon threads of the compiler and of the runtime need no farewell.
        Runtime.getRuntime().exit(code);
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main()).setStopAtPositional(true).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }
}
