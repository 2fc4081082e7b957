package org.dtorch.values;

import java.util.Locale;

/**
 * The one exception of the system; its {@link Kind} names the Python class that users of PyTorch expect.
 *
 * <p>Messages name the operator, shapes, dtypes, placements and mesh, and say what would be legal.
 */
public final class DTorchError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Which Python exception a user sees. */
    public enum Kind {
        /** {@code RuntimeError}. */
        RUNTIME,
        /** {@code ValueError}. */
        VALUE,
        /** Both {@code RuntimeError} and {@code ValueError}: shapes and placements that do not fit. */
        LAYOUT,
        /** {@code TypeError}. */
        TYPE,
        /** {@code IndexError}. */
        INDEX,
        /** {@code KeyError}. */
        KEY,
        /** {@code AttributeError}. */
        ATTRIBUTE,
        /** {@code AssertionError}. */
        ASSERTION,
        /** {@code NotImplementedError}. */
        NOT_IMPLEMENTED,
        /** {@code MemoryError} that is also a {@code RuntimeError}, as {@code torch.OutOfMemoryError}. */
        OUT_OF_MEMORY,
        /** {@code TimeoutError}. */
        TIMEOUT,
        /** {@code OSError}. */
        IO
    }

    private final Kind kind;

    public DTorchError(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public DTorchError(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public static DTorchError runtime(String format, Object... args) {
        return new DTorchError(Kind.RUNTIME, text(format, args));
    }

    public static DTorchError value(String format, Object... args) {
        return new DTorchError(Kind.VALUE, text(format, args));
    }

    /** Shapes or placements that do not fit. */
    public static DTorchError layout(String format, Object... args) {
        return new DTorchError(Kind.LAYOUT, text(format, args));
    }

    public static DTorchError type(String format, Object... args) {
        return new DTorchError(Kind.TYPE, text(format, args));
    }

    public static DTorchError index(String format, Object... args) {
        return new DTorchError(Kind.INDEX, text(format, args));
    }

    public static DTorchError key(String format, Object... args) {
        return new DTorchError(Kind.KEY, text(format, args));
    }

    public static DTorchError assertion(String format, Object... args) {
        return new DTorchError(Kind.ASSERTION, text(format, args));
    }

    public static DTorchError notImplemented(String format, Object... args) {
        return new DTorchError(Kind.NOT_IMPLEMENTED, text(format, args));
    }

    private static String text(String format, Object... args) {
        return args.length == 0 ? format : String.format(Locale.ROOT, format, args);
    }
}
