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
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Carries an index out as views, one after the other, and one gather if it has tensors. */
final class IndexedRead {
    private static final Op SELECT = OpTable.get("select");
    private static final Op SLICE = OpTable.get("slice");
    private static final Op UNSQUEEZE = OpTable.get("unsqueeze");
    private static final Op INDEX = OpTable.get("index");
    private static final Op ALIAS = OpTable.get("alias");
    private static final Op FULL = OpTable.get("full");

    private final DTorch owner;
    private final TensorData start;
    private final List<Value> indices = new ArrayList<>();
    private final List<TensorData> made = new ArrayList<>();
    private TensorData current;
    private int covered;

    IndexedRead(Tensor tensor) {
        this.owner = tensor.owner();
        this.start = tensor.data();
        this.current = start;
    }

    Tensor read(List<IndexItem> items) {
        try {
            int dim = 0;
            for (IndexItem item : items) {
                dim = apply(item, dim);
            }
            if (!indices.isEmpty()) {
                step(INDEX, current, indices.toArray(new Value[0]));
            } else if (current == start) {
                step(ALIAS, current);
            }
            return owner.wrap(current);
        } finally {
            for (TensorData data : made) {
                if (data != current) {
                    data.release();
                }
            }
        }
    }

    /** Carries out one item at dimension {@code dim}; the dimension for the next. */
    private int apply(IndexItem item, int dim) {
        switch (item) {
            case IndexItem.At(long index) -> {
                checkIndex(index, current, dim);
                step(SELECT, current, (long) dim, index);
                return dim;
            }
            case IndexItem.Range(Long from, Long to, long step) -> {
                step(SLICE, current, (long) dim, from, to, step);
                return dim + 1;
            }
            case IndexItem.Whole whole -> {
                return dim + 1;
            }
            case IndexItem.NewAxis axis -> {
                step(UNSQUEEZE, current, (long) dim);
                return dim + 1;
            }
            case IndexItem.Flag(boolean value) -> {
                step(UNSQUEEZE, current, (long) dim);
                put(dim, flag(owner, value, current.layout().mesh(), made));
                return dim + 1;
            }
            case IndexItem.Elements elements -> {
                Value index = elements.tensor().data();
                if (elements.isMask() && index.shape().rank() == 0) {
                    step(UNSQUEEZE, current, (long) dim);
                    put(dim, axis(owner, index, 0, made));
                    return dim + 1;
                }
                put(dim, index);
                return dim + elements.dims();
            }
        }
    }

    /** Enters an index at a dimension; a mask of several dimensions is one entry that covers them. */
    private void put(int dim, Value index) {
        while (covered < dim) {
            indices.add(null);
            covered++;
        }
        indices.add(index);
        covered += isMask(index) ? index.shape().rank() : 1;
    }

    static boolean isMask(Value index) {
        return index.dtype() == DType.BOOL || index.dtype() == DType.UINT8;
    }

    /** {@code value} with a new dimension of size 1. */
    static TensorData axis(DTorch owner, Value value, long dim, List<TensorData> made) {
        TensorData result = owner.dispatcher().call(UNSQUEEZE, new Object[] {value, dim})[0];
        made.add(result);
        return result;
    }

    private void step(Op op, Object... args) {
        current = owner.dispatcher().call(op, owner.dispatcher().complete(op, args))[0];
        made.add(current);
    }

    static void checkIndex(long index, TensorData tensor, int dim) {
        if (tensor.shape().rank() == 0) {
            throw DTorchError.index(
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert"
                            + " a 0-dim tensor to a number");
        }
        long size = tensor.shape().size(dim);
        if (index < -size || index >= size) {
            throw DTorchError.index("index %d is out of bounds for dimension %d with size %d", index, dim, size);
        }
    }

    static TensorData flag(DTorch owner, boolean value, DeviceMesh mesh, List<TensorData> made) {
        TensorData flag = owner.dispatcher()
                .call(FULL, new Object[] {
                    new long[] {1}, Scalar.of(value), new CreationOptions(DType.BOOL, Layout.replicated(mesh))
                })[0];
        made.add(flag);
        return flag;
    }
}
