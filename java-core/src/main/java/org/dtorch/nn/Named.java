package org.dtorch.nn;

/** A member of a module with its dotted path. */
public record Named<T>(String name, T value) {}
