package org.dtorch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;

/** The one-way data path: a package uses what lies to its right, never to its left. */
class ArchitectureTest {
    /** From the user down to the machine; packages in one row are of one height and do not use each other. */
    private static final List<Set<String>> PATH = List.of(
            Set.of("launch"),
            Set.of("python"),
            Set.of("optim"),
            Set.of("nn", "checkpoint", "tokenizer"),
            Set.of("api"),
            Set.of("autograd"),
            Set.of("dispatch"),
            Set.of("op"),
            Set.of("rule"),
            Set.of("redistribute"),
            Set.of("runtime"),
            // collectives combine the operands of a backend
            Set.of("comm"),
            Set.of("backend"),
            Set.of("random", "ffi"));

    /** Values: anybody may use them, and they use only each other. */
    private static final Set<String> VALUES = Set.of("values", "mesh", "placement", "recipe");

    private static final int CLASSES_AT_LEAST = 200;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .importUrl(DTorchError.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void seesTheWholeProduct() {
        assertThat(CLASSES.size()).isGreaterThan(CLASSES_AT_LEAST);
    }

    @Test
    void everyPackageHasAPlaceOnThePath() {
        Set<String> unknown = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            String part = part(each);
            if (!VALUES.contains(part) && height(part) < 0) {
                unknown.add(part);
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void importsGoToTheRightOnly() {
        Map<String, String> backwards = new TreeMap<>();
        for (JavaClass from : CLASSES) {
            for (Dependency use : from.getDirectDependenciesFromSelf()) {
                JavaClass to = use.getTargetClass().getBaseComponentType();
                if (to.getPackageName().startsWith("org.dtorch") && !allowed(part(from), part(to))) {
                    backwards.put(from.getName() + " -> " + to.getName(), use.getDescription());
                }
            }
        }
        assertThat(backwards).isEmpty();
    }

    @Test
    void onlyThePythonHostKnowsGraal() {
        assertThat(CLASSES.stream()
                        .filter(c -> !part(c).equals("python") && !part(c).equals("launch"))
                        .flatMap(c -> c.getDirectDependenciesFromSelf().stream())
                        .filter(d -> d.getTargetClass().getPackageName().startsWith("org.graalvm"))
                        // marks on methods, without behaviour
                        .filter(d -> !d.getTargetClass().getName().equals("org.graalvm.polyglot.HostAccess$Export"))
                        .map(Dependency::getDescription))
                .isEmpty();
    }

    private static boolean allowed(String from, String to) {
        if (from.equals(to)) {
            return true;
        }
        if (VALUES.contains(from)) {
            return VALUES.contains(to);
        }
        return VALUES.contains(to) || height(from) < height(to);
    }

    private static String part(JavaClass each) {
        String rest = each.getPackageName().substring("org.dtorch".length());
        return rest.isEmpty() ? "" : rest.substring(1).split("\\.")[0];
    }

    private static int height(String part) {
        for (int i = 0; i < PATH.size(); i++) {
            if (PATH.get(i).contains(part)) {
                return i;
            }
        }
        return -1;
    }
}
