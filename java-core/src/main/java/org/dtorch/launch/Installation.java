package org.dtorch.launch;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.dtorch.python.PythonHost;
import org.dtorch.python.Rights;

/** Where the launcher found the product; it hands this over as the system property {@code dtorch.home}. */
record Installation(Path home) {
    static Installation current() {
        return new Installation(
                Path.of(System.getProperty("dtorch.home", ".")).toAbsolutePath().normalize());
    }

    /** What the build and installed packages leave behind. */
    Path state() {
        return home.resolve(".dtorch");
    }

    /** Python's folder for packages installed by {@code dtorch pip}. */
    Path userBase() {
        return state().resolve("python");
    }

    /** The product's Python packages as the build put them together: written ones and those generated from the table. */
    List<Path> sources() {
        return Stream.of("python-shim/target/classes/org/dtorch/packages")
                .map(home::resolve)
                .filter(Files::isDirectory)
                .toList();
    }

    /** Where pip puts packages below {@link #userBase}. */
    Path sitePackages() {
        return userBase().resolve("lib/python3.12/site-packages");
    }

    /** A host with the rights of a script, the product's own sources and the installed packages on its path. */
    PythonHost.Builder scripts() {
        PythonHost.Builder builder = PythonHost.builder(Rights.SCRIPT)
                .option("python.PyCachePrefix", state().resolve("pycache").toString())
                .option("python.Executable", home.resolve("dtorch").toString());
        sources().forEach(builder::packages);
        if (Files.isDirectory(sitePackages())) {
            builder.path(sitePackages());
        }
        String further = System.getenv("PYTHONPATH");
        if (further != null) {
            Stream.of(further.split(File.pathSeparator))
                    .filter(s -> !s.isEmpty())
                    .map(Path::of)
                    .forEach(builder::path);
        }
        return builder;
    }
}
