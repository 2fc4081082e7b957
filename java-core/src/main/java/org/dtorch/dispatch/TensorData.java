package org.dtorch.dispatch;

import org.dtorch.op.Value;
import org.dtorch.placement.Layout;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Storage;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * A tensor as the dispatcher handles it: what it is, and one shard for each device of its mesh that this process can
 * address.
 *
 * <p>It holds one reference to its storage. Where devices share one memory, positions that replicate each other hold the
 * very same {@link LocalShard}; kernels run once for them.
 */
public final class TensorData implements Value {
    private final Shape shape;
    private final DType dtype;
    private final Layout layout;
    private final Storage storage;
    private final LocalShard[] shards;
    private final Copy copy;

    /** What a view was copied from, and the version that it had. */
    record Copy(Storage base, long version) {
        static Copy of(TensorData base) {
            return base.isCopiedView() ? base.copy : new Copy(base.storage, base.storage.version());
        }
    }

    TensorData(Shape shape, DType dtype, Layout layout, Storage storage, LocalShard[] shards) {
        this(shape, dtype, layout, storage, shards, null);
    }

    /** A view; {@code copy} is null where writes reach its base. */
    TensorData(Shape shape, DType dtype, Layout layout, Storage storage, LocalShard[] shards, Copy copy) {
        this.shape = shape;
        this.dtype = dtype;
        this.layout = layout;
        this.storage = storage;
        this.shards = shards;
        this.copy = copy;
    }

    @Override
    public Shape shape() {
        return shape;
    }

    @Override
    public DType dtype() {
        return dtype;
    }

    @Override
    public Layout layout() {
        return layout;
    }

    /** The alias set and its version; this tensor holds one reference. */
    public Storage storage() {
        return storage;
    }

    /** The shard at a position of the mesh; null where the device belongs to another process. */
    public LocalShard shard(int position) {
        return shards[position];
    }

    /** Whether every shard lies dense in row-major order. */
    boolean isDense() {
        for (int p = 0; p < shards.length; p++) {
            boolean known = shards[p] == null || (p > 0 && shards[p] == shards[p - 1]);
            if (!known && !isDense(shards[p].sizes(), shards[p].strides())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDense(long[] sizes, long[] strides) {
        long step = 1;
        boolean dense = true;
        for (int d = sizes.length - 1; d >= 0; d--) {
            if (sizes[d] == 0) {
                return true;
            }
            dense &= sizes[d] == 1 || strides[d] == step;
            step *= sizes[d];
        }
        return dense;
    }

    LocalShard[] shards() {
        return shards;
    }

    /** Whether this is the result of a view operator that had to move data, so that writes do not reach the base. */
    boolean isCopiedView() {
        return copy != null;
    }

    /**
     * Refuses a copied view whose base was written after the copy was made.
     *
     * @throws DTorchError of kind RUNTIME
     */
    void requireFresh() {
        if (copy != null && copy.base().version() != copy.version()) {
            throw DTorchError.runtime(
                    "a view of a sharded dimension was gathered into a copy, and its base has been written since: %s on %s;"
                            + " take the view again",
                    describe(), layout.mesh());
        }
    }

    /** Another handle on the same elements under other names: the placements of {@code other} must mean the same shards. */
    public TensorData relabelled(Layout other) {
        storage.retain();
        return new TensorData(shape, dtype, other, storage, shards, copy);
    }

    /** Gives up the reference to the storage. */
    public void release() {
        storage.release();
    }

    /** For example {@code float32[8, 64] [S(0), R]}, as errors name an operand. */
    public String describe() {
        return dtype.torchName() + shape + " " + layout.shortName();
    }
}
