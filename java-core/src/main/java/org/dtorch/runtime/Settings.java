package org.dtorch.runtime;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.dtorch.values.DTorchError;

/**
 * What the environment decides, read once when a session opens.
 *
 * @param isolate {@code DTORCH_ISOLATE}: each simulated device has its own arena, nothing is shared, every kernel is checked
 * @param memoryLimitBytes {@code DTORCH_MEMORY_LIMIT}, for example {@code 1GiB}: the bytes of host memory that tensors may
 *     take; by default 80 % of the machine's (or container's) memory less the largest Java heap
 * @param simulatedDevices {@code DTORCH_NUM_GPU_WHEN_ENABLE_DTENSOR_IN_SAME_DEVICE}: device ids of simulated meshes lie below
 *     it
 * @param communicationTimeout {@code DTORCH_COMM_TIMEOUT_SECOND}: how long a collective waits for its members
 * @param debug {@code DTORCH_DEBUG}: errors show Java's stack traces
 * @param placementMode {@code DTORCH_PLACEMENT_MODE}: {@code implicit} or {@code strict}
 * @param inlineNanos {@code DTORCH_INLINE_NANOS}: work estimated to take less runs on the calling thread
 */
public record Settings(
        boolean isolate,
        long memoryLimitBytes,
        int simulatedDevices,
        Duration communicationTimeout,
        boolean debug,
        String placementMode,
        long inlineNanos) {

    /** As many simulated devices as any mesh may name. */
    public static final int MOST_SIMULATED_DEVICES = 1024;
    /** Where handing work to another thread begins to pay; see docs/decisions/0020-inline-execution.md. */
    public static final long DEFAULT_INLINE_NANOS = 10_000;

    private static final long LEAST_DEFAULT_LIMIT = 256L << 20;
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*([kmgt]?)(i?)b?", Pattern.CASE_INSENSITIVE);

    /** The settings of an empty environment. */
    public static Settings defaults() {
        return fromEnvironment(Map.of());
    }

    /**
     * Reads the variables above.
     *
     * @throws DTorchError of kind VALUE naming the variable, its value and the legal form
     */
    public static Settings fromEnvironment(Map<String, String> environment) {
        String limit = environment.getOrDefault("DTORCH_MEMORY_LIMIT", "");
        return new Settings(
                flag(environment, "DTORCH_ISOLATE"),
                limit.isBlank() ? defaultMemoryLimit() : size("DTORCH_MEMORY_LIMIT", limit),
                (int) number(
                        environment,
                        "DTORCH_NUM_GPU_WHEN_ENABLE_DTENSOR_IN_SAME_DEVICE",
                        MOST_SIMULATED_DEVICES,
                        1,
                        MOST_SIMULATED_DEVICES),
                Duration.ofSeconds(number(environment, "DTORCH_COMM_TIMEOUT_SECOND", 600, 1, Integer.MAX_VALUE)),
                flag(environment, "DTORCH_DEBUG"),
                mode(environment),
                number(environment, "DTORCH_INLINE_NANOS", DEFAULT_INLINE_NANOS, 0, Long.MAX_VALUE));
    }

    public Settings withIsolate(boolean value) {
        return new Settings(
                value, memoryLimitBytes, simulatedDevices, communicationTimeout, debug, placementMode, inlineNanos);
    }

    public Settings withMemoryLimitBytes(long value) {
        return new Settings(isolate, value, simulatedDevices, communicationTimeout, debug, placementMode, inlineNanos);
    }

    public Settings withSimulatedDevices(int value) {
        return new Settings(isolate, memoryLimitBytes, value, communicationTimeout, debug, placementMode, inlineNanos);
    }

    public Settings withInlineNanos(long value) {
        return new Settings(
                isolate, memoryLimitBytes, simulatedDevices, communicationTimeout, debug, placementMode, value);
    }

    private static long defaultMemoryLimit() {
        long machine =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : 0;
        return Math.max(machine / 10 * 8 - Runtime.getRuntime().maxMemory(), LEAST_DEFAULT_LIMIT);
    }

    private static boolean flag(Map<String, String> environment, String name) {
        String text = environment.getOrDefault(name, "").trim();
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "0", "false", "off", "no" -> false;
            case "1", "true", "on", "yes" -> true;
            default -> throw DTorchError.value("%s='%s': expected 0 or 1", name, text);
        };
    }

    private static String mode(Map<String, String> environment) {
        String text = environment.getOrDefault("DTORCH_PLACEMENT_MODE", "").trim();
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "implicit" -> "implicit";
            case "strict" -> "strict";
            default -> throw DTorchError.value("DTORCH_PLACEMENT_MODE='%s': expected implicit or strict", text);
        };
    }

    private static long number(Map<String, String> environment, String name, long absent, long least, long most) {
        String text = environment.getOrDefault(name, "").trim();
        if (text.isEmpty()) {
            return absent;
        }
        if (text.matches("\\d{1,18}")) {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        }
        throw DTorchError.value("%s='%s': expected a whole number from %d to %d", name, text, least, most);
    }

    private static long size(String name, String text) {
        Matcher form = SIZE.matcher(text.trim());
        if (form.matches()) {
            long unit = form.group(3).isEmpty() ? 1000 : 1024;
            int power = "kmgt".indexOf(form.group(2).toLowerCase(Locale.ROOT)) + 1;
            if (form.group(2).isEmpty()) {
                power = 0;
            }
            double bytes = Long.parseLong(form.group(1)) * Math.pow(unit, power);
            if (bytes >= 1 && bytes < Long.MAX_VALUE) {
                return (long) bytes;
            }
        }
        throw DTorchError.value("%s='%s': expected a size such as 512MiB, 1GiB or 2000000000", name, text);
    }
}
