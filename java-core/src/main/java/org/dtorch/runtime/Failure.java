package org.dtorch.runtime;

import org.dtorch.values.DTorchError;

/** Why an instruction failed, kept in the buffers that it should have written until somebody awaits them. */
final class Failure {
    private final Throwable cause;
    private final Origin origin;
    private String text;

    Failure(Throwable cause, Origin origin) {
        this.cause = cause;
        this.origin = origin;
        origin.noteScriptLine();
    }

    Origin origin() {
        return origin;
    }

    /** A new error to throw: kind and message of the cause with operator, operands and script line. */
    DTorchError error() {
        return new DTorchError(kind(), text(), cause);
    }

    private DTorchError.Kind kind() {
        return switch (cause) {
            case DTorchError error -> error.kind();
            case OutOfMemoryError heap -> DTorchError.Kind.OUT_OF_MEMORY;
            default -> DTorchError.Kind.RUNTIME;
        };
    }

    private synchronized String text() {
        if (text == null) {
            StringBuilder built = new StringBuilder(origin.operator()).append(": ");
            built.append(cause instanceof DTorchError ? cause.getMessage() : cause.toString());
            if (!origin.description().isEmpty()) {
                built.append("\n  in ").append(origin.description());
            }
            if (!origin.scriptLine().isEmpty()) {
                built.append("\n  at ").append(origin.scriptLine());
            }
            text = built.toString();
        }
        return text;
    }
}
