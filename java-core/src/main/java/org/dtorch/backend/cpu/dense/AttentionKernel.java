package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;

/**
 * {@code attention}: q[N,H,L,E], k[N,K,S,E], v[N,K,S,F], mask? → out[N,H,L,F], lse[N,H,L]; args: scale, causal, query
 * positions, key positions. H is a multiple of K.
 *
 * <p>Queries are taken in blocks, keys in blocks for each; the softmax is carried along from key block to key block (online
 * softmax, as in FlashAttention, arXiv 2205.14135), so no L×S matrix exists. The heads that share keys and values read them
 * in place, and where the queries are few (decoding) they are computed together.
 */
final class AttentionKernel implements Kernel {
    private static final long QUERY_BLOCK = 64;
    /** From so many queries on, a block stays within one head. */
    private static final long MANY_QUERIES = 32;

    @Override
    public void run(Launch launch) {
        AttentionProblem problem = AttentionProblem.of(launch);
        Operand out = launch.outputs()[0];
        long queries = out.sizes()[2];
        if (out.sizes()[0] * out.sizes()[1] * queries == 0) {
            return;
        }
        long heads = problem.headsPerKey();
        long headsPerBlock = queries >= MANY_QUERIES ? 1 : Math.max(1, Math.min(heads, QUERY_BLOCK / queries));
        long rows = Math.min(queries, QUERY_BLOCK);
        long headBlocks = (heads + headsPerBlock - 1) / headsPerBlock;
        long queryBlocks = (queries + rows - 1) / rows;
        long perKeyHead = headBlocks * queryBlocks;
        double work = (double) rows * headsPerBlock * problem.keys() * (problem.queryWidth() + problem.valueWidth());
        long tasks = out.sizes()[0] * problem.keyHeads() * perKeyHead;
        Workers.shared().forRange(tasks, MatrixProduct.grain(work), (from, to) -> {
            try (WorkSpace space = WorkSpace.open()) {
                AttentionBlock block = new AttentionBlock(problem, (int) (rows * headsPerBlock), space);
                for (long task = from; task < to; task++) {
                    long keyHead = task / perKeyHead;
                    long firstHead = task % perKeyHead / queryBlocks * headsPerBlock;
                    long firstQuery = task % queryBlocks * rows;
                    block.compute(
                            keyHead / problem.keyHeads(),
                            keyHead % problem.keyHeads(),
                            firstHead,
                            Math.min(headsPerBlock, heads - firstHead),
                            firstQuery,
                            Math.min(rows, queries - firstQuery));
                }
            }
        });
    }
}
