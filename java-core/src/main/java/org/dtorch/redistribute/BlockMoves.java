package org.dtorch.redistribute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Chunk;
import org.dtorch.placement.Layout;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/**
 * The blocks of a {@link Step.Blocks} step: together, those of one destination fill its shard exactly once.
 *
 * <p>The shards of the layout before cut the tensor into cells. A destination gets, for each cell that it overlaps, the
 * overlap; from itself where it holds the cell, otherwise from the holder that has sent the least so far. The result
 * depends on the two layouts and the shape only, so that every process finds the same.
 */
public final class BlockMoves {
    private final Layout from;
    private final Layout to;
    private final Shape shape;
    private final boolean sameDevices;
    private final boolean sameShape;
    /** The mesh dimensions of the layout before whose coordinate a cell leaves open. */
    private final int[] replicaDims;

    private final int replicas;
    /** For each tensor dimension, the chunks of the layout before in ascending order, empty ones included. */
    private final Chunk[][] cells;
    /** For each tensor dimension, the mesh dimensions that shard it in the layout before. */
    private final int[][] cellDims;

    private final long[] sent;
    private final Sink sink;

    /** Receives each block; {@code offsets} and {@code sizes} are reused. */
    private interface Sink {
        void block(int source, int destination, long[] offsets, long[] sizes, long elements, boolean local);
    }

    /**
     * How much moves in a {@link Step.Blocks} step.
     *
     * @param maxElements the most elements that one device receives, or sends if that is more
     * @param maxMessages the most blocks that one device receives, or sends if that is more
     * @param totalElements all elements that move between devices
     */
    record Traffic(long maxElements, long maxMessages, long totalElements) {}

    private BlockMoves(Layout from, Layout to, Shape shape, Sink sink) {
        this.from = from;
        this.to = to;
        this.shape = shape;
        this.sink = sink;
        this.sameDevices = from.mesh().equals(to.mesh());
        this.sameShape = Arrays.equals(from.mesh().shape(), to.mesh().shape());
        this.sent = new long[from.mesh().size()];
        checkPartials(from, to);
        DeviceMesh mesh = from.mesh();
        int[] open = new int[mesh.ndim()];
        int count = 0;
        int product = 1;
        for (int m = 0; m < mesh.ndim(); m++) {
            if (from.placement(m).isReplicate() && mesh.dimSize(m) > 1) {
                open[count++] = m;
                product *= mesh.dimSize(m);
            }
        }
        this.replicaDims = Arrays.copyOf(open, count);
        this.replicas = product;
        this.cells = new Chunk[shape.rank()][];
        this.cellDims = new int[shape.rank()][];
        for (int d = 0; d < cells.length; d++) {
            cellDims[d] = from.meshDimsSharding(d);
            cells[d] = cellsOf(d);
        }
    }

    /** All blocks that take {@code from} to {@code to}, those that devices keep included, in order of destinations. */
    public static List<Block> of(Layout from, Layout to, Shape shape) {
        List<Block> blocks = new ArrayList<>();
        BlockMoves moves = new BlockMoves(
                from.normalized(shape.rank()),
                to.normalized(shape.rank()),
                shape,
                (source, destination, offsets, sizes, _, local) ->
                        blocks.add(new Block(source, destination, offsets.clone(), Shape.of(sizes), local)));
        for (int p = 0; p < to.mesh().size(); p++) {
            moves.run(p);
        }
        return List.copyOf(blocks);
    }

    static Traffic traffic(Layout from, Layout to, Shape shape) {
        Counter counter = new Counter(from, to);
        BlockMoves moves = new BlockMoves(from, to, shape, counter);
        for (int p = 0; p < to.mesh().size(); p++) {
            moves.run(p);
        }
        return counter.traffic();
    }

    /** What the first and the last destination receive: at most {@link #traffic}, and quickly known. */
    static Traffic leastTraffic(Layout from, Layout to, Shape shape) {
        Counter counter = new Counter(from, to);
        BlockMoves moves = new BlockMoves(from, to, shape, counter);
        moves.run(0);
        if (to.mesh().size() > 1) {
            moves.run(to.mesh().size() - 1);
        }
        return counter.received();
    }

    private static final class Counter implements Sink {
        private final long[] sent;
        private final long[] sentBlocks;
        private final long[] received;
        private final long[] receivedBlocks;
        private long total;

        Counter(Layout from, Layout to) {
            sent = new long[from.mesh().size()];
            sentBlocks = new long[sent.length];
            received = new long[to.mesh().size()];
            receivedBlocks = new long[received.length];
        }

        @Override
        public void block(int source, int destination, long[] offsets, long[] sizes, long elements, boolean local) {
            if (!local) {
                sent[source] += elements;
                sentBlocks[source]++;
                received[destination] += elements;
                receivedBlocks[destination]++;
                total += elements;
            }
        }

        Traffic received() {
            return new Traffic(max(received), max(receivedBlocks), total);
        }

        Traffic traffic() {
            return new Traffic(
                    Math.max(max(sent), max(received)), Math.max(max(sentBlocks), max(receivedBlocks)), total);
        }

        private static long max(long[] values) {
            long result = 0;
            for (long value : values) {
                result = Math.max(result, value);
            }
            return result;
        }
    }

    /** Whether every partial mesh dimension of one layout is partial by the same op, and as long, in the other. */
    static boolean partialsMatch(Layout from, Layout to) {
        if (!from.hasPartial() && !to.hasPartial()) {
            return true;
        }
        if (from.mesh().ndim() != to.mesh().ndim()) {
            return false;
        }
        for (int m = 0; m < from.mesh().ndim(); m++) {
            boolean partial = from.placement(m).isPartial() || to.placement(m).isPartial();
            if (partial
                    && (!from.placement(m).equals(to.placement(m))
                            || from.mesh().dimSize(m) != to.mesh().dimSize(m))) {
                return false;
            }
        }
        return true;
    }

    private static void checkPartials(Layout from, Layout to) {
        if (!partialsMatch(from, to)) {
            throw DTorchError.layout("blocks cannot move between %s and %s: their partial mesh dims differ", from, to);
        }
    }

    private Chunk[] cellsOf(int tensorDim) {
        Chunk[] found = {Chunk.whole(shape.size(tensorDim))};
        for (int m : cellDims[tensorDim]) {
            int parts = from.mesh().dimSize(m);
            Chunk[] finer = new Chunk[found.length * parts];
            for (int i = 0; i < finer.length; i++) {
                finer[i] = found[i / parts].cut(parts, i % parts);
            }
            found = finer;
        }
        return found;
    }

    private void run(int destination) {
        Chunk[] wanted = new Chunk[shape.rank()];
        for (int d = 0; d < wanted.length; d++) {
            wanted[d] = to.localChunk(shape.size(d), d, destination);
            if (wanted[d].size() == 0) {
                return;
            }
        }
        int holder = partialCoordinates(destination);
        visit(destination, wanted, 0, holder, new long[wanted.length], new long[wanted.length]);
    }

    /** The position before whose partial mesh dimensions have the coordinates of {@code destination}, the others 0. */
    private int partialCoordinates(int destination) {
        int position = 0;
        for (int m = 0; m < from.mesh().ndim(); m++) {
            if (from.placement(m).isPartial() && from.mesh().dimSize(m) > 1) {
                position = from.mesh().withCoordinate(position, m, to.mesh().coordinate(destination, m));
            }
        }
        return position;
    }

    /** Goes through the cells that overlap {@code wanted}, tensor dimension by tensor dimension. */
    private void visit(int destination, Chunk[] wanted, int dim, int holder, long[] offsets, long[] sizes) {
        if (dim == wanted.length) {
            emit(destination, holder, offsets, sizes);
            return;
        }
        Chunk[] chunks = cells[dim];
        for (int c = firstEndingAfter(chunks, wanted[dim].offset()); c < chunks.length; c++) {
            if (chunks[c].offset() >= wanted[dim].end()) {
                break;
            }
            long start = Math.max(chunks[c].offset(), wanted[dim].offset());
            long size = Math.min(chunks[c].end(), wanted[dim].end()) - start;
            if (size > 0) {
                offsets[dim] = start;
                sizes[dim] = size;
                visit(destination, wanted, dim + 1, holderOf(holder, dim, c), offsets, sizes);
            }
        }
    }

    private static int firstEndingAfter(Chunk[] chunks, long offset) {
        int low = 0;
        int high = chunks.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (chunks[middle].end() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * {@code position} with the coordinates of cell {@code cell} along the mesh dimensions that shard {@code
     * tensorDim}.
     */
    private int holderOf(int position, int tensorDim, int cell) {
        int holder = position;
        int rest = cell;
        int[] meshDims = cellDims[tensorDim];
        for (int i = meshDims.length - 1; i >= 0; i--) {
            int parts = from.mesh().dimSize(meshDims[i]);
            holder = from.mesh().withCoordinate(holder, meshDims[i], rest % parts);
            rest /= parts;
        }
        return holder;
    }

    private void emit(int destination, int holder, long[] offsets, long[] sizes) {
        int here = sameDevices
                ? destination
                : from.mesh().deviceType() == to.mesh().deviceType()
                        ? from.mesh().positionOf(to.mesh().id(destination))
                        : -1;
        long elements = 1;
        for (long size : sizes) {
            elements *= size;
        }
        if (here >= 0 && holds(here, holder)) {
            sink.block(here, destination, offsets, sizes, elements, true);
            return;
        }
        int first = peer(destination);
        int best = -1;
        for (int r = 0; r < replicas; r++) {
            int candidate = replica(holder, (r + first) % replicas);
            if (best < 0 || sent[candidate] < sent[best]) {
                best = candidate;
            }
        }
        sent[best] += elements;
        sink.block(best, destination, offsets, sizes, elements, false);
    }

    /** Whether {@code position} is a replica of {@code holder}. */
    private boolean holds(int position, int holder) {
        int base = position;
        for (int m : replicaDims) {
            base = from.mesh().withCoordinate(base, m, 0);
        }
        return base == holder;
    }

    /**
     * The replica to try first: on a mesh of the same shape the one at the same coordinates, otherwise taking turns.
     */
    private int peer(int destination) {
        if (!sameShape) {
            return destination % replicas;
        }
        int index = 0;
        for (int m : replicaDims) {
            index = index * from.mesh().dimSize(m) + from.mesh().coordinate(destination, m);
        }
        return index;
    }

    private int replica(int holder, int index) {
        int position = holder;
        int rest = index;
        for (int i = replicaDims.length - 1; i >= 0; i--) {
            int m = replicaDims[i];
            position =
                    from.mesh().withCoordinate(position, m, rest % from.mesh().dimSize(m));
            rest /= from.mesh().dimSize(m);
        }
        return position;
    }
}
