package org.dtorch.op;

/**
 * Where the elements of a view lie in its storage, in elements.
 *
 * @param sizes not to be changed
 * @param strides not to be changed
 */
public record StridedView(long offset, long[] sizes, long[] strides) {}
