package org.dtorch.python;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/** The Python packages of this product as resources of a jar on the class path, imported without any file system. */
public final class Packages {
    /** Folder of the packages in the jar. */
    private static final String ROOT = "org/dtorch/packages/";

    private static final String FINDER = """
            import sys as _sys
            import importlib.machinery as _machinery

            class _Finder:
                "Imports dtorch's packages from the jar."
                def __init__(self, packages):
                    self._packages = packages

                def _where(self, name):
                    path = name.replace(".", "/")
                    for file, package in ((path + "/__init__.py", True), (path + ".py", False)):
                        source = self._packages.source(file)
                        if source is not None:
                            return file, package, source
                    return None

                def find_spec(self, name, path=None, target=None):
                    found = self._where(name)
                    if found is None:
                        return None
                    spec = _machinery.ModuleSpec(name, self, origin="dtorch.jar/" + found[0], is_package=found[1])
                    spec.has_location = True
                    return spec

                def create_module(self, spec):
                    return None

                def exec_module(self, module):
                    code = compile(self.get_source(module.__name__), module.__spec__.origin, "exec", dont_inherit=True)
                    exec(code, module.__dict__)

                def get_source(self, name):
                    return self._where(name)[2]

            def _install(packages):
                _sys.meta_path.append(_Finder(packages))
            """;

    private Packages() {}

    /** Lets the context of {@code module} import the packages; what its own path offers comes first. */
    static void install(Value builtins, Value module) {
        builtins.getMember("exec").execute(FINDER, module.getMember("__dict__"));
        module.getMember("_install").executeVoid(new Packages());
    }

    /** The text of a file below the packages' folder, or null where there is none. */
    @HostAccess.Export
    public String source(String file) {
        try (InputStream stream = Packages.class.getClassLoader().getResourceAsStream(ROOT + file)) {
            return stream == null ? null : new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
