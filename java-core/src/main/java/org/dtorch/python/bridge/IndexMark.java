package org.dtorch.python.bridge;

/** What stands in an index besides numbers, truth values, tensors and None. */
public enum IndexMark {
    /** A dimension taken whole. */
    WHOLE,
    /** A slice: start, stop and step follow, each a number or None. */
    SLICE,
    /** As many whole dimensions as there is room for. */
    ELLIPSIS
}
