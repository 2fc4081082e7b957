package org.dtorch.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Other programs, started and waited for; what they print goes where ours does. */
final class Programs {
    /** What a shell answers for a command that is not there. */
    static final int NOT_FOUND = 127;

    private Programs() {}

    /** Exit code of {@code command}. */
    static int run(List<String> command) throws InterruptedException {
        return start(new ProcessBuilder(command).inheritIO());
    }

    /** Exit code of {@code command} in a folder with further environment variables. */
    static int run(Path folder, Map<String, String> environment, List<String> command) throws InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).inheritIO();
        builder.environment().putAll(environment);
        return start(builder);
    }

    /** Exit code of {@code command}, whose standard output goes to a file. */
    static int runTo(Path output, List<String> command) throws InterruptedException {
        return start(new ProcessBuilder(command).inheritIO().redirectOutput(output.toFile()));
    }

    private static int start(ProcessBuilder builder) throws InterruptedException {
        try {
            return builder.start().waitFor();
        } catch (IOException e) {
            System.err.println("dtorch: " + e.getMessage());
            return NOT_FOUND;
        }
    }
}
