package org.dtorch.examples.llama;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.api.Tensor;

/**
 * Keys and values of one batch of sequences, for each layer [N, H, maxLength, E], split as the heads are and whole along
 * the sequence. It belongs to one caller; the model itself does not change.
 */
public final class KeyValueCache {
    private final long maxLength;
    private final List<Entry> layers = new ArrayList<>();

    /** Keys and values, each [N, H, L, E]. */
    record Entry(Tensor keys, Tensor values) {}

    KeyValueCache(int layers, long maxLength) {
        this.maxLength = maxLength;
        for (int i = 0; i < layers; i++) {
            this.layers.add(null);
        }
    }

    /** Stores {@code added} at position {@code start} of a layer and returns everything up to the last of it. */
    Entry append(int layer, Entry added, long start) {
        Tensor keys = added.keys().redistribute(MeshDims.wholeSequence(added.keys()));
        Tensor values = added.values().redistribute(MeshDims.wholeSequence(added.values()));
        if (layers.get(layer) == null) {
            layers.set(layer, new Entry(room(keys), room(values)));
        }
        Entry all = layers.get(layer);
        long length = keys.size(2);
        all.keys().narrow(2, start, length).copy_(keys);
        all.values().narrow(2, start, length).copy_(values);
        return new Entry(all.keys().narrow(2, 0, start + length), all.values().narrow(2, 0, start + length));
    }

    private Tensor room(Tensor x) {
        long[] shape = {x.size(0), x.size(1), maxLength, x.size(3)};
        return x.owner().zeros(shape, x.owner().options(x.dtype(), x.deviceMesh(), x.placements()));
    }
}
