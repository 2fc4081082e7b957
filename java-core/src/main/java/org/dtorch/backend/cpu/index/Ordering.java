package org.dtorch.backend.cpu.index;

import java.util.Arrays;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.values.DType;

/**
 * Order along one dimension: sort, topk and arg_reduce. NaN is the greatest value, and of equal values the first comes
 * first.
 *
 * <p>A value becomes an integer key of the same order. Keys of at most 32 bits are sorted together with their position as
 * one long; wider ones by a stable merge sort of the positions.
 */
final class Ordering {
    private Ordering() {}

    static void sort(Launch launch) {
        Operand x = launch.inputs()[0];
        take(launch, (int) (long) (Long) launch.args()[0], (Boolean) launch.args()[1], x.numel());
    }

    static void topk(Launch launch) {
        int dim = (int) (long) (Long) launch.args()[0];
        Operand values = launch.outputs()[0];
        take(launch, dim, (Boolean) launch.args()[1], values.rank() == 0 ? 1 : values.sizes()[dim]);
    }

    /** Writes the first {@code count} elements of each line in order. */
    private static void take(Launch launch, int dim, boolean descending, long count) {
        Operand x = launch.inputs()[0];
        Operand values = launch.outputs()[0];
        Operand indices = launch.outputs()[1];
        if (values.numel() == 0) {
            return;
        }
        Lines from = Lines.of(x, dim);
        Lines toValues = Lines.of(values, dim);
        Lines toIndices = Lines.of(indices, dim);
        DType dtype = x.dtype();
        int n = Math.toIntExact(from.size());
        int k = (int) Math.min(count, n);
        Lines.forEach(Lines.count(x, dim), 8L * n, line -> {
            long source = from.address(line);
            int[] order = dtype.bytes() <= 4
                    ? packedOrder(dtype, source, from.step(), n, k, descending)
                    : mergedOrder(dtype, source, from.step(), n, descending);
            long value = toValues.address(line);
            long index = toIndices.address(line);
            for (int i = 0; i < k; i++) {
                Element.copy(dtype.bytes(), source + order[i] * from.step(), 0, value + i * toValues.step(), 0, 1);
                Element.putInteger(indices.dtype(), index + i * toIndices.step(), order[i]);
            }
        });
    }

    static void argReduce(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand values = launch.outputs()[0];
        Operand indices = launch.outputs()[1];
        if (values.numel() == 0) {
            return;
        }
        int dim = (int) (long) (Long) launch.args()[0];
        boolean greatest = (Boolean) launch.args()[1];
        long origin = x.rank() == 0 ? 0 : launch.origins().input(0, dim);
        Lines from = Lines.of(x, dim);
        Lines toValues = Lines.of(values, dim);
        Lines toIndices = Lines.of(indices, dim);
        DType dtype = x.dtype();
        Lines.forEach(Lines.count(values, dim), from.size(), line -> {
            long value = toValues.address(line);
            long index = toIndices.address(line);
            if (from.size() == 0) {
                putLast(dtype, value, greatest);
                Element.putInteger(indices.dtype(), index, origin);
                return;
            }
            long source = from.address(line);
            long best = extreme(dtype, source, from.step(), from.size(), greatest);
            Element.copy(dtype.bytes(), source + best * from.step(), 0, value, 0, 1);
            Element.putInteger(indices.dtype(), index, origin + best);
        });
    }

    /** The value that loses against every other, for a part that has no element. */
    private static void putLast(DType dtype, long address, boolean greatest) {
        if (dtype.isFloating()) {
            Element.putReal(dtype, address, greatest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        } else {
            int bits = dtype == DType.UINT8 ? 8 : dtype.bytes() * 8 - 1;
            long most = dtype == DType.BOOL ? 1 : dtype == DType.INT64 ? Long.MAX_VALUE : (1L << bits) - 1;
            long least = dtype == DType.BOOL || dtype == DType.UINT8 ? 0 : -most - 1;
            Element.putInteger(dtype, address, greatest ? least : most);
        }
    }

    private static long extreme(DType dtype, long source, long step, long n, boolean greatest) {
        long best = 0;
        if (dtype.isFloating()) {
            double bestValue = Element.real(dtype, source);
            for (long i = 1; i < n && !Double.isNaN(bestValue); i++) {
                double value = Element.real(dtype, source + i * step);
                if (Double.isNaN(value) || (greatest ? value > bestValue : value < bestValue)) {
                    best = i;
                    bestValue = value;
                }
            }
            return best;
        }
        long bestValue = Element.integer(dtype, source);
        for (long i = 1; i < n; i++) {
            long value = Element.integer(dtype, source + i * step);
            if (greatest ? value > bestValue : value < bestValue) {
                best = i;
                bestValue = value;
            }
        }
        return best;
    }

    private static int[] packedOrder(DType dtype, long source, long step, int n, int k, boolean descending) {
        long[] packed;
        if (k < n / 8) {
            packed = least(dtype, source, step, n, k, descending);
        } else {
            packed = new long[n];
            for (int i = 0; i < n; i++) {
                packed[i] = packed(dtype, source + i * step, i, descending);
            }
        }
        Arrays.sort(packed);
        int[] order = new int[k];
        for (int i = 0; i < k; i++) {
            order[i] = (int) packed[i];
        }
        return order;
    }

    private static long packed(DType dtype, long address, int position, boolean descending) {
        int key = key32(dtype, address);
        return (long) (descending ? ~key : key) << 32 | position;
    }

    /** The {@code k} least packed keys, in no order: a heap whose top is the greatest of them. */
    private static long[] least(DType dtype, long source, long step, int n, int k, boolean descending) {
        long[] heap = new long[k];
        for (int i = 0; i < k; i++) {
            heap[i] = packed(dtype, source + i * step, i, descending);
        }
        for (int i = k / 2 - 1; i >= 0; i--) {
            sink(heap, i);
        }
        for (int i = k; i < n && k > 0; i++) {
            long next = packed(dtype, source + i * step, i, descending);
            if (next < heap[0]) {
                heap[0] = next;
                sink(heap, 0);
            }
        }
        return heap;
    }

    private static void sink(long[] heap, int from) {
        long value = heap[from];
        int at = from;
        while (2 * at + 1 < heap.length) {
            int child = 2 * at + 1;
            if (child + 1 < heap.length && heap[child + 1] > heap[child]) {
                child++;
            }
            if (heap[child] <= value) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = value;
    }

    private static int key32(DType dtype, long address) {
        if (!dtype.isFloating()) {
            return (int) Element.integer(dtype, address);
        }
        float value = (float) Element.real(dtype, address) + 0f; // -0 equals 0
        int bits = Float.floatToIntBits(value); // every NaN is 0x7FC00000, above infinity
        return bits ^ (bits >> 31 & Integer.MAX_VALUE);
    }

    private static long key64(DType dtype, long address) {
        if (!dtype.isFloating()) {
            return Element.integer(dtype, address);
        }
        double value = Element.real(dtype, address) + 0.0;
        long bits = Double.doubleToLongBits(value);
        return bits ^ (bits >> 63 & Long.MAX_VALUE);
    }

    /** Positions in order of their keys, by a merge sort from the bottom up. */
    private static int[] mergedOrder(DType dtype, long source, long step, int n, boolean descending) {
        long[] keys = new long[n];
        int[] order = new int[n];
        for (int i = 0; i < n; i++) {
            long key = key64(dtype, source + i * step);
            keys[i] = descending ? ~key : key;
            order[i] = i;
        }
        int[] merged = new int[n];
        for (long width = 1; width < n; width *= 2) {
            for (long begin = 0; begin < n; begin += 2 * width) {
                int middle = (int) Math.min(n, begin + width);
                int end = (int) Math.min(n, begin + 2 * width);
                int left = (int) begin;
                int right = middle;
                for (int i = (int) begin; i < end; i++) {
                    boolean takeLeft = left < middle && (right >= end || keys[order[left]] <= keys[order[right]]);
                    merged[i] = takeLeft ? order[left++] : order[right++];
                }
            }
            int[] swap = order;
            order = merged;
            merged = swap;
        }
        return order;
    }
}
