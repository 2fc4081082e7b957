package org.dtorch.python;

/** What Python code may do. */
public enum Rights {
    /** What any Python script may: files, environment, processes, threads, native extensions, signals. */
    SCRIPT,
    /** Nothing but computing and reading its own packages; what else it may touch, the host hands to it. */
    EMBEDDED
}
