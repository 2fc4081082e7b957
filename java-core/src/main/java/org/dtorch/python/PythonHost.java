package org.dtorch.python;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.dtorch.api.DTorch;
import org.dtorch.nn.Module;
import org.dtorch.python.bridge.Bridge;
import org.dtorch.runtime.Settings;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.io.IOAccess;

/**
 * A Python interpreter in this process, on one engine shared by all of them.
 *
 * <p>Java objects reach Python as attributes of the module {@code _dtorch}; of their methods Python sees those marked
 * {@link HostAccess.Export}. A host belongs to one thread at a time; values of one host do not enter another.
 */
public final class PythonHost implements AutoCloseable {
    private static final Map<Context, PythonHost> OPEN = new ConcurrentHashMap<>();

    private final Context context;
    private final Value module;
    private final Value builtins;
    private final PythonErrors errors;
    private final ScriptLine scriptLine;
    private final Bridge bridge;

    private PythonHost(Builder builder) {
        context = builder.context();
        OPEN.put(context, this);
        boolean entered = false;
        try {
            context.enter();
            entered = true;
            builtins = context.eval("python", "__import__('builtins')");
            module = context.eval("python", "__import__('types').ModuleType('_dtorch')");
            context.eval("python", "__import__('sys').modules").putHashEntry("_dtorch", module);
            errors = new PythonErrors(builtins, module, builder.debug);
            scriptLine = new ScriptLine(builtins, module, context.asValue(builder.packages.toArray()));
            bridge = new Bridge(this::openGraph, PythonErrors::translate);
            module.putMember("bridge", bridge);
            builder.exports.forEach(module::putMember);
            if (builder.packages.isEmpty()) {
                Packages.install(builtins, module);
            }
        } catch (RuntimeException e) {
            OPEN.remove(context);
            throw e;
        } finally {
            if (entered) {
                context.leave();
            }
        }
    }

    /** A context for tensors whose errors name lines of Python, and whose waits Ctrl-C can end. */
    private DTorch openGraph() {
        DTorch graph = DTorch.open(Settings.fromEnvironment(System.getenv()), ScriptLine::current);
        graph.dispatcher().session().whileAwaiting(this::poll);
        return graph;
    }

    /** The tensors of this interpreter's default graph live in it. */
    public DTorch graph() {
        return bridge.graph();
    }

    /** An interpreter for code that a Java program embeds: nothing is allowed that the program does not hand over. */
    public static PythonHost embedded() {
        return builder(Rights.EMBEDDED).build();
    }

    public static Builder builder(Rights rights) {
        return new Builder(rights);
    }

    /** The engine of every host of this process; its name tells whether Python is compiled. */
    public static Engine engine() {
        return SharedEngine.ENGINE;
    }

    /** Whether Python code is compiled to machine code in this process. */
    public static boolean compiles() {
        return !engine().getImplementationName().equals("Interpreted");
    }

    /** The value of an expression, or null after a statement; failures are the Python ones, see {@link PythonErrors#toJava}. */
    public Value eval(String code) {
        return context.eval("python", code);
    }

    /**
     * The module of a model that a Python expression gives, for use as any module of Java.
     *
     * @throws org.dtorch.values.DTorchError of kind TYPE if it is none
     */
    public Module module(String expression) {
        return Bridge.module(eval(expression));
    }

    /** Imports a module and returns it. */
    public Value importModule(String name) {
        return context.eval("python", "__import__('importlib').import_module").execute(name);
    }

    /** Makes {@code object} the attribute {@code name} of the module {@code _dtorch}. */
    public void export(String name, Object object) {
        module.putMember(name, object);
    }

    /**
     * Runs the script or folder that was given to the builder as {@code python FILE} does.
     *
     * @return the exit code: 0, 1 after an uncaught exception (its traceback is printed), 130 after Ctrl-C, else
     *     what {@code sys.exit} was given
     */
    public int runScript() {
        return exitCodeOf("__graalpython__.run_path()");
    }

    /** Runs a module as {@code python -m NAME} does; exit codes as {@link #runScript}. */
    public int runModule(String name) {
        return exitCodeOf("import runpy; runpy._run_module_as_main(" + quoted(name) + ")");
    }

    /** Calls a function of {@code __main__} for its effect; exit codes as {@link #runScript}. */
    public int call(String function, Object... arguments) {
        Value target = context.getBindings("python").getMember(function);
        return exitCode(() -> target.executeVoid(arguments));
    }

    private int exitCodeOf(String code) {
        Source source =
                Source.newBuilder("python", code, "<internal>").internal(true).buildLiteral();
        return exitCode(() -> context.eval(source));
    }

    private static int exitCode(Runnable code) {
        try {
            code.run();
            return 0;
        } catch (PolyglotException e) {
            if (e.isExit()) {
                return e.getExitStatus();
            }
            if (e.isInterrupted() || e.isCancelled()) {
                return 130;
            }
            throw e;
        }
    }

    /** Lets Python handle pending signals now: code that waits in Java calls this often enough for Ctrl-C to work. */
    public void poll() {
        scriptLine.touch();
    }

    PythonErrors errors() {
        return errors;
    }

    ScriptLine scriptLine() {
        return scriptLine;
    }

    /** The host whose context the calling thread is in, or null. */
    static PythonHost entered() {
        if (OPEN.isEmpty()) {
            return null;
        }
        try {
            return OPEN.get(Context.getCurrent());
        } catch (IllegalStateException e) {
            return null;
        }
    }

    @Override
    public void close() {
        OPEN.remove(context);
        bridge.close();
        context.close(true);
    }

    private static String quoted(String text) {
        return '\'' + text.replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }

    private static final class SharedEngine {
        private static final Engine ENGINE = Engine.newBuilder("python")
                .option("engine.WarnInterpreterOnly", "false")
                .build();
    }

    /** What a host may do, sees and writes to. */
    public static final class Builder {
        private final Rights rights;
        private final Map<String, Object> exports = new LinkedHashMap<>();
        private final List<String> packages = new ArrayList<>();
        private final List<String> path = new ArrayList<>();
        private final Map<String, String> options = new LinkedHashMap<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private String[] arguments = {};
        private boolean debug = "1".equals(System.getenv("DTORCH_DEBUG"));
        private OutputStream out = System.out;
        private OutputStream err = System.err;
        private InputStream in = System.in;

        private Builder(Rights rights) {
            this.rights = rights;
        }

        /** Makes a Java object the attribute {@code name} of the module {@code _dtorch}. */
        public Builder export(String name, Object object) {
            exports.put(name, object);
            return this;
        }

        /** A folder with dtorch's own Python packages, used in place of the ones in the jar. */
        public Builder packages(Path folder) {
            packages.add(folder.toAbsolutePath().toString());
            return this;
        }

        /** A further folder on Python's path. */
        public Builder path(Path folder) {
            path.add(folder.toAbsolutePath().toString());
            return this;
        }

        /** The script that {@link PythonHost#runScript} runs. */
        public Builder script(Path file) {
            options.put("python.InputFilePath", file.toString());
            return this;
        }

        /** {@code sys.argv}. */
        public Builder arguments(String... values) {
            arguments = values.clone();
            return this;
        }

        /** An environment variable beside those of the process. */
        public Builder environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** An option of GraalPy. */
        public Builder option(String name, String value) {
            options.put(name, value);
            return this;
        }

        public Builder streams(InputStream input, OutputStream output, OutputStream error) {
            in = input;
            out = output;
            err = error;
            return this;
        }

        /** Whether Java failures print their stack. */
        public Builder debug(boolean value) {
            debug = value;
            return this;
        }

        public PythonHost build() {
            return new PythonHost(this);
        }

        private Context context() {
            HostAccess access = HostAccess.newBuilder(HostAccess.EXPLICIT)
                    .allowListAccess(true)
                    .allowArrayAccess(true)
                    .allowMapAccess(true)
                    .allowBufferAccess(true)
                    .build();
            Context.Builder context = Context.newBuilder("python")
                    .engine(engine())
                    .allowExperimentalOptions(true)
                    .in(in)
                    .out(out)
                    .err(err)
                    .arguments("python", arguments);
            List<String> folders = new ArrayList<>(packages);
            folders.addAll(path);
            switch (rights) {
                case SCRIPT ->
                    context.allowAllAccess(true)
                            .allowHostClassLookup(name -> false)
                            .option("python.InstallSignalHandlers", "true")
                            .option("python.AlwaysRunExcepthook", "true")
                            .option("python.DontWriteBytecodeFlag", "false");
                case EMBEDDED -> context.allowIO(IOAccess.NONE);
            }
            context.allowHostAccess(access).environment(environment);
            if (!folders.isEmpty()) {
                context.option("python.PythonPath", String.join(java.io.File.pathSeparator, folders));
            }
            return context.options(options).build();
        }
    }
}
