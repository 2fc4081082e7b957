package org.dtorch.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** The budget rows that are measured from Java: {@code JavaRows [--quick] [ROW ...]} prints one JSON line for each. */
public final class JavaRows {
    private static final Map<String, Work> ROWS = rows();

    private JavaRows() {}

    /** A benchmark class and the parameters that make a row of it. */
    private record Work(Class<?> benchmark, Map<String, String> parameters) {}

    private static Map<String, Work> rows() {
        Map<String, Work> rows = new LinkedHashMap<>();
        for (int devices : new int[] {1, 2, 4}) {
            rows.put(
                    "pointwise_java_" + devices,
                    new Work(PointwiseBenchmark.class, Map.of("devices", String.valueOf(devices))));
        }
        rows.put("linear_java", new Work(LinearBenchmark.class, Map.of()));
        for (int size : new int[] {64, 2048}) {
            for (int devices : new int[] {2, 4}) {
                rows.put(
                        "redistribute_java_" + size + "_" + devices,
                        new Work(
                                RedistributeBenchmark.class,
                                Map.of("size", String.valueOf(size), "devices", String.valueOf(devices))));
            }
        }
        return rows;
    }

    public static void main(String[] arguments) throws RunnerException {
        List<String> wanted = new ArrayList<>(List.of(arguments));
        boolean quick = wanted.remove("--quick");
        List<String> unknown =
                wanted.stream().filter(row -> !ROWS.containsKey(row)).toList();
        if (!unknown.isEmpty()) {
            System.err.println("unknown rows " + String.join(", ", unknown) + "; known: " + ROWS.keySet());
            System.exit(2);
        }
        for (String row : wanted.isEmpty() ? ROWS.keySet() : wanted) {
            System.out.println(line(row, measure(ROWS.get(row), quick)));
        }
    }

    private static Collection<RunResult> measure(Work work, boolean quick) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\." + work.benchmark().getSimpleName() + "\\.")
                .warmupIterations(quick ? 2 : 5)
                .measurementIterations(quick ? 3 : 7)
                .warmupTime(TimeValue.milliseconds(500))
                .measurementTime(TimeValue.milliseconds(500))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        work.parameters().forEach(options::param);
        return new Runner(options.build()).run();
    }

    /** The middle one of a row's cases, each the median of its iterations, and all cases if there are several. */
    private static String line(String row, Collection<RunResult> results) {
        Map<String, Double> cases = new LinkedHashMap<>();
        for (RunResult result : results) {
            String name = result.getParams().getParamsKeys().contains("transition")
                    ? result.getParams().getParam("transition")
                    : "";
            cases.put(name, result.getPrimaryResult().getStatistics().getPercentile(50));
        }
        List<Double> sorted = cases.values().stream().sorted().toList();
        StringBuilder json = new StringBuilder(String.format(
                Locale.ROOT,
                "{\"row\": \"%s\", \"side\": \"dtorch\", \"median\": %.3f, \"unit\": \"us\"",
                row,
                sorted.get(sorted.size() / 2)));
        if (cases.size() > 1) {
            List<String> parts = new ArrayList<>();
            cases.forEach((name, value) -> parts.add(String.format(Locale.ROOT, "\"%s\": %.1f", name, value)));
            json.append(", \"transitions\": {").append(String.join(", ", parts)).append('}');
        }
        return json.append('}').toString();
    }
}
