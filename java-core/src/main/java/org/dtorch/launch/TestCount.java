package org.dtorch.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** How many tests passed, failed and were skipped. */
record TestCount(int passed, int failed, int skipped) {
    static final TestCount NONE = new TestCount(0, 0, 0);

    private static final Pattern SUITE = Pattern.compile("<testsuite\\s[^>]*>");

    TestCount plus(TestCount other) {
        return new TestCount(passed + other.passed, failed + other.failed, skipped + other.skipped);
    }

    /** The sum over what Surefire wrote below each module. */
    static TestCount inReports(Path home) throws IOException {
        TestCount total = NONE;
        // Modules lie in the project's folder or one below.
        try (Stream<Path> found =
                Files.find(home, 4, (path, kind) -> kind.isDirectory() && path.endsWith("target/surefire-reports"))) {
            for (Path reports : found.toList()) {
                try (Stream<Path> files = Files.list(reports)) {
                    for (Path file :
                            files.filter(f -> f.toString().endsWith(".xml")).toList()) {
                        total = total.plus(inReport(file));
                    }
                }
            }
        }
        return total;
    }

    /** What one report in JUnit's format says; a missing report counts as one failure. */
    static TestCount inReport(Path report) throws IOException {
        if (!Files.exists(report)) {
            return new TestCount(0, 1, 0);
        }
        TestCount total = NONE;
        Matcher suite = SUITE.matcher(Files.readString(report));
        while (suite.find()) {
            String head = suite.group();
            int failed = number(head, "failures") + number(head, "errors");
            int skipped = number(head, "skipped");
            total = total.plus(new TestCount(number(head, "tests") - failed - skipped, failed, skipped));
        }
        return total;
    }

    private static int number(String head, String attribute) {
        Matcher value = Pattern.compile("\\s" + attribute + "=\"(\\d+)\"").matcher(head);
        return value.find() ? Integer.parseInt(value.group(1)) : 0;
    }

    @Override
    public String toString() {
        return passed + " passed, " + failed + " failed" + (skipped == 0 ? "" : ", " + skipped + " skipped");
    }
}
