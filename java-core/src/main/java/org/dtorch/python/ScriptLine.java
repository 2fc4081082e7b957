package org.dtorch.python;

import org.graalvm.polyglot.Value;

/**
 * Where in the user's Python code the current call into Java comes from, as {@code file:line}.
 *
 * <p>Looking costs microseconds (figures in {@code docs/decisions/0003-script-line.md}), so it is asked for only when it is needed: by a failure on
 * the calling thread, or by work that is handed to another thread.
 */
public final class ScriptLine {
    private static final String WALK = """
            import sys as _sys
            def _walk(folders):
                skip = tuple(folders) + ("dtorch.jar/",)
                def line(getframe=_sys._getframe):
                    frame = getframe(1)
                    while frame is not None:
                        name = frame.f_code.co_filename
                        if not name.startswith(skip):
                            return name + ":" + str(frame.f_lineno)
                        frame = frame.f_back
                    return ""
                return line
            def _touch():
                pass
            """;

    private final Value walk;
    private final Value touch;

    ScriptLine(Value builtins, Value module, Value packages) {
        builtins.getMember("exec").execute(WALK, module.getMember("__dict__"));
        walk = module.getMember("_walk").execute(packages);
        touch = module.getMember("_touch");
    }

    /** The line of the innermost Python frame outside dtorch's own packages; empty where there is none. */
    public static String current() {
        PythonHost host = PythonHost.entered();
        return host == null ? "" : host.scriptLine().find();
    }

    String find() {
        return walk.execute().asString();
    }

    /** Enters and leaves Python, where pending signals are handled. */
    void touch() {
        touch.executeVoid();
    }
}
