package org.dtorch.op;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.dtorch.rule.Rule;
import org.dtorch.values.Shape;

/** An operator that looks at the same storage with other sizes and strides. */
final class ViewRow extends Row<ViewRow> {
    /** In {@link #rearranging}, an output dimension of size 1 that no input dimension gives. */
    static final int NEW = -1;

    private OpKind.Infer infer;
    private DimMap map;
    private OpKind.LocalView local;

    ViewRow(String schema) {
        super(schema);
    }

    /** The global shapes of the results. */
    ViewRow infer(OpKind.Infer function) {
        this.infer = function;
        return this;
    }

    /** For each input dimension the output dimension that carries it on, or -1 where it cannot stay sharded. */
    ViewRow keeps(DimMap function) {
        this.map = function;
        return this;
    }

    ViewRow local(OpKind.LocalView function) {
        this.local = function;
        return this;
    }

    /** For each output dimension the input dimension that it is, or {@link #NEW}; says all there is to say. */
    ViewRow rearranging(Function<Site, int[]> sources) {
        infer = site -> {
            Shape in = site.shape("self");
            int[] source = sources.apply(site);
            long[] sizes = new long[source.length];
            for (int o = 0; o < sizes.length; o++) {
                sizes[o] = source[o] == NEW ? 1 : in.size(source[o]);
            }
            return new TensorMeta[] {new TensorMeta(Shape.of(sizes), site.dtype("self"))};
        };
        map = (site, outputs) -> {
            int[] source = sources.apply(site);
            int[] keeps = new int[site.shape("self").rank()];
            Arrays.fill(keeps, -1);
            for (int o = 0; o < source.length; o++) {
                if (source[o] != NEW) {
                    keeps[source[o]] = o;
                }
            }
            return keeps;
        };
        local = (in, sizes, site, output) -> {
            int[] source = sources.apply(site);
            long[] strides = new long[source.length];
            for (int o = 0; o < strides.length; o++) {
                strides[o] = source[o] == NEW ? 1 : in.strides()[source[o]];
            }
            return new StridedView(in.offset(), sizes, strides);
        };
        return this;
    }

    @FunctionalInterface
    interface DimMap {
        int[] apply(Site site, TensorMeta[] outputs);
    }

    @Override
    ViewRow self() {
        return this;
    }

    @Override
    OpKind kind() {
        return new OpKind.View(infer, (site, outputs) -> rule(map.apply(site, outputs), outputs), local);
    }

    /**
     * Views only move elements, so every partial result passes through. What can stay sharded may depend on the present
     * shards, so no others are made.
     */
    static Rule rule(int[] keeps, TensorMeta[] outputs) {
        int[] in = new int[keeps.length];
        int[][] out = new int[outputs.length][];
        for (int o = 0; o < out.length; o++) {
            out[o] = new int[outputs[o].shape().rank()];
        }
        for (int d = 0; d < keeps.length; d++) {
            if (keeps[d] >= 0) {
                in[d] = d + 1;
                for (int[] letters : out) {
                    letters[keeps[d]] = d + 1;
                }
            }
        }
        return Rule.letters(new int[][] {in}, out)
                .linearIn(List.of(Set.of(0)), Rule.ALL)
                .whereCutNow();
    }
}
