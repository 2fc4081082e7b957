package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.backend.Operand;
import org.dtorch.fixtures.Array;
import org.dtorch.placement.Layout;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;
import org.dtorch.runtime.Session;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** Tensors written and read device by device, by the meaning of placements alone: no redistribution, no operator. */
public final class Parts {
    private Parts() {}

    /** A tensor of which every device holds what {@link Array#split} gives it. */
    public static Tensor laidOut(DTorch dt, Array global, DType dtype, Layout layout, Random random) {
        Layout own = layout.normalized(global.shape().rank());
        TensorData data = dt.dispatcher().copies().empty(global.shape(), dtype, own);
        Array[] parts = global.split(own, random);
        for (int p = 0; p < parts.length; p++) {
            LocalShard shard = data.shard(p);
            if (p == 0 || shard != data.shard(own.replicaOwner(p)) || own.replicaOwner(p) == p) {
                write(dt.dispatcher().session(), shard, parts[p].values());
            }
        }
        return dt.wrap(data);
    }

    private static void write(Session session, LocalShard shard, double[] values) {
        MemorySegment host =
                MemorySegment.ofArray(new byte[values.length * shard.dtype().bytes()]);
        for (int i = 0; i < values.length; i++) {
            HostElements.set(host, i, shard.dtype(), scalar(values[i], shard.dtype()));
        }
        session.submit(new WriteInstruction(shard.device(), Origin.of("parts"), shard, host));
        session.await(shard);
    }

    private static Scalar scalar(double value, DType dtype) {
        return dtype.isFloating() ? Scalar.of(value) : Scalar.of((long) value);
    }

    /** The whole value from what every device holds; shard sizes must be the layout's, and replicas equal. */
    public static Array joined(Tensor tensor) {
        return joined(tensor.owner().dispatcher().session(), tensor.data());
    }

    static Array joined(Session session, TensorData data) {
        Array[] local = new Array[data.layout().mesh().size()];
        for (int p = 0; p < local.length; p++) {
            local[p] = local(session, data.shard(p));
        }
        return Array.join(local, data.layout(), data.shape(), 0);
    }

    /** What one device holds. */
    public static Array local(Session session, LocalShard shard) {
        session.await(shard);
        Array array = Array.zeros(org.dtorch.values.Shape.of(shard.sizes()));
        if (array.values().length == 0) {
            return array;
        }
        Operand operand = shard.operand();
        for (int i = 0; i < array.values().length; i++) {
            long at = operand.offset();
            long rest = i;
            for (int d = operand.rank() - 1; d >= 0; d--) {
                at += rest % operand.sizes()[d] * operand.strides()[d];
                rest /= operand.sizes()[d];
            }
            array.values()[i] = HostElements.get(operand.memory().segment(), at, operand.dtype())
                    .toDouble();
        }
        return array;
    }
}
