package org.dtorch.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.values.DTorchError;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonHostTest {
    /** Java as Python sees it. */
    public static final class Entries {
        @HostAccess.Export
        public Object fail(String kind, String message) {
            try {
                throw new DTorchError(DTorchError.Kind.valueOf(kind), message);
            } catch (Throwable t) {
                throw PythonErrors.translate(t);
            }
        }

        @HostAccess.Export
        public Object fault() {
            try {
                throw new ArithmeticException("odd");
            } catch (Throwable t) {
                throw PythonErrors.translate(t);
            }
        }

        @HostAccess.Export
        public Object call(Value function) {
            try {
                return function.execute();
            } catch (Throwable t) {
                throw PythonErrors.translate(t);
            }
        }

        @HostAccess.Export
        public String line() {
            return ScriptLine.current();
        }

        public String hidden() {
            return "not exported";
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RUNTIME, RuntimeError, RuntimeError",
        "VALUE, ValueError, ValueError",
        "LAYOUT, LayoutError, RuntimeError",
        "LAYOUT, LayoutError, ValueError",
        "TYPE, TypeError, TypeError",
        "INDEX, IndexError, IndexError",
        "KEY, KeyError, KeyError",
        "ATTRIBUTE, AttributeError, AttributeError",
        "ASSERTION, AssertionError, AssertionError",
        "NOT_IMPLEMENTED, NotImplementedError, NotImplementedError",
        "OUT_OF_MEMORY, OutOfMemoryError, MemoryError",
        "OUT_OF_MEMORY, OutOfMemoryError, RuntimeError",
        "TIMEOUT, TimeoutError, TimeoutError",
        "IO, OSError, OSError"
    })
    void failuresBecomeTheNamedPythonClass(String kind, String name, String caughtAs) {
        try (PythonHost host =
                PythonHost.builder(Rights.EMBEDDED).export("e", new Entries()).build()) {
            host.eval("""
                    from _dtorch import e
                    def probe(kind, base):
                        try:
                            e.fail(kind, "three words here")
                        except base as x:
                            return type(x).__name__ + ": " + x.args[0]
                    """);
            Value probe = host.eval("probe");
            assertThat(probe.execute(kind, host.eval(caughtAs)).asString()).isEqualTo(name + ": three words here");
        }
    }

    @Test
    void aFaultOfOursSaysSo() {
        try (PythonHost host =
                PythonHost.builder(Rights.EMBEDDED).export("e", new Entries()).build()) {
            assertThatThrownBy(() -> host.eval("__import__('_dtorch').e.fault()"))
                    .isInstanceOf(PolyglotException.class)
                    .hasMessageContaining("RuntimeError: fault inside dtorch: java.lang.ArithmeticException: odd at "
                            + Entries.class.getName());
        }
    }

    @Test
    void pythonExceptionsPassThroughJavaUnchanged() {
        try (PythonHost host =
                PythonHost.builder(Rights.EMBEDDED).export("e", new Entries()).build()) {
            host.eval("""
                    from _dtorch import e
                    class Own(Exception): pass
                    mine = Own("mine")
                    def callback(): raise mine
                    def probe():
                        try:
                            e.call(callback)
                        except Own as x:
                            return x is mine
                    """);
            assertThat(host.eval("probe()").asBoolean()).isTrue();
        }
    }

    @Test
    void tracebackEndsAtThePythonLine(@TempDir Path folder) throws IOException {
        Path script = folder.resolve("script.py");
        Files.writeString(script, "from _dtorch import e\n\ndef f():\n    e.fail('LAYOUT', 'shapes differ')\n\nf()\n");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = run(script, err);
        assertThat(code).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("""
                        Traceback (most recent call last):
                          File "%1$s", line 6, in <module>
                            f()
                          File "%1$s", line 4, in f
                            e.fail('LAYOUT', 'shapes differ')
                        dtorch.LayoutError: shapes differ
                        """.formatted(script));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "None, 0", "'\"words\"', 1"})
    void exitCodeIsTheScripts(String given, int expected, @TempDir Path folder) throws IOException {
        Path script = folder.resolve("script.py");
        Files.writeString(script, "import sys\nsys.exit(" + given + ")\n");
        assertThat(run(script, new ByteArrayOutputStream())).isEqualTo(expected);
    }

    @Test
    void scriptLineIsTheUsersNotThePackages(@TempDir Path folder) throws IOException {
        Path packages = Files.createDirectory(folder.resolve("packages"));
        Files.writeString(packages.resolve("shim.py"), "from _dtorch import e\n\ndef where():\n    return e.line()\n");
        Path script = folder.resolve("script.py");
        Files.writeString(script, "import shim\n\nassert shim.where() == __file__ + ':3', shim.where()\n");
        try (PythonHost host = PythonHost.builder(Rights.SCRIPT)
                .export("e", new Entries())
                .packages(packages)
                .script(script)
                .arguments(script.toString())
                .build()) {
            assertThat(host.runScript()).isZero();
        }
    }

    @Test
    void noLineOutsidePython() {
        assertThat(ScriptLine.current()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "open('/etc/hostname')",
                "__import__('os').listdir('/')",
                "__import__('java').type('java.lang.Runtime')",
                "__import__('_dtorch').e.hidden()",
                "__import__('_dtorch').e.getClass()",
                "__import__('subprocess').run(['true'])"
            })
    void embeddedCodeMayNotReachOut(String code) {
        try (PythonHost host =
                PythonHost.builder(Rights.EMBEDDED).export("e", new Entries()).build()) {
            PolyglotException refused = catchThrowableOfType(PolyglotException.class, () -> host.eval(code));
            assertThat(refused).isNotNull();
            assertThat(refused.isInternalError()).isFalse();
        }
    }

    @Test
    void pythonFailuresBecomeJavaErrors() {
        try (PythonHost host =
                PythonHost.builder(Rights.EMBEDDED).export("e", new Entries()).build()) {
            PolyglotException index = catchThrowableOfType(PolyglotException.class, () -> host.eval("[][1]"));
            assertThat(PythonErrors.toJava(index).kind()).isEqualTo(DTorchError.Kind.INDEX);
            PolyglotException layout = catchThrowableOfType(
                    PolyglotException.class, () -> host.eval("__import__('_dtorch').e.fail('LAYOUT', 'no')"));
            assertThat(PythonErrors.toJava(layout).kind()).isEqualTo(DTorchError.Kind.LAYOUT);
        }
    }

    private static int run(Path script, ByteArrayOutputStream err) {
        try (PythonHost host = PythonHost.builder(Rights.SCRIPT)
                .export("e", new Entries())
                .script(script)
                .arguments(script.toString())
                .streams(InputStream.nullInputStream(), new ByteArrayOutputStream(), err)
                .build()) {
            return host.runScript();
        }
    }
}
