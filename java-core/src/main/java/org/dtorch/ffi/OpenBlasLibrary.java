package org.dtorch.ffi;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.dtorch.values.DTorchError;

/**
 * Finds OpenBLAS.
 *
 * <p>The system property {@value #PROPERTY}, else the environment variable {@value #VARIABLE}, says where: {@code bundled}
 * (the jar {@code org.bytedeco:openblas} of this platform), {@code system} (the loader's search path) or the path of a
 * library. Without either it is the bundled one where the jar is present, and the system's where it is not.
 */
final class OpenBlasLibrary {
    static final String PROPERTY = "dtorch.openblas";
    static final String VARIABLE = "DTORCH_OPENBLAS";

    private static final System.Logger LOG = System.getLogger(OpenBlasLibrary.class.getName());
    private static final List<String> SYSTEM_NAMES = List.of("libopenblas.so.0", "libopenblas.so");
    private static final String GCC_RUNTIME = "libgcc_s.so.1";
    // libgfortran names libquadmath and libgcc_s without saying where they lie, so they go first.
    private static final BundledLibrary BUNDLED = new BundledLibrary(
            "openblas",
            "org/bytedeco/openblas/linux-x86_64/",
            List.of(GCC_RUNTIME, "libquadmath.so.0", "libgfortran.so.5", "libopenblas.so.0"));

    private OpenBlasLibrary() {}

    /** @throws DTorchError of kind RUNTIME that says what to install when there is no OpenBLAS */
    static SymbolLookup load() {
        String setting = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        return load(setting == null ? "" : setting);
    }

    static SymbolLookup load(String setting) {
        return switch (setting) {
            case "" -> bundled().or(OpenBlasLibrary::system).orElseThrow(() -> missing("found neither"));
            case "bundled" -> bundled().orElseThrow(() -> missing("the setting asks for the bundled one"));
            case "system" -> system().orElseThrow(() -> missing("the setting asks for the system's"));
            default ->
                open(setting).orElseThrow(() -> missing("the setting names '" + setting + "', which cannot be loaded"));
        };
    }

    private static Optional<SymbolLookup> bundled() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Optional.empty();
        }
        return BUNDLED.unpack().flatMap(paths -> {
            Optional<SymbolLookup> last = Optional.empty();
            for (Path path : paths) {
                // The system's own compiler runtime is preferred: it is at least as new, and others share it.
                boolean have = path.endsWith(GCC_RUNTIME) && open(GCC_RUNTIME).isPresent();
                if (!have) {
                    last = open(path.toString());
                }
            }
            return last;
        });
    }

    private static Optional<SymbolLookup> system() {
        return SYSTEM_NAMES.stream().flatMap(name -> open(name).stream()).findFirst();
    }

    private static Optional<SymbolLookup> open(String nameOrPath) {
        try {
            SymbolLookup lookup = SymbolLookup.libraryLookup(nameOrPath, Arena.global());
            LOG.log(Level.DEBUG, "loaded {0}", nameOrPath);
            return Optional.of(lookup);
        } catch (IllegalArgumentException e) {
            LOG.log(Level.DEBUG, "cannot load {0}: {1}", nameOrPath, e.getMessage());
            return Optional.empty();
        }
    }

    private static DTorchError missing(String reason) {
        return DTorchError.runtime(
                "matrix products need OpenBLAS (%s): put org.bytedeco:openblas with classifier linux-x86_64 on the"
                        + " class path, or install libopenblas0 and set %s=system or to the path of the library",
                reason, VARIABLE);
    }
}
