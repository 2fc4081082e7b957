package org.dtorch.op;

import org.dtorch.rule.Rule;
import java.util.List;
import java.util.Set;

/** An operator that looks at the same storage with other sizes and strides. */
final class ViewRow extends Row<ViewRow> {
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

    /** Views only move elements, so every partial result passes through. */
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
        return Rule.letters(new int[][] {in}, out).linearIn(List.of(Set.of(0)), Rule.ALL);
    }
}
