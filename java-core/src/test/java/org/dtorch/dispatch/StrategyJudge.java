package org.dtorch.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.backend.Kernel;
import org.dtorch.fixtures.Array;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpKind;
import org.dtorch.op.Site;
import org.dtorch.op.StridedView;
import org.dtorch.op.TensorMeta;
import org.dtorch.op.Value;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Partial;
import org.dtorch.placement.Placement;
import org.dtorch.placement.ReduceOp;
import org.dtorch.rule.Rule;
import org.dtorch.rule.Strategy;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Storage;
import org.dtorch.values.DType;

/**
 * Takes a row's rule at its word: lays the inputs out exactly as each strategy says, runs the local kernels and nothing
 * else, and holds the output placements that the strategy claims against the whole result.
 */
final class StrategyJudge {
    private final DTorch dt;
    private final Session session;
    private int strategies;
    private final List<String> faults = new ArrayList<>();

    StrategyJudge(DTorch dt) {
        this.dt = dt;
        this.session = dt.dispatcher().session();
    }

    /** How many strategies were carried out. */
    int strategies() {
        return strategies;
    }

    /** Row, strategy and what was wrong. */
    List<String> faults() {
        return faults;
    }

    /** Judges the row's own rule; rows without one have nothing to judge. */
    void judge(SampleCall call) {
        switch (call.op().kind()) {
            case OpKind.Computed kind -> judge(call, kind.rule());
            case OpKind.View kind -> judge(call, kind.rule());
            case OpKind.Composite _, OpKind.Created _, OpKind.Random _ -> {}
        }
    }

    /** Judges {@code ruleOf} as if it were the row's. */
    void judge(SampleCall call, OpKind.RuleOf ruleOf) {
        List<Array> whole = whole(call);
        for (int devices = 2; devices <= 3; devices++) {
            DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {devices}, List.of("tp"));
            Set<String> done = new HashSet<>();
            for (Placement[] current : starts(call)) {
                Site site = site(call, mesh, current, new Random(1));
                Rule rule = ruleOf.apply(site, metas(site));
                for (Strategy strategy : rule.strategies(current)) {
                    // Letters of views hold for the present shards only.
                    boolean asNow = !rule.onlyPresent() || isNear(strategy, current);
                    if (asNow && possible(call, strategy) && done.add(strategy.toString())) {
                        strategies++;
                        carryOut(call, mesh, strategy, whole);
                    }
                }
            }
        }
    }

    private static boolean isNear(Strategy strategy, Placement[] current) {
        for (int i = 0; i < current.length; i++) {
            Placement wanted = strategy.inputs()[i];
            if (wanted != null && wanted.isShard() && !wanted.equals(current[i])) {
                return false;
            }
        }
        return true;
    }

    private List<Array> whole(SampleCall call) {
        Layout one = Layout.replicated(dt.defaultMesh());
        Tensor[] results = dt.call(call.op(), call.args(dt, i -> one, one, new Random(1)));
        return Arrays.stream(results).map(Parts::joined).toList();
    }

    /** Placements from which a rule may list strategies: each input cut in each dimension, and partial in each way. */
    private static List<Placement[]> starts(SampleCall call) {
        int n = call.inputs().size();
        List<Placement[]> starts = new ArrayList<>();
        Placement[] replicated = new Placement[n];
        for (int i = 0; i < n; i++) {
            replicated[i] = call.inputs().get(i) == null ? null : Placement.replicate();
        }
        starts.add(replicated);
        for (int i = 0; i < n; i++) {
            if (call.inputs().get(i) != null) {
                for (int d = 0; d < call.inputs().get(i).rank(); d++) {
                    starts.add(with(replicated, i, Placement.shard(d)));
                }
                for (ReduceOp op : ReduceOp.values()) {
                    if (canBe(Placement.partial(op), call.inputs().get(i).dtype())) {
                        starts.add(with(replicated, i, Placement.partial(op)));
                    }
                }
            }
        }
        return starts;
    }

    private static Placement[] with(Placement[] placements, int i, Placement placement) {
        Placement[] changed = placements.clone();
        changed[i] = placement;
        return changed;
    }

    private static boolean canBe(Placement placement, DType dtype) {
        return switch (placement) {
            case Partial(ReduceOp op) ->
                dtype.isFloating() || (dtype.bytes() >= 4 && op != ReduceOp.AVG && op != ReduceOp.PRODUCT);
            default -> true;
        };
    }

    private static boolean possible(SampleCall call, Strategy strategy) {
        for (int i = 0; i < strategy.inputs().length; i++) {
            if (strategy.inputs()[i] != null
                    && !canBe(strategy.inputs()[i], call.inputs().get(i).dtype())) {
                return false;
            }
        }
        return true;
    }

    private Site site(SampleCall call, DeviceMesh mesh, Placement[] placements, Random random) {
        Object[] args = call.args(dt, i -> Layout.of(mesh, placements[i]), Layout.replicated(mesh), random);
        Object[] raw = new Object[args.length];
        for (int i = 0; i < args.length; i++) {
            raw[i] = switch (args[i]) {
                case Tensor t -> t.data();
                case List<?> list -> {
                    Value[] values = new Value[list.size()];
                    for (int j = 0; j < values.length; j++) {
                        values[j] = list.get(j) == null ? null : ((Tensor) list.get(j)).data();
                    }
                    yield values;
                }
                case null, default -> args[i];
            };
        }
        return new Site(call.op(), dt.dispatcher().complete(call.op(), raw));
    }

    private static TensorMeta[] metas(Site site) {
        return switch (site.op().kind()) {
            case OpKind.Computed kind -> kind.infer().apply(site);
            case OpKind.View kind -> kind.infer().apply(site);
            default -> throw new IllegalArgumentException(site.op().name());
        };
    }

    private void carryOut(SampleCall call, DeviceMesh mesh, Strategy strategy, List<Array> whole) {
        try {
            Random random = new Random(2);
            Site site = site(call, mesh, strategy.inputs(), random);
            TensorMeta[] metas = metas(site);
            TensorData[] results = switch (call.op().kind()) {
                case OpKind.Computed kind -> launch(call, kind, site, metas, mesh, strategy, random);
                case OpKind.View kind -> look(kind, site, metas, mesh, strategy);
                default -> throw new IllegalArgumentException(call.op().name());
            };
            for (int o = 0; o < results.length && !call.isUndefined(); o++) {
                Array joined = Parts.joined(session, results[o]);
                double tolerance = Math.max(call.tolerance(), results[o].dtype() == DType.FLOAT16 ? 1e-2 : 0);
                joined.assertClose(whole.get(o).values(), tolerance, "output " + o);
            }
        } catch (RuntimeException | AssertionError e) {
            String text = e.toString();
            faults.add(call + ", strategy " + strategy + " over " + mesh.size() + " devices: "
                    + text.substring(0, Math.min(text.length(), 500)));
        }
    }

    private TensorData[] launch(
            SampleCall call,
            OpKind.Computed kind,
            Site site,
            TensorMeta[] metas,
            DeviceMesh mesh,
            Strategy strategy,
            Random random) {
        TensorData[] inputs = tensors(site);
        int n = mesh.size();
        Kernel kernel = device(mesh, 0).backend().kernel(kind.recipe().apply(site, metas));
        Layout[] layouts = new Layout[metas.length];
        TensorData[] results = new TensorData[metas.length];
        for (int o = 0; o < metas.length; o++) {
            layouts[o] = Layout.of(mesh, strategy.outputs()[o]);
            results[o] = dt.dispatcher().copies().empty(metas[o].shape(), metas[o].dtype(), layouts[o]);
        }
        int written = call.mutatedInput();
        if (written >= 0) {
            SampleCall.Input self = call.inputs().get(written);
            results[0] = strategy.inputs()[written].equals(strategy.outputs()[0])
                    ? inputs[written]
                    : Parts.laidOut(dt, self.value(), self.dtype(), layouts[0], random)
                            .data();
        }
        int[] owners = new int[n];
        Arrays.setAll(owners, p -> p);
        Device[][] sharers = new Device[n][];
        Arrays.setAll(sharers, p -> new Device[] {device(mesh, p)});
        Prepared prepared = new Prepared(
                new Layout[inputs.length], metas, layouts, kernel, owners, sharers, null, false, new long[n]);
        Object[] arguments = kind.arguments().apply(site);
        for (int p = 0; p < n; p++) {
            int position = p;
            LocalShard[] in = shards(inputs, position);
            LocalShard[] out = shards(results, position);
            session.submit(new KernelInstruction(
                    device(mesh, p),
                    new CallOrigin(call.op(), site.args(), () -> ""),
                    prepared,
                    kind,
                    site,
                    arguments,
                    in,
                    out,
                    p,
                    inputs));
        }
        return results;
    }

    private static LocalShard[] shards(TensorData[] tensors, int position) {
        return Arrays.stream(tensors)
                .map(t -> t == null ? null : t.shard(position))
                .toArray(LocalShard[]::new);
    }

    private TensorData[] look(OpKind.View kind, Site site, TensorMeta[] metas, DeviceMesh mesh, Strategy strategy) {
        TensorData[] results = new TensorData[metas.length];
        TensorData input = (TensorData) site.args()[0];
        for (int o = 0; o < results.length; o++) {
            Layout layout = Layout.of(mesh, strategy.outputs()[o]);
            LocalShard[] shards = new LocalShard[mesh.size()];
            for (int p = 0; p < shards.length; p++) {
                LocalShard in = input.shard(p);
                StridedView local = kind.local()
                        .apply(
                                new StridedView(in.offset(), in.sizes(), in.strides()),
                                layout.localShape(metas[o].shape(), p).toArray(),
                                site,
                                o);
                shards[p] = in.view(local.offset(), local.sizes(), local.strides());
            }
            input.storage().retain();
            results[o] = new TensorData(metas[o].shape(), metas[o].dtype(), layout, Storage.of(shards), shards);
        }
        return results;
    }

    private Device device(DeviceMesh mesh, int position) {
        return session.device(mesh.deviceType(), mesh.id(position));
    }

    private static TensorData[] tensors(Site site) {
        List<TensorData> tensors = new ArrayList<>();
        for (int i = 0; i < site.args().length; i++) {
            switch (site.args()[i]) {
                case TensorData t -> tensors.add(t);
                case Value[] list -> Arrays.stream(list).forEach(v -> tensors.add((TensorData) v));
                case null -> {
                    if (site.op().schema().params().get(i).type() == org.dtorch.op.Param.Type.TENSOR) {
                        tensors.add(null);
                    }
                }
                default -> {}
            }
        }
        return tensors.toArray(TensorData[]::new);
    }
}
