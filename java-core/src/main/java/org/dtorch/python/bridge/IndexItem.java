package org.dtorch.python.bridge;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/** One part of an index. */
sealed interface IndexItem {
    /** One element of a dimension, which disappears. */
    record At(long index) implements IndexItem {}

    /** Some elements of a dimension; nulls are the ends. */
    record Range(Long start, Long stop, long step) implements IndexItem {}

    record Whole() implements IndexItem {}

    /** A new dimension of size 1. */
    record NewAxis() implements IndexItem {}

    record Flag(boolean value) implements IndexItem {}

    record Elements(Tensor tensor) implements IndexItem {
        boolean isMask() {
            return tensor.dtype() == DType.BOOL || tensor.dtype() == DType.UINT8;
        }
    }

    /** How many dimensions of the tensor it takes. */
    default int dims() {
        return switch (this) {
            case At at -> 1;
            case Range range -> 1;
            case Whole whole -> 1;
            case NewAxis axis -> 0;
            case Flag flag -> 0;
            case Elements elements -> elements.isMask() ? elements.tensor().dim() : 1;
        };
    }

    /**
     * Reads an index as Python passes it, with an ellipsis replaced by whole dimensions.
     *
     * @throws DTorchError of kind INDEX for more indices than dimensions, VALUE for a step that is not positive, TYPE for
     *     anything that is no index
     */
    static List<IndexItem> parse(Object[] parts, int rank) {
        List<IndexItem> items = new ArrayList<>();
        int ellipsis = -1;
        int used = 0;
        for (int i = 0; i < parts.length; i++) {
            IndexItem item;
            if (parts[i] == IndexMark.ELLIPSIS && ellipsis < 0) {
                ellipsis = items.size();
                continue;
            } else if (parts[i] == IndexMark.SLICE) {
                item = range(parts[i + 1], parts[i + 2], parts[i + 3]);
                i += 3;
            } else {
                item = item(parts[i]);
            }
            used += item.dims();
            items.add(item);
        }
        if (used > rank) {
            throw DTorchError.index("too many indices for tensor of dimension %d", rank);
        }
        for (int d = used; ellipsis >= 0 && d < rank; d++) {
            items.add(ellipsis, new Whole());
        }
        return items;
    }

    private static IndexItem item(Object part) {
        return switch (part) {
            case null -> new NewAxis();
            case IndexMark mark -> new Whole();
            case Boolean flag -> new Flag(flag);
            case Integer index -> new At(index);
            case Long index -> new At(index);
            case Tensor tensor -> {
                if (tensor.dtype().isFloating()) {
                    throw DTorchError.index("tensors used as indices must be long, int, byte or bool tensors");
                }
                boolean number = tensor.dim() == 0 && tensor.dtype().isIntegral() && tensor.dtype() != DType.UINT8;
                yield number ? new At(tensor.item().toLong()) : new Elements(tensor);
            }
            default ->
                throw DTorchError.index(
                        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices"
                                + " (got %s)",
                        ArgumentNames.className(part));
        };
    }

    private static IndexItem range(Object start, Object stop, Object step) {
        long stride = step == null ? 1 : bound(step);
        if (stride <= 0) {
            throw DTorchError.value("step must be greater than zero");
        }
        return new Range(start == null ? null : bound(start), stop == null ? null : bound(stop), stride);
    }

    private static Long bound(Object value) {
        return switch (value) {
            case Integer n -> (long) n;
            case Long n -> n;
            // Bounds beyond any dimension, such as sys.maxsize + 1, are ends.
            case java.math.BigInteger n -> n.signum() < 0 ? Long.MIN_VALUE / 2 : Long.MAX_VALUE / 2;
            default ->
                throw DTorchError.type(
                        "slice indices must be integers or None or have an __index__ method, not %s",
                        ArgumentNames.className(value));
        };
    }
}
