package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import org.dtorch.op.OpKind.RandomDraw;
import org.dtorch.op.TensorMeta;
import org.dtorch.placement.Layout;
import org.dtorch.random.Distribution;
import org.dtorch.random.Generator;
import org.dtorch.random.Philox;
import org.dtorch.random.TorchRandom;
import org.dtorch.runtime.Origin;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/**
 * Tensors of random numbers from PyTorch's CPU stream: one stream in row-major order of the global tensor, drawn in
 * bounded blocks, of which each device keeps its part. Any mesh and any placement gives the same global tensor.
 */
public final class RandomFill {
    private final HostCopies copies;
    private final Generator generator = new Generator();

    RandomFill(HostCopies copies) {
        this.copies = copies;
    }

    /** The session's generator. */
    public Generator generator() {
        return generator;
    }

    /** Seed and call counter of random numbers that a kernel draws by itself. */
    long[] nextKey() {
        synchronized (generator) {
            Philox philox = generator.nextPhilox();
            return new long[] {philox.seed(), philox.call()};
        }
    }

    /** A new tensor without partial placements, from {@code source} or, if that is null, the session's generator. */
    TensorData create(RandomDraw draw, Generator source, TensorMeta meta, Layout layout, Origin origin) {
        TensorData made = copies.empty(meta.shape(), meta.dtype(), layout);
        fill(draw, source, made, origin);
        return made;
    }

    /** Overwrites a tensor without partial placements. */
    void fill(RandomDraw draw, Generator source, TensorData target, Origin origin) {
        Generator from = source == null ? generator : source;
        copies.write(
                target,
                origin,
                sink -> draw(draw, from, target.dtype(), target.shape().numel(), sink));
    }

    private static void draw(
            RandomDraw draw, Generator generator, DType dtype, long numel, TorchRandom.BlockSink sink) {
        synchronized (generator) {
            switch (draw.distribution()) {
                case UNIFORM ->
                    TorchRandom.draw(
                            new Distribution.Uniform(
                                    draw.first().toDouble(), draw.second().toDouble()),
                            dtype,
                            numel,
                            generator,
                            sink);
                case NORMAL ->
                    TorchRandom.draw(
                            new Distribution.Normal(
                                    draw.first().toDouble(), draw.second().toDouble()),
                            dtype,
                            numel,
                            generator,
                            sink);
                case INTEGER ->
                    TorchRandom.draw(
                            new Distribution.Integers(
                                    draw.first().toLong(), draw.second().toLong()),
                            dtype,
                            numel,
                            generator,
                            sink);
                case BERNOULLI ->
                    TorchRandom.draw(
                            new Distribution.Bernoulli(draw.first().toDouble()), dtype, numel, generator, sink);
                case PERMUTATION -> sink.accept(0, permutation(dtype, numel, generator));
            }
        }
    }

    private static MemorySegment permutation(DType dtype, long numel, Generator generator) {
        long[] order = TorchRandom.randperm(numel, generator);
        if (dtype == DType.INT64) {
            return MemorySegment.ofArray(order);
        }
        MemorySegment cast = MemorySegment.ofArray(new byte[Math.multiplyExact(order.length, dtype.bytes())]);
        for (int i = 0; i < order.length; i++) {
            HostElements.set(cast, i, dtype, Scalar.of(order[i]));
        }
        return cast;
    }
}
