package org.dtorch.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.backend.Kernel;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.Op;
import org.dtorch.op.OpKind;
import org.dtorch.op.Promotion;
import org.dtorch.op.Site;
import org.dtorch.op.TensorMeta;
import org.dtorch.placement.Layout;
import org.dtorch.recipe.Recipe;
import org.dtorch.rule.Rule;
import org.dtorch.rule.Selection;
import org.dtorch.rule.Selector;
import org.dtorch.rule.Strategy;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Session;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** Works out what a call does: shapes, rule, placements, kernel. Runs once for each key. */
final class Preparer {
    private final Session session;

    Preparer(Session session) {
        this.session = session;
    }

    Prepared computed(Site site, OpKind.Computed kind, TensorData[] inputs, DeviceMesh mesh, boolean strict) {
        Op op = site.op();
        TensorMeta[] metas = kind.infer().apply(site);
        TensorData self = op.mutatedParam() < 0 ? null : (TensorData) site.args()[op.mutatedParam()];
        if (self != null) {
            metas = intoSelf(op, self, metas);
        }
        Rule rule = kind.rule().apply(site, metas);
        Layout fixed = self == null ? null : self.layout();
        Selection chosen = select(site, rule, inputs, mesh, fixed, strict);
        Recipe recipe = kind.recipe().apply(site, metas);
        Kernel kernel = session.device(mesh.deviceType(), mesh.id(0)).backend().kernel(recipe);
        return prepared(inputs, metas, chosen, kernel, mesh);
    }

    Prepared view(Site site, OpKind.View kind, TensorData input, boolean strict) {
        TensorMeta[] metas = kind.infer().apply(site);
        Rule rule = kind.rule().apply(site, metas);
        TensorData[] inputs = {input};
        DeviceMesh mesh = input.layout().mesh();
        return prepared(inputs, metas, select(site, rule, inputs, mesh, null, strict), null, mesh);
    }

    Prepared created(Site site, OpKind.Created kind, Layout layout) {
        TensorMeta[] metas = kind.infer().apply(site);
        layout.checkFits(metas[0].shape());
        Layout normalized = layout.normalized(metas[0].shape().rank());
        DeviceMesh mesh = normalized.mesh();
        Recipe recipe = kind.recipe().apply(site, metas);
        Kernel kernel = session.device(mesh.deviceType(), mesh.id(0)).backend().kernel(recipe);
        return prepared(
                new TensorData[0], metas, new Selection(new Layout[0], new Layout[] {normalized}), kernel, mesh);
    }

    private static TensorMeta[] intoSelf(Op op, TensorData self, TensorMeta[] metas) {
        if (!metas[0].shape().equals(self.shape())) {
            throw DTorchError.layout(
                    "%s: output with shape %s doesn't match the broadcast shape %s",
                    op.name(), self.shape(), metas[0].shape());
        }
        if (!Promotion.canCast(metas[0].dtype(), self.dtype())) {
            throw DTorchError.runtime(
                    "%s: result type %s can't be cast to the desired output type %s",
                    op.name(), metas[0].dtype().torchName(), self.dtype().torchName());
        }
        return new TensorMeta[] {new TensorMeta(self.shape(), self.dtype())};
    }

    private Selection select(Site site, Rule rule, TensorData[] inputs, DeviceMesh mesh, Layout fixed, boolean strict) {
        Layout[] current = new Layout[inputs.length];
        Shape[] shapes = new Shape[inputs.length];
        int[] itemBytes = new int[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] != null) {
                shapes[i] = inputs[i].shape();
                itemBytes[i] = inputs[i].dtype().bytes();
                Layout own = inputs[i].layout();
                current[i] = own.mesh().equals(mesh) ? own : Layout.replicated(mesh);
            }
        }
        Selection chosen = Selector.select(rule, shapes, itemBytes, current, mesh, fixed);
        if (chosen == null) {
            throw DTorchError.layout(
                    "%s: writing in place would have to change the placements %s of the tensor; redistribute it first, or"
                            + " use the operator that returns a new tensor. Legal combinations, nearest first: %s",
                    site.op().name(), fixed.placements(), legal(rule, shapes, itemBytes, current, mesh));
        }
        if (strict) {
            refuseMoves(site, rule, inputs, shapes, itemBytes, current, chosen, mesh);
        }
        return chosen;
    }

    private static void refuseMoves(
            Site site,
            Rule rule,
            TensorData[] inputs,
            Shape[] shapes,
            int[] itemBytes,
            Layout[] current,
            Selection chosen,
            DeviceMesh mesh) {
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] == null) {
                continue;
            }
            for (int m = 0; m < mesh.ndim(); m++) {
                boolean same = current[i].placement(m).equals(chosen.inputs()[i].placement(m));
                boolean slice = current[i].isReplicatedOn(m)
                        && !chosen.inputs()[i].placement(m).isPartial();
                if (!same && !slice) {
                    throw DTorchError.layout(
                            "%s: strict mode does not redistribute, and no rule takes these placements. Legal combinations,"
                                    + " nearest first: %s",
                            site.op().name(), legal(rule, shapes, itemBytes, current, mesh));
                }
            }
        }
    }

    private static String legal(Rule rule, Shape[] shapes, int[] itemBytes, Layout[] current, DeviceMesh mesh) {
        List<String> dims = new ArrayList<>();
        for (int m = 0; m < mesh.ndim(); m++) {
            if (mesh.dimSize(m) > 1) {
                List<Strategy> nearest = Selector.nearest(rule, shapes, itemBytes, current, m);
                String name = mesh.dimNames().isEmpty()
                        ? "mesh dim " + m
                        : mesh.dimNames().get(m);
                dims.add(name + ": "
                        + String.join(
                                " | ", nearest.stream().map(Strategy::toString).toList()));
            }
        }
        return String.join("; ", dims);
    }

    private Prepared prepared(
            TensorData[] inputs, TensorMeta[] metas, Selection chosen, Kernel kernel, DeviceMesh mesh) {
        Layout[] wanted = new Layout[inputs.length];
        boolean moves = false;
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] != null && !inputs[i].layout().equals(chosen.inputs()[i])) {
                wanted[i] = chosen.inputs()[i];
                moves = true;
            }
        }
        int[] owners = owners(chosen, mesh);
        long[][][] sizes = new long[metas.length][mesh.size()][];
        for (int o = 0; o < metas.length; o++) {
            for (int p = 0; p < mesh.size(); p++) {
                if (owners[p] == p) {
                    sizes[o][p] =
                            chosen.outputs()[o].localShape(metas[o].shape(), p).toArray();
                }
            }
        }
        Device[][] sharers = Shards.sharers(session, mesh, owners);
        return new Prepared(
                wanted, metas, chosen.outputs(), kernel, owners, sharers, sizes, moves, new long[mesh.size()]);
    }

    /**
     * The position that computes for each: on mesh dimensions where all inputs and outputs are replicated it is the first,
     * if devices share memory.
     */
    private int[] owners(Selection chosen, DeviceMesh mesh) {
        int[] owners = new int[mesh.size()];
        for (int p = 0; p < owners.length; p++) {
            int owner = p;
            for (int m = 0; m < mesh.ndim() && session.sharesReplicas(); m++) {
                if (replicated(chosen, m)) {
                    owner = mesh.withCoordinate(owner, m, 0);
                }
            }
            owners[p] = owner;
        }
        return owners;
    }

    private static boolean replicated(Selection chosen, int m) {
        for (Layout layout : chosen.inputs()) {
            if (layout != null && !layout.isReplicatedOn(m)) {
                return false;
            }
        }
        for (Layout layout : chosen.outputs()) {
            if (!layout.isReplicatedOn(m)) {
                return false;
            }
        }
        return true;
    }
}
