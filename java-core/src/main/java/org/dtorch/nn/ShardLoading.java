package org.dtorch.nn;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.Dispatcher;
import org.dtorch.dispatch.TensorData;
import org.dtorch.placement.Layout;
import org.dtorch.random.TorchRandom.BlockSink;
import org.dtorch.runtime.Origin;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * Copies full values into sharded tensors: a source is read once, in blocks of bounded size, and every device keeps its
 * part.
 */
final class ShardLoading {
    /** The largest block, in elements. */
    static final int BLOCK_ELEMENTS = 1 << 16;

    private static final Origin ORIGIN = Origin.of("loading a state dict");

    private ShardLoading() {}

    /**
     * Overwrites {@code target} with a {@link Tensor} of any layout or a {@link ValueSource}, of the same number of
     * elements.
     *
     * @param takeDType whether the target takes over the source's dtype instead of converting
     */
    static void copy(Object value, Tensor target, boolean takeDType) {
        switch (value) {
            case Tensor tensor when tensor.owner() == target.owner() -> copyTensor(tensor, target);
            case Tensor tensor -> {
                try (Arena arena = Arena.ofConfined()) {
                    read(HostValue.of(tensor, arena), target, takeDType);
                }
            }
            case ValueSource source -> read(source, target, takeDType);
            default -> throw new IllegalArgumentException("not a value: " + value);
        }
    }

    private static void copyTensor(Tensor source, Tensor target) {
        if (!source.shape().equals(target.shape())) {
            try (Tensor same = source.reshape(target.shape().toArray())) {
                copyTensor(same, target);
            }
            return;
        }
        try (Tensor placed = source.redistribute(target.layout())) {
            if (!target.layout().hasPartial()) {
                target.copy_(placed);
            } else if (placed.dtype() == target.dtype()) {
                try (Tensor own = placed.clone()) {
                    target.setData(own);
                }
            } else {
                try (Tensor cast = Conversion.cast(placed, target.dtype())) {
                    target.setData(cast);
                }
            }
        }
    }

    private static void read(ValueSource source, Tensor target, boolean takeDType) {
        DType dtype = takeDType ? source.dtype() : target.dtype();
        Layout layout = target.layout();
        Dispatcher dispatcher = target.owner().dispatcher();
        if (!layout.hasPartial() && dtype == target.dtype()) {
            dispatcher.copies().write(target.data(), ORIGIN, sink -> blocks(source, dtype, sink));
            return;
        }
        TensorData whole = dispatcher.copies().empty(target.shape(), dtype, StateDict.whole(layout));
        dispatcher.copies().write(whole, ORIGIN, sink -> blocks(source, dtype, sink));
        TensorData placed = dispatcher.redistributor().redistribute(whole, layout);
        whole.release();
        try (Tensor loaded = target.owner().wrap(placed)) {
            target.setData(loaded);
        }
    }

    /** Reads a source in ascending blocks, converted to {@code dtype}. */
    static void blocks(ValueSource source, DType dtype, BlockSink sink) {
        Shape shape = source.shape();
        if (shape.numel() == 0) {
            return;
        }
        // The blocks are runs along the first dimension whose rows fit; the dimensions before it are walked one by one.
        int dim = 0;
        long rowElements = shape.numel();
        while (dim < shape.rank()) {
            rowElements /= shape.size(dim);
            if (rowElements <= BLOCK_ELEMENTS) {
                break;
            }
            dim++;
        }
        long length = shape.rank() == 0 ? 1 : shape.size(dim);
        long step = Math.min(length, Math.max(1, BLOCK_ELEMENTS / rowElements));
        long[] offsets = new long[shape.rank()];
        long[] sizes = shape.toArray();
        long outer = 1;
        for (int d = 0; d < dim; d++) {
            outer *= sizes[d];
            sizes[d] = 1;
        }
        try (Arena arena = Arena.ofConfined()) {
            long elements = step * rowElements;
            MemorySegment raw = arena.allocate(elements * source.dtype().bytes(), 8);
            MemorySegment cast = dtype == source.dtype() ? raw : arena.allocate(elements * dtype.bytes(), 8);
            for (long o = 0; o < outer; o++) {
                long rest = o;
                for (int d = dim - 1; d >= 0; d--) {
                    offsets[d] = rest % shape.size(d);
                    rest /= shape.size(d);
                }
                for (long begin = 0; begin < length; begin += step) {
                    long count = Math.min(step, length - begin);
                    if (shape.rank() > 0) {
                        offsets[dim] = begin;
                        sizes[dim] = count;
                    }
                    source.copyPart(offsets, sizes, raw);
                    long numel = count * rowElements;
                    if (dtype != source.dtype()) {
                        HostCast.convert(raw, source.dtype(), cast, dtype, numel);
                    }
                    sink.accept((o * length + begin) * rowElements, cast.asSlice(0, numel * dtype.bytes()));
                }
            }
        }
    }
}
