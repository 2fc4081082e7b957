package org.dtorch.backend.cpu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class of the tests in a JVM of its own, with flags that this one does not have. */
public record ChildJvm(int exitCode, String output, String errors) {

    /** The child gets this process's class path; {@code flags} come before the main class. */
    public static ChildJvm run(List<String> flags, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        try {
            Path output = Files.createTempFile("child", ".out");
            Path errors = Files.createTempFile("child", ".err");
            Process process = new ProcessBuilder(command)
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile())
                    .start();
            int exitCode = process.waitFor();
            ChildJvm result = new ChildJvm(
                    exitCode,
                    Files.readString(output, StandardCharsets.UTF_8),
                    Files.readString(errors, StandardCharsets.UTF_8));
            Files.delete(output);
            Files.delete(errors);
            return result;
        } catch (IOException e) {
            throw new IllegalStateException("cannot start " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + command, e);
        }
    }
}
