package org.dtorch.python;

import java.util.EnumMap;
import java.util.Map;
import org.dtorch.values.DTorchError;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Value;

/**
 * The one place where Java failures become Python exceptions and back.
 *
 * <p>A {@link DTorchError} becomes an instance of the Python class that its kind names; a Python exception that passes
 * through Java (a callback that raised) stays the same object; anything else is a fault of dtorch itself and becomes a
 * {@code RuntimeError} that says so. The exception object is made without running a Python frame of its own, so the
 * traceback ends at the Python line that called Java.
 */
public final class PythonErrors {
    private static final String CLASSES = """
        class LayoutError(RuntimeError, ValueError):
            "Shapes or placements that do not fit."

        class OutOfMemoryError(MemoryError, RuntimeError):
            "A device's memory limit is reached."

        for _c in (LayoutError, OutOfMemoryError):
            _c.__module__ = "dtorch"
        """;

    private final Map<DTorchError.Kind, Value> classes = new EnumMap<>(DTorchError.Kind.class);
    private final boolean debug;

    PythonErrors(Value builtins, Value module, boolean debug) {
        this.debug = debug;
        builtins.getMember("exec").execute(CLASSES, module.getMember("__dict__"));
        for (DTorchError.Kind kind : DTorchError.Kind.values()) {
            classes.put(
                    kind,
                    switch (kind) {
                        case LAYOUT -> module.getMember("LayoutError");
                        case OUT_OF_MEMORY -> module.getMember("OutOfMemoryError");
                        case RUNTIME -> builtins.getMember("RuntimeError");
                        case VALUE -> builtins.getMember("ValueError");
                        case TYPE -> builtins.getMember("TypeError");
                        case INDEX -> builtins.getMember("IndexError");
                        case KEY -> builtins.getMember("KeyError");
                        case ATTRIBUTE -> builtins.getMember("AttributeError");
                        case ASSERTION -> builtins.getMember("AssertionError");
                        case NOT_IMPLEMENTED -> builtins.getMember("NotImplementedError");
                        case TIMEOUT -> builtins.getMember("TimeoutError");
                        case IO -> builtins.getMember("OSError");
                    });
        }
    }

    /** Translates for the context that the calling thread is in; without one a Java caller gets a Java error. */
    public static RuntimeException translate(Throwable failure) {
        PythonHost host = PythonHost.entered();
        if (host != null) {
            return host.errors().toPython(failure);
        }
        return switch (failure) {
            case PolyglotException raised -> toJava(raised);
            case RuntimeException known -> known;
            default -> new IllegalStateException(failure);
        };
    }

    /** What Java code called by Python throws in place of {@code failure}; it never returns normally for an error. */
    public RuntimeException toPython(Throwable failure) {
        if (failure instanceof PolyglotException guest && !guest.isHostException()) {
            return guest;
        }
        Throwable cause = failure instanceof PolyglotException host ? host.asHostException() : failure;
        if (debug) {
            cause.printStackTrace();
        }
        Value exception = switch (cause) {
            case DTorchError error -> classes.get(error.kind()).newInstance(error.getMessage());
            case OutOfMemoryError memory ->
                classes.get(DTorchError.Kind.OUT_OF_MEMORY)
                        .newInstance("the Java heap is full: " + memory.getMessage());
            default ->
                classes.get(DTorchError.Kind.RUNTIME)
                        .newInstance(
                                "fault inside dtorch: " + cause + at(cause) + "; DTORCH_DEBUG=1 prints the Java stack");
        };
        return exception.throwException();
    }

    /** What {@code failure}, raised by Python, is to a Java caller: a {@link DTorchError} for classes that have a kind. */
    public static DTorchError toJava(PolyglotException failure) {
        if (failure.isHostException() && failure.asHostException() instanceof DTorchError own) {
            return own;
        }
        Value raised = failure.getGuestObject();
        DTorchError.Kind kind = raised == null ? DTorchError.Kind.RUNTIME : kindOf(raised);
        return new DTorchError(kind, failure.getMessage(), failure);
    }

    private static DTorchError.Kind kindOf(Value raised) {
        Value lineage = raised.getMetaObject().getMember("__mro__");
        for (long i = 0; lineage != null && i < lineage.getArraySize(); i++) {
            switch (lineage.getArrayElement(i).getMetaSimpleName()) {
                case "LayoutError":
                    return DTorchError.Kind.LAYOUT;
                case "MemoryError":
                    return DTorchError.Kind.OUT_OF_MEMORY;
                case "NotImplementedError":
                    return DTorchError.Kind.NOT_IMPLEMENTED;
                case "ValueError":
                    return DTorchError.Kind.VALUE;
                case "TypeError":
                    return DTorchError.Kind.TYPE;
                case "IndexError":
                    return DTorchError.Kind.INDEX;
                case "KeyError":
                    return DTorchError.Kind.KEY;
                case "AttributeError":
                    return DTorchError.Kind.ATTRIBUTE;
                case "AssertionError":
                    return DTorchError.Kind.ASSERTION;
                case "TimeoutError":
                    return DTorchError.Kind.TIMEOUT;
                case "OSError":
                    return DTorchError.Kind.IO;
                default:
                    break;
            }
        }
        return DTorchError.Kind.RUNTIME;
    }

    private static String at(Throwable cause) {
        StackTraceElement[] stack = cause.getStackTrace();
        return stack.length == 0 ? "" : " at " + stack[0];
    }
}
