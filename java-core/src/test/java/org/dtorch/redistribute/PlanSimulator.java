package org.dtorch.redistribute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.dtorch.fixtures.Array;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.values.Shape;

/** Carries out plans on plain arrays, one per device, doing literally what each step says. */
final class PlanSimulator {
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
        PlanSimulator simulator = new PlanSimulator(layout, global.shape());
        simulator.local = global.split(layout, random);
        return simulator;
    }

    Layout layout() {
        return layout;
    }

    long mostMoved() {
        return mostMoved;
    }

    /** The whole value, by the meaning of the placements; replicas must agree. */
    Array gather() {
        return Array.join(local, layout, shape, 1e-6);
    }

    void run(Step step) {
        assertThat(step.from()).isEqualTo(layout);
        mostMoved = 0;
        switch (step) {
            case Step.Slice s -> inGroups(s.meshDim(), (held, c) -> held[c].chunk(s.tensorDim(), held.length, c));
            case Step.AllGather s ->
                inGroups(s.meshDim(), (held, c) -> {
                    Array whole = Array.concat(s.tensorDim(), held);
                    moved(whole.values().length - held[c].values().length);
                    return whole;
                });
            case Step.ReduceScatter s ->
                inGroups(s.meshDim(), (held, c) -> {
                    Array mine = Array.combine(s.op(), held).chunk(s.tensorDim(), held.length, c);
                    moved((held.length - 1) * mine.values().length);
                    return mine;
                });
            case Step.AllReduce s -> inGroups(s.meshDim(), (held, _) -> Array.combine(s.op(), held));
            case Step.AllToAll s ->
                inGroups(s.meshDim(), (held, c) -> {
                    Array mine = Array.concat(s.fromDim(), held).chunk(s.toDim(), held.length, c);
                    moved(mine.values().length
                            - held[c].chunk(s.toDim(), held.length, c).values().length);
                    return mine;
                });
            case Step.Mask s ->
                inGroups(s.meshDim(), (held, c) -> {
                    if (c == 0 || !s.changesValues()) {
                        return held[c];
                    }
                    Array filled = Array.zeros(held[c].shape());
                    Arrays.fill(filled.values(), s.identity());
                    return filled;
                });
            case Step.PartialCast s ->
                inGroups(
                        s.meshDim(),
                        (held, c) -> new Array(
                                held[c].shape(),
                                Arrays.stream(held[c].values())
                                        .map(v -> v * s.factor())
                                        .toArray()));
            case Step.Blocks s -> move(s);
        }
        layout = step.to();
        for (int p = 0; p < local.length; p++) {
            assertThat(local[p].shape()).as(step.label()).isEqualTo(layout.localShape(shape, p));
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
            Arrays.fill(arrived[p].values(), Double.NaN);
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
                target.values()[(int) target.offset(destination)] = local[block.source()].at(source);
            }
        }
        for (Array array : arrived) {
            assertThat(Arrays.stream(array.values()).noneMatch(Double::isNaN)).isTrue();
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
