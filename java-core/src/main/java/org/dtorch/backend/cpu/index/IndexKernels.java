package org.dtorch.backend.cpu.index;

import java.util.Map;
import org.dtorch.backend.Kernel;

/** The kernels that create, move, count and order elements, by their names in {@code docs/kernels.md}. */
public final class IndexKernels {
    public static final Map<String, Kernel> TABLE = Map.ofEntries(
            Map.entry("arange", Creation::arange),
            Map.entry("eye", Creation::eye),
            Map.entry("tril", Creation::tril),
            Map.entry("triu", Creation::triu),
            Map.entry("cat", Joining::cat),
            Map.entry("repeat_interleave", Joining::repeatInterleave),
            Map.entry("index", Indexing::index),
            Map.entry("index_put", Indexing::indexPut),
            Map.entry("index_select", Indexing::indexSelect),
            Map.entry("gather", Gathering::gather),
            Map.entry("scatter", Gathering::scatter),
            Map.entry("cumsum", Scanning::cumsum),
            Map.entry("cumprod", Scanning::cumprod),
            Map.entry("sort", Ordering::sort),
            Map.entry("topk", Ordering::topk),
            Map.entry("arg_reduce", Ordering::argReduce),
            Map.entry("count_nonzero", Counting::countNonzero),
            Map.entry("nonzero", Counting::nonzero),
            Map.entry("dropout", Masking::dropout));

    private IndexKernels() {}
}
