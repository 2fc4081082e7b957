package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.dispatch.TensorData;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.CreationOptions;
import org.dtorch.op.Op;
import org.dtorch.op.OpTable;
import org.dtorch.op.Value;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.placement.Shard;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/**
 * Writes to the part of a tensor that an index names.
 *
 * <p>Dimensions that lie whole on each device become views, and the write goes through them. Where the index cuts a
 * sharded dimension every device finds, from the global positions of its own elements, which of them are written and
 * with what; the target is not gathered. Index tensors end in {@code index_put_}, a single mask with one number in
 * {@code masked_fill_}.
 */
final class IndexedWrite {
    private static final Op SELECT = OpTable.get("select");
    private static final Op SLICE = OpTable.get("slice");
    private static final Op UNSQUEEZE = OpTable.get("unsqueeze");

    /** Part of a sharded dimension: {@code count} elements from {@code start} in steps. */
    private record Cut(int dim, long start, long step, long count, boolean removed) {}

    private final DTorch owner;
    private final TensorData self;
    private final List<TensorData> made = new ArrayList<>();
    private final List<Value> indices = new ArrayList<>();
    private final List<Cut> cuts = new ArrayList<>();
    private TensorData current;
    private int covered;

    IndexedWrite(Tensor target, List<IndexItem> items) {
        this.owner = target.owner();
        this.self = target.data();
        this.current = self;
        try {
            int dim = 0;
            for (IndexItem item : items) {
                dim = apply(item, dim);
            }
            if (!cuts.isEmpty() && !indices.isEmpty()) {
                throw DTorchError.layout(
                        "assignment: index tensors together with a cut of sharded dimension %d; redistribute the tensor"
                                + " first, its placements are %s",
                        cuts.getFirst().dim(), self.layout().placements());
            }
        } catch (RuntimeException e) {
            release();
            throw e;
        }
    }

    void write(Scalar value) {
        try {
            if (!indices.isEmpty()) {
                if (indices.getLast() != null && indices.size() == 1 + leading() && isMask(indices.getLast())) {
                    fillMask(value);
                } else {
                    put(full(value, current.dtype()));
                }
            } else if (cuts.isEmpty()) {
                call("fill_", current, value);
            } else {
                merge(value);
            }
        } finally {
            release();
        }
    }

    void write(Tensor tensor) {
        try {
            TensorData value = here(tensor.data());
            if (!indices.isEmpty()) {
                put(value);
                return;
            }
            Shape part = part();
            while (value.shape().rank() > part.rank() && value.shape().size(0) == 1) {
                value = step(SELECT, value, 0L, 0L);
            }
            if (cuts.isEmpty()) {
                call("copy_", current, value);
            } else {
                Shape common = Shape.broadcast(value.shape(), part);
                if (!common.equals(part)) {
                    throw DTorchError.layout(
                            "The expanded size of the tensor must match: a value of shape %s cannot be written to a part of"
                                    + " shape %s",
                            value.shape(), part);
                }
                merge(aligned(value, part));
            }
        } finally {
            release();
        }
    }

    /** The value on the target's mesh. */
    private TensorData here(TensorData value) {
        DeviceMesh mesh = self.layout().mesh();
        if (value.layout().mesh().equals(mesh) || value.layout().mesh().isDistributed() != mesh.isDistributed()) {
            return value;
        }
        TensorData moved = owner.dispatcher().redistributor().redistribute(value, Layout.replicated(mesh));
        made.add(moved);
        return moved;
    }

    private int apply(IndexItem item, int dim) {
        switch (item) {
            case IndexItem.At(long index) -> {
                IndexedRead.checkIndex(index, current, dim);
                if (isSharded(dim)) {
                    long size = current.shape().size(dim);
                    cuts.add(new Cut(dim, index < 0 ? index + size : index, 1, 1, true));
                    return dim + 1;
                }
                current = step(SELECT, current, (long) dim, index);
                return dim;
            }
            case IndexItem.Range(Long from, Long to, long step) -> {
                long size = current.shape().size(dim);
                long start = clip(from == null ? 0 : from, size);
                long count = Math.max(0, Math.ceilDiv(clip(to == null ? size : to, size) - start, step));
                if (count == size) {
                    return dim + 1;
                }
                if (isSharded(dim)) {
                    cuts.add(new Cut(dim, start, step, count, false));
                } else {
                    current = step(SLICE, current, (long) dim, from, to, step);
                }
                return dim + 1;
            }
            case IndexItem.Whole whole -> {
                return dim + 1;
            }
            case IndexItem.NewAxis axis -> {
                current = step(UNSQUEEZE, current, (long) dim);
                return dim + 1;
            }
            case IndexItem.Flag(boolean flag) -> {
                current = step(UNSQUEEZE, current, (long) dim);
                enter(dim, IndexedRead.flag(owner, flag, self.layout().mesh(), made));
                return dim + 1;
            }
            case IndexItem.Elements elements -> {
                Value index = elements.tensor().data();
                if (elements.isMask() && index.shape().rank() == 0) {
                    current = step(UNSQUEEZE, current, (long) dim);
                    enter(dim, IndexedRead.axis(owner, index, 0, made));
                    return dim + 1;
                }
                enter(dim, index);
                return dim + elements.dims();
            }
        }
    }

    private void enter(int dim, Value index) {
        while (covered < dim) {
            indices.add(null);
            covered++;
        }
        indices.add(index);
        covered += isMask(index) ? index.shape().rank() : 1;
    }

    private static boolean isMask(Value index) {
        return IndexedRead.isMask(index);
    }

    private int leading() {
        int nulls = 0;
        while (nulls < indices.size() && indices.get(nulls) == null) {
            nulls++;
        }
        return nulls;
    }

    private boolean isSharded(int dim) {
        Layout layout = current.layout().normalized(current.shape().rank());
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (layout.mesh().dimSize(m) > 1 && layout.placement(m).isShard(dim)) {
                return true;
            }
        }
        return false;
    }

    private static long clip(long index, long size) {
        return Math.clamp(index < 0 ? index + size : index, 0, size);
    }

    /** The shape of what is written. */
    private Shape part() {
        List<Long> sizes = new ArrayList<>();
        for (int d = 0; d < current.shape().rank(); d++) {
            Cut cut = cutOf(d);
            if (cut == null || !cut.removed()) {
                sizes.add(cut == null ? current.shape().size(d) : cut.count());
            }
        }
        return Shape.of(sizes.stream().mapToLong(Long::longValue).toArray());
    }

    private Cut cutOf(int dim) {
        for (Cut cut : cuts) {
            if (cut.dim() == dim) {
                return cut;
            }
        }
        return null;
    }

    /** The value with a dimension for each of the target's; where a cut has several elements they are moved there. */
    private TensorData aligned(TensorData value, Shape part) {
        TensorData aligned = value;
        while (aligned.shape().rank() < part.rank()) {
            aligned = step(UNSQUEEZE, aligned, 0L);
        }
        for (Cut cut : cuts) {
            if (cut.removed()) {
                aligned = step(UNSQUEEZE, aligned, (long) cut.dim());
            }
        }
        for (Cut cut : cuts) {
            if (aligned.shape().size(cut.dim()) > 1) {
                TensorData from =
                        number("clamp", number("floor_divide", relative(cut), cut.step()), 0, cut.count() - 1);
                aligned = step(OpTable.get("index_select"), aligned, (long) cut.dim(), from);
            }
        }
        return aligned;
    }

    /** Chooses, element by element, between the value and what is there; {@code value} is a number or broadcasts. */
    private void merge(Object value) {
        if (cuts.stream().anyMatch(cut -> cut.count() == 0)) {
            return;
        }
        TensorData chosen = null;
        for (Cut cut : cuts) {
            TensorData position = relative(cut);
            TensorData inside =
                    and(number("ge", position, 0), number("lt", position, Math.multiplyExact(cut.count(), cut.step())));
            if (cut.step() > 1) {
                inside = and(inside, number("eq", number("remainder", position, cut.step()), 0));
            }
            for (int d = cut.dim() + 1; d < current.shape().rank(); d++) {
                inside = step(UNSQUEEZE, inside, -1L);
            }
            chosen = chosen == null ? inside : and(chosen, inside);
        }
        Object source = value;
        if (value instanceof TensorData data && data.dtype() != current.dtype()) {
            source = step(OpTable.get("cast"), data, current.dtype());
        } else if (value instanceof Scalar number) {
            source = full(number, current.dtype());
        }
        call("copy_", current, step(OpTable.get("where"), chosen, source, current));
    }

    /** The global position of each element of a sharded dimension, counted from the start of the cut. */
    private TensorData relative(Cut cut) {
        Layout layout = current.layout().normalized(current.shape().rank());
        DeviceMesh mesh = layout.mesh();
        List<Placement> placements = new ArrayList<>();
        for (int m = 0; m < mesh.ndim(); m++) {
            placements.add(
                    layout.placement(m) instanceof Shard(int d) && d == cut.dim()
                            ? Placement.shard(0)
                            : Placement.replicate());
        }
        CreationOptions options = new CreationOptions(DType.INT64, Layout.of(mesh, placements));
        long size = current.shape().size(cut.dim());
        return step(
                OpTable.get("arange"), Scalar.of(-cut.start()), Scalar.of(size - cut.start()), Scalar.of(1), options);
    }

    private TensorData full(Scalar value, DType dtype) {
        return step(
                OpTable.get("full"),
                new long[0],
                value,
                new CreationOptions(dtype, Layout.replicated(current.layout().mesh())));
    }

    private void put(TensorData value) {
        TensorData source = value;
        if (value.shape().rank() == 0 && value.dtype() != current.dtype()) {
            source = step(OpTable.get("cast"), value, current.dtype());
        }
        call("index_put_", current, indices.toArray(new Value[0]), source, false);
    }

    private void fillMask(Scalar value) {
        TensorData mask = (TensorData) indices.getLast();
        if (mask.dtype() != DType.BOOL) {
            mask = step(OpTable.get("cast"), mask, DType.BOOL);
        }
        int dim = leading();
        for (int d = 0; d < mask.shape().rank(); d++) {
            if (mask.shape().size(d) != current.shape().size(dim + d)) {
                throw DTorchError.index(
                        "The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index"
                                + " %d",
                        mask.shape(), d, current.shape(), dim + d);
            }
        }
        for (int d = dim + mask.shape().rank(); d < current.shape().rank(); d++) {
            mask = step(UNSQUEEZE, mask, -1L);
        }
        call("masked_fill_", current, mask, value);
    }

    private TensorData and(TensorData a, TensorData b) {
        return step(OpTable.get("logical_and"), a, b);
    }

    private TensorData number(String op, TensorData a, long... numbers) {
        Object[] args = new Object[1 + numbers.length];
        args[0] = a;
        for (int i = 0; i < numbers.length; i++) {
            args[1 + i] = Scalar.of(numbers[i]);
        }
        return step(OpTable.get(op), args);
    }

    private TensorData step(Op op, Object... args) {
        TensorData result = owner.dispatcher().call(op, owner.dispatcher().complete(op, args))[0];
        made.add(result);
        return result;
    }

    private void call(String name, Object... args) {
        Op op = OpTable.get(name);
        owner.dispatcher().call(op, owner.dispatcher().complete(op, args));
    }

    private void release() {
        made.forEach(TensorData::release);
        made.clear();
    }
}
