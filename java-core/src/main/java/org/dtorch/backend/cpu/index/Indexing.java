package org.dtorch.backend.cpu.index;

import java.util.Arrays;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.backend.cpu.memory.View;
import org.dtorch.backend.cpu.pointwise.CopyKernel;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * Advanced indexing: index, index_put and index_select.
 *
 * <p>An index position picks one place in the indexed dimensions; the dimensions taken whole are walked there. Positions
 * are checked and turned into byte offsets before anything is written.
 */
final class Indexing {
    private static final long GRAIN = 16 * 1024;

    private Indexing() {}

    static void index(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        Operand[] indices = Arrays.copyOfRange(launch.inputs(), 1, launch.inputs().length);
        if (y.numel() == 0) {
            return;
        }
        Sides sides = Sides.of(x, y, indices, (int) (long) (Long) launch.args()[0]);
        int bytes = x.dtype().bytes();
        sides.walk((picked, placed, n, pickedStep, placedStep) ->
                Element.copy(bytes, picked, pickedStep, placed, placedStep, n));
    }

    static void indexPut(Launch launch) {
        Operand y = launch.outputs()[0];
        Operand value = launch.inputs()[1];
        Operand[] indices = Arrays.copyOfRange(launch.inputs(), 2, launch.inputs().length);
        boolean accumulate = (Boolean) launch.args()[1];
        Sides sides = value.numel() == 0 ? null : Sides.of(y, value, indices, (int) (long) (Long) launch.args()[0]);
        CopyKernel.copy(launch.inputs()[0], y);
        if (sides == null) {
            return;
        }
        DType dtype = y.dtype();
        if (!accumulate) {
            sides.walkInOrder((picked, placed, n, pickedStep, placedStep) ->
                    Element.copy(dtype.bytes(), placed, placedStep, picked, pickedStep, n));
            return;
        }
        sides.walkInOrder((picked, placed, n, pickedStep, placedStep) -> {
            for (long i = 0; i < n; i++) {
                Element.add(dtype, picked + i * pickedStep, placed + i * placedStep);
            }
        });
    }

    static void indexSelect(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand index = launch.inputs()[1];
        Operand y = launch.outputs()[0];
        int dim = (int) (long) (Long) launch.args()[0];
        if (y.numel() == 0) {
            return;
        }
        if (x.rank() == 0) {
            CopyKernel.copy(x, y);
            return;
        }
        Lines picks = Lines.of(index, 0);
        for (long i = 0; i < picks.size(); i++) {
            long pick = Element.integer(index.dtype(), picks.address(0) + i * picks.step());
            if (pick < 0 || pick >= x.sizes()[dim]) {
                throw DTorchError.index("index out of range in self");
            }
        }
        Operand[] indices = new Operand[dim + 1];
        indices[dim] = index;
        Sides sides = Sides.of(x, y, indices, dim);
        int bytes = x.dtype().bytes();
        sides.walk((picked, placed, n, pickedStep, placedStep) ->
                Element.copy(bytes, picked, pickedStep, placed, placedStep, n));
    }

    /** Moves {@code n} elements between the indexed operand and the one that has the index's shape. */
    @FunctionalInterface
    private interface Move {
        void run(long picked, long placed, long n, long pickedStep, long placedStep);
    }

    /**
     * The two operands of an indexing.
     *
     * @param offsets the byte offset of each index position in the indexed operand
     * @param positions the index dimensions of the other operand
     * @param pickedWhole the dimensions taken whole, of the indexed operand
     * @param placedWhole the same of the other
     */
    private record Sides(long[] offsets, View positions, View pickedWhole, View placedWhole, long whole) {

        static Sides of(Operand picked, Operand placed, Operand[] indices, int firstResultDim) {
            int[] indexed = new int[picked.rank()];
            int[] whole = new int[picked.rank()];
            int indexedCount = 0;
            int wholeCount = 0;
            Operand shape = null;
            for (int d = 0; d < picked.rank(); d++) {
                if (d < indices.length && indices[d] != null) {
                    indexed[indexedCount++] = d;
                    shape = indices[d];
                } else {
                    whole[wholeCount++] = d;
                }
            }
            if (shape == null) {
                throw DTorchError.index("indexing without an index");
            }
            int indexRank = shape.rank();
            int[] indexDims = new int[indexRank];
            for (int d = 0; d < indexRank; d++) {
                indexDims[d] = firstResultDim + d;
            }
            int[] placedWhole = new int[wholeCount];
            for (int d = 0; d < wholeCount; d++) {
                placedWhole[d] = d < firstResultDim ? d : d + indexRank;
            }
            long[] offsets = new long[Math.toIntExact(shape.numel())];
            for (int i = 0; i < indexedCount; i++) {
                addOffsets(offsets, picked, indexed[i], indices[indexed[i]]);
            }
            View pickedView = View.of(picked, Arrays.copyOf(whole, wholeCount));
            long count = 1;
            for (int d = 0; d < wholeCount; d++) {
                count *= picked.sizes()[whole[d]];
            }
            return new Sides(offsets, View.of(placed, indexDims), pickedView, View.of(placed, placedWhole), count);
        }

        private static void addOffsets(long[] offsets, Operand picked, int dim, Operand index) {
            long size = picked.sizes()[dim];
            long stride = picked.strides()[dim] * picked.dtype().bytes();
            int[] order = new int[index.rank()];
            for (int d = 0; d < order.length; d++) {
                order[d] = d;
            }
            View view = View.of(index, order);
            for (int i = 0; i < offsets.length; i++) {
                long pick = Element.integer(index.dtype(), view.elementAddress(i));
                if (pick < -size || pick >= size) {
                    throw DTorchError.index("index %d is out of bounds for dimension %d with size %d", pick, dim, size);
                }
                offsets[i] += (pick < 0 ? pick + size : pick) * stride;
            }
        }

        void walk(Move move) {
            long grain = Math.max(1, GRAIN / Math.max(1, whole));
            Workers.shared().forRange(offsets.length, grain, (from, to) -> walk(from, to, move));
        }

        /** One position after the other, because several may fall on one place. */
        void walkInOrder(Move move) {
            walk(0, offsets.length, move);
        }

        private void walk(long from, long to, Move move) {
            long run = Math.min(pickedWhole.innerSize(), placedWhole.innerSize());
            for (long i = from; i < to; i++) {
                long picked = offsets[(int) i];
                long placed = positions.elementAddress(i) - positions.address;
                for (long at = 0; at < whole; at += run) {
                    move.run(
                            pickedWhole.elementAddress(at) + picked,
                            placedWhole.elementAddress(at) + placed,
                            run,
                            pickedWhole.innerStep(),
                            placedWhole.innerStep());
                }
            }
        }
    }
}
