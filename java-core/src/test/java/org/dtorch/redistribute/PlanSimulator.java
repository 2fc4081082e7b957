package org.dtorch.redistribute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Partial;
import org.dtorch.placement.ReduceOp;
import org.dtorch.placement.Replicate;
import org.dtorch.placement.Shard;
import org.dtorch.values.Shape;

/** Carries out plans on plain arrays, one per device, doing literally what each step says. */
final class PlanSimulator {
    /** A dense row-major array. */
    record Array(Shape shape, double[] values) {
        static Array zeros(Shape shape) {
            return new Array(shape, new double[(int) shape.numel()]);
        }

        double at(long... index) {
            return values[(int) offset(index)];
        }

        long offset(long... index) {
            long offset = 0;
            for (int d = 0; d < index.length; d++) {
                assertThat(index[d]).isBetween(0L, shape.size(d) - 1);
                offset = offset * shape.size(d) + index[d];
            }
            return offset;
        }

        /** {@code size} elements from {@code start} along {@code dim}. */
        Array narrow(int dim, long start, long size) {
            Array part = zeros(shape.with(dim, size));
            long inner = 1;
            for (int d = dim + 1; d < shape.rank(); d++) {
                inner *= shape.size(d);
            }
            for (int i = 0; i < part.values.length; i++) {
                long outer = i / (inner * size);
                part.values[i] = values[(int) (outer * shape.size(dim) * inner + start * inner + i % (inner * size))];
            }
            return part;
        }

        /** Piece {@code index} of {@code torch.chunk(parts, dim)}, empty where torch gives fewer pieces. */
        Array chunk(int dim, int parts, int index) {
            long size = shape.size(dim);
            long full = -Math.floorDiv(-size, (long) parts);
            long start = Math.min(size, full * index);
            return narrow(dim, start, Math.min(size, start + full) - start);
        }

        static Array concat(int dim, Array[] parts) {
            long size = 0;
            for (Array part : parts) {
                size += part.shape.size(dim);
            }
            Array whole = zeros(parts[0].shape.with(dim, size));
            long inner = 1;
            for (int d = dim + 1; d < whole.shape.rank(); d++) {
                inner *= whole.shape.size(d);
            }
            long start = 0;
            for (Array part : parts) {
                long width = part.shape.size(dim) * inner;
                for (int i = 0; i < part.values.length; i++) {
                    whole.values[(int) (i / width * size * inner + start + i % width)] = part.values[i];
                }
                start += width;
            }
            return whole;
        }

        static Array combine(ReduceOp op, Array[] parts) {
            Array result = zeros(parts[0].shape);
            for (int i = 0; i < result.values.length; i++) {
                double value = parts[0].values[i];
                for (int p = 1; p < parts.length; p++) {
                    assertThat(parts[p].shape).isEqualTo(result.shape);
                    double next = parts[p].values[i];
                    value = switch (op) {
                        case SUM, AVG -> value + next;
                        case PRODUCT -> value * next;
                        case MAX -> Math.max(value, next);
                        case MIN -> Math.min(value, next);
                    };
                }
                result.values[i] = op == ReduceOp.AVG ? value / parts.length : value;
            }
            return result;
        }
    }

    private Layout layout;
    private final Shape shape;
    private Array[] local;
    /** The most elements that one device received, or in blocks sent, in the last step. */
    private long mostMoved;

    private PlanSimulator(Layout layout, Shape shape) {
        this.layout = layout;
        this.shape = shape;
        this.local = new Array[layout.mesh().size()];
    }

    /** Lays {@code global} out; the parts of partial values are drawn at random, so that errors cannot cancel. */
    static PlanSimulator distribute(Array global, Layout layout, Random random) {
        PlanSimulator simulator = new PlanSimulator(layout, global.shape);
        simulator.split(global, 0, 0, random);
        return simulator;
    }

    private void split(Array value, int meshDim, int position, Random random) {
        DeviceMesh mesh = layout.mesh();
        if (meshDim == mesh.ndim()) {
            local[position] = value;
            return;
        }
        int devices = mesh.dimSize(meshDim);
        Array[] parts = new Array[devices];
        switch (layout.placement(meshDim)) {
            case Replicate _ -> Arrays.fill(parts, value);
            case Shard(int dim) -> Arrays.setAll(parts, c -> value.chunk(dim, devices, c));
            case Partial(ReduceOp op) -> parts = parts(value, op, devices, random);
        }
        for (int c = 0; c < devices; c++) {
            split(parts[c], meshDim + 1, position + c * mesh.stride(meshDim), random);
        }
    }

    private static Array[] parts(Array value, ReduceOp op, int devices, Random random) {
        Array[] parts = new Array[devices];
        Arrays.setAll(parts, c -> Array.zeros(value.shape));
        for (int i = 0; i < value.values.length; i++) {
            int last = random.nextInt(devices);
            double rest = op == ReduceOp.AVG ? value.values[i] * devices : value.values[i];
            for (int c = 0; c < devices; c++) {
                if (c != last) {
                    double part = switch (op) {
                        case SUM, AVG -> random.nextInt(-50, 50);
                        case PRODUCT -> (random.nextBoolean() ? 1 : -1) * Math.scalb(1.0, random.nextInt(-2, 3));
                        case MAX -> rest - random.nextInt(20);
                        case MIN -> rest + random.nextInt(20);
                    };
                    parts[c].values[i] = part;
                    rest = switch (op) {
                        case SUM, AVG -> rest - part;
                        case PRODUCT -> rest / part;
                        case MAX, MIN -> rest;
                    };
                }
            }
            parts[last].values[i] = rest;
        }
        return parts;
    }

    Layout layout() {
        return layout;
    }

    long mostMoved() {
        return mostMoved;
    }

    /** The whole value, by the meaning of the placements; replicas must agree. */
    Array gather() {
        for (int p = 0; p < local.length; p++) {
            assertThat(local[p].shape).isEqualTo(layout.localShape(shape, p));
        }
        return join(0, 0);
    }

    private Array join(int meshDim, int position) {
        DeviceMesh mesh = layout.mesh();
        if (meshDim == mesh.ndim()) {
            return local[position];
        }
        Array[] parts = new Array[mesh.dimSize(meshDim)];
        Arrays.setAll(parts, c -> join(meshDim + 1, position + c * mesh.stride(meshDim)));
        return switch (layout.placement(meshDim)) {
            case Replicate _ -> {
                for (Array part : parts) {
                    assertThat(part.values).containsExactly(parts[0].values, Offset.offset(1e-6));
                }
                yield parts[0];
            }
            case Shard(int dim) -> Array.concat(dim, parts);
            case Partial(ReduceOp op) -> Array.combine(op, parts);
        };
    }

    void run(Step step) {
        assertThat(step.from()).isEqualTo(layout);
        mostMoved = 0;
        switch (step) {
            case Step.Slice s -> inGroups(s.meshDim(), (held, c) -> held[c].chunk(s.tensorDim(), held.length, c));
            case Step.AllGather s ->
                inGroups(s.meshDim(), (held, c) -> {
                    Array whole = Array.concat(s.tensorDim(), held);
                    moved(whole.values.length - held[c].values.length);
                    return whole;
                });
            case Step.ReduceScatter s ->
                inGroups(s.meshDim(), (held, c) -> {
                    Array mine = Array.combine(s.op(), held).chunk(s.tensorDim(), held.length, c);
                    moved((held.length - 1) * mine.values.length);
                    return mine;
                });
            case Step.AllReduce s -> inGroups(s.meshDim(), (held, _) -> Array.combine(s.op(), held));
            case Step.AllToAll s ->
                inGroups(s.meshDim(), (held, c) -> {
                    Array mine = Array.concat(s.fromDim(), held).chunk(s.toDim(), held.length, c);
                    moved(mine.values.length - held[c].chunk(s.toDim(), held.length, c).values.length);
                    return mine;
                });
            case Step.Mask s ->
                inGroups(s.meshDim(), (held, c) -> {
                    if (c == 0 || !s.changesValues()) {
                        return held[c];
                    }
                    Array filled = Array.zeros(held[c].shape);
                    Arrays.fill(filled.values, s.identity());
                    return filled;
                });
            case Step.PartialCast s ->
                inGroups(
                        s.meshDim(),
                        (held, c) -> new Array(
                                held[c].shape,
                                Arrays.stream(held[c].values)
                                        .map(v -> v * s.factor())
                                        .toArray()));
            case Step.Blocks s -> move(s);
        }
        layout = step.to();
        for (int p = 0; p < local.length; p++) {
            assertThat(local[p].shape).as(step.label()).isEqualTo(layout.localShape(shape, p));
        }
    }

    private interface InGroup {
        Array result(Array[] held, int coordinate);
    }

    private void inGroups(int meshDim, InGroup work) {
        Array[] after = new Array[local.length];
        for (int[] group : layout.mesh().groups(meshDim)) {
            Array[] held = Arrays.stream(group).mapToObj(p -> local[p]).toArray(Array[]::new);
            for (int c = 0; c < group.length; c++) {
                after[group[c]] = work.result(held, c);
            }
        }
        local = after;
    }

    private void move(Step.Blocks step) {
        DeviceMesh before = step.from().mesh();
        DeviceMesh after = step.to().mesh();
        Array[] arrived = new Array[after.size()];
        for (int p = 0; p < arrived.length; p++) {
            arrived[p] = Array.zeros(step.to().localShape(shape, p));
            Arrays.fill(arrived[p].values, Double.NaN);
        }
        long[] sent = new long[before.size()];
        long[] received = new long[after.size()];
        for (Block block : BlockMoves.of(step.from(), step.to(), shape)) {
            boolean sameDevice = before.deviceType() == after.deviceType()
                    && before.id(block.source()) == after.id(block.destination());
            assertThat(block.isLocal()).isEqualTo(sameDevice);
            if (!sameDevice) {
                sent[block.source()] += block.sizes().numel();
                received[block.destination()] += block.sizes().numel();
            }
            long[] there = step.from().localOffsets(shape, block.source());
            long[] here = step.to().localOffsets(shape, block.destination());
            for (long i = 0; i < block.sizes().numel(); i++) {
                long[] source = new long[there.length];
                long[] destination = new long[there.length];
                long rest = i;
                for (int d = there.length - 1; d >= 0; d--) {
                    long global = block.offsets()[d] + rest % block.sizes().size(d);
                    rest /= block.sizes().size(d);
                    source[d] = global - there[d];
                    destination[d] = global - here[d];
                }
                Array target = arrived[block.destination()];
                assertThat(target.at(destination)).as("%s comes twice", block).isNaN();
                target.values[(int) target.offset(destination)] = local[block.source()].at(source);
            }
        }
        for (Array array : arrived) {
            assertThat(Arrays.stream(array.values).noneMatch(Double::isNaN)).isTrue();
        }
        for (long elements : sent) {
            moved(elements);
        }
        for (long elements : received) {
            moved(elements);
        }
        local = arrived;
    }

    private void moved(long elements) {
        mostMoved = Math.max(mostMoved, elements);
    }
}
