package org.dtorch.ffi;

/** What becomes of a failure inside a downcall. */
final class ForeignCall {
    private ForeignCall() {}

    /** The unchecked form of what a method handle threw; it declares Throwable, but the call itself throws nothing. */
    static RuntimeException failure(String function, Throwable thrown) {
        return switch (thrown) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> new IllegalStateException("call of " + function + " failed", thrown);
        };
    }
}
