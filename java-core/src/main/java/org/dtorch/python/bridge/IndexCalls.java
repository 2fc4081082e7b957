package org.dtorch.python.bridge;

import java.util.List;
import org.dtorch.api.Tensor;
import org.dtorch.values.Scalar;
import org.graalvm.polyglot.HostAccess;

/** Indexing and assignment: one crossing each, with all parts of the index as arguments. */
public final class IndexCalls {
    private final Bridge bridge;

    IndexCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    @HostAccess.Export
    public IndexMark whole() {
        return IndexMark.WHOLE;
    }

    @HostAccess.Export
    public IndexMark slice() {
        return IndexMark.SLICE;
    }

    @HostAccess.Export
    public IndexMark ellipsis() {
        return IndexMark.ELLIPSIS;
    }

    /** The part of a tensor: a view unless the index has tensors or cuts a sharded dimension. */
    @HostAccess.Export
    public Tensor get(Tensor tensor, Object... parts) {
        try {
            return new IndexedRead(tensor).read(IndexItem.parse(OpCalls.parts(parts), tensor.dim()));
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Writes a tensor or number to a part of a tensor. */
    @HostAccess.Export
    public void set(Tensor tensor, Object value, Object... parts) {
        try {
            List<IndexItem> items = IndexItem.parse(OpCalls.parts(parts), tensor.dim());
            switch (value) {
                case Tensor t -> new IndexedWrite(tensor, items).write(t);
                case Boolean b -> new IndexedWrite(tensor, items).write(Scalar.of((boolean) b));
                case Double d -> new IndexedWrite(tensor, items).write(Scalar.of((double) d));
                case Integer i -> new IndexedWrite(tensor, items).write(Scalar.of((long) i));
                case Long l -> new IndexedWrite(tensor, items).write(Scalar.of((long) l));
                case null, default ->
                    throw org.dtorch.values.DTorchError.type(
                            "can't assign a %s to a %s", ArgumentNames.className(value), tensor.dtype());
            }
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }
}
