package org.dtorch.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The configuration of the machine's pip as environment variables, which GraalPy's pip does not look for itself. */
final class HostPip {
    private HostPip() {}

    /** PIP_* variables for what the machine's pip is configured to; variables that are set already are left alone. */
    static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String line : configuration().lines().toList()) {
            int dot = line.indexOf('.');
            int equals = line.indexOf("='");
            String section = dot < 0 ? "" : line.substring(0, dot);
            if (equals < dot || !line.endsWith("'") || !(section.equals("global") || section.equals("install"))) {
                continue;
            }
            String name =
                    "PIP_" + line.substring(dot + 1, equals).replace('-', '_').toUpperCase(Locale.ROOT);
            String value = line.substring(equals + 2, line.length() - 1)
                    .replace("\\n", " ")
                    .strip();
            // A constraint of CPython's packages says nothing about GraalPy's.
            if (!name.equals("PIP_CONSTRAINT") && System.getenv(name) == null) {
                settings.put(name, value);
            }
        }
        if (System.getenv("PIP_RETRIES") == null) {
            settings.putIfAbsent("PIP_RETRIES", "0");
        }
        return settings;
    }

    private static String configuration() {
        try {
            Process process = new ProcessBuilder("python3", "-m", "pip", "config", "list")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? text : "";
        } catch (IOException e) {
            // No Python on this machine: nothing is configured.
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
