package org.dtorch.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs beside the test: compilers, and Java with another environment. */
final class ChildJvm {
    /** Java's own line about the vector module, which is no part of what a program says. */
    private static final String INCUBATOR = "WARNING: Using incubator modules: jdk.incubator.vector\n";

    /** What a program left behind. */
    record Outcome(int status, String output, String errors) {}

    private ChildJvm() {}

    /** The main class {@code main} on the class path of the test. */
    static Outcome java(Class<?> main, Map<String, String> environment, Path folder)
            throws IOException, InterruptedException {
        return run(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-modules",
                        "jdk.incubator.vector",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx512m",
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName()),
                environment,
                folder);
    }

    static Outcome run(List<String> command, Map<String, String> environment, Path folder)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "out", ".txt");
        Path errors = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command));
        builder.environment().putAll(environment);
        Process process = builder.redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        if (!process.waitFor(3, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw new IOException(command + " did not end within 3 minutes");
        }
        return new Outcome(
                process.exitValue(),
                Files.readString(output),
                Files.readString(errors).replace(INCUBATOR, ""));
    }

    /** Whether a program answers to {@code --version}. */
    static boolean isInstalled(String program, Path folder) throws InterruptedException {
        try {
            return run(List.of(program, "--version"), Map.of(), folder).status() == 0;
        } catch (IOException e) {
            return false; // the program is not there
        }
    }
}
