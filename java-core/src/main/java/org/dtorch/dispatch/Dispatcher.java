package org.dtorch.dispatch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.op.CreationOptions;
import org.dtorch.op.Op;
import org.dtorch.op.OpKind;
import org.dtorch.op.OpKind.RandomDraw;
import org.dtorch.op.OpTable;
import org.dtorch.op.Param;
import org.dtorch.op.Site;
import org.dtorch.op.StridedView;
import org.dtorch.op.TensorMeta;
import org.dtorch.op.Value;
import org.dtorch.placement.Layout;
import org.dtorch.random.Generator;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Storage;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/**
 * Runs operators: {@link #call} is the one way from any caller to the devices.
 *
 * <p>A call is checked and planned on the caller's thread (once for each {@link CallKey}); what a user got wrong raises
 * here. Then one instruction goes to every device that computes a different part of the result; an error inside one
 * surfaces when the result is awaited.
 */
public final class Dispatcher {
    private static final int CACHED_CALLS = 8192;

    private final Session session;
    private final Preparer preparer;
    private final Redistributor redistributor;
    private final ContextAttention contextAttention;
    private final HostCopies copies;
    private final RandomFill random;
    private final BoundedCache<CallKey, Prepared> cache = new BoundedCache<>(CACHED_CALLS);
    private final Supplier<String> scriptLine;
    private volatile boolean strict;

    /**
     * @param scriptLine gives the line of the script that is being run, for errors; empty if there is none
     */
    public Dispatcher(Session session, Supplier<String> scriptLine) {
        this.session = session;
        this.scriptLine = scriptLine;
        this.preparer = new Preparer(session);
        this.redistributor = new Redistributor(session, scriptLine);
        this.contextAttention = new ContextAttention(session, scriptLine);
        this.copies = new HostCopies(session);
        this.random = new RandomFill(copies);
        this.strict = session.settings().placementMode().equals("strict");
    }

    public Session session() {
        return session;
    }

    public Redistributor redistributor() {
        return redistributor;
    }

    public ContextAttention contextAttention() {
        return contextAttention;
    }

    public HostCopies copies() {
        return copies;
    }

    public RandomFill random() {
        return random;
    }

    /** Whether operators refuse placements that would need a redistribution. */
    public boolean isStrict() {
        return strict;
    }

    public void setStrict(boolean value) {
        strict = value;
        // Legal placements are part of what is cached.
        cache.clear();
    }

    /** How many calls are prepared, for diagnosis. */
    public int preparedCalls() {
        return cache.size();
    }

    /**
     * Runs one operator.
     *
     * @param args in schema order, complete (see {@link #complete})
     * @return the results, each owned by the caller but for arguments that are returned themselves
     */
    public TensorData[] call(Op op, Object[] args) {
        try {
            return run(op, args);
        } catch (DTorchError e) {
            throw new DTorchError(e.kind(), e.getMessage() + "\n  in " + CallOrigin.describe(op, args), e);
        }
    }

    /** As {@link #call}, for operators inside of another one's composite: an error names the outermost call only. */
    TensorData[] run(Op op, Object[] args) {
        Site site = new Site(op, args);
        try {
            return switch (op.kind()) {
                case OpKind.Computed kind -> computed(site, kind);
                case OpKind.View kind -> views(site, kind);
                case OpKind.Composite kind -> composite(site, kind);
                case OpKind.Created kind -> created(site, kind);
                case OpKind.Random kind -> drawn(site, kind);
            };
        } catch (ClassCastException | NullPointerException e) {
            throw misuse(op, args, e);
        }
    }

    /** Fills in the defaults of missing trailing arguments. */
    public Object[] complete(Op op, Object... args) {
        List<Param> params = op.schema().params();
        if (args.length == params.size()) {
            return args;
        }
        Object[] complete = Arrays.copyOf(args, params.size());
        for (int i = args.length; i < complete.length; i++) {
            if (params.get(i).isRequired()) {
                throw DTorchError.type(
                        "%s() missing required argument '%s': %s",
                        op.name(), params.get(i).name(), op.schema().text());
            }
            complete[i] = params.get(i).fallback();
        }
        return complete;
    }

    /** An argument of the wrong type becomes a TypeError; anything else is a fault of ours and stays as it is. */
    private static RuntimeException misuse(Op op, Object[] args, RuntimeException e) {
        List<Param> params = op.schema().params();
        for (int i = 0; i < params.size(); i++) {
            Param param = params.get(i);
            if (!param.type().accepts(args[i], param.optional())) {
                return DTorchError.type(
                        "%s(): argument '%s' must be %s, not %s",
                        op.name(),
                        param.name(),
                        param.type().spelling(),
                        args[i] == null ? "None" : args[i].getClass().getSimpleName());
            }
        }
        return e;
    }

    private TensorData[] composite(Site site, OpKind.Composite kind) {
        Frame frame = new Frame(this);
        Value[] results = new Value[0];
        try {
            results = kind.body().apply(frame, site);
        } finally {
            frame.release(results);
        }
        TensorData[] out = new TensorData[results.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = (TensorData) results[i];
        }
        return out;
    }

    private TensorData[] computed(Site site, OpKind.Computed kind) {
        Op op = site.op();
        TensorData[] given = tensors(op, site.args());
        for (TensorData input : given) {
            if (input != null) {
                input.requireFresh();
            }
        }
        DeviceMesh mesh = Meshes.common(op, given, strict);
        Prepared prepared = cache.get(CallKey.of(op, site), key -> preparer.computed(site, kind, given, mesh, strict));
        Object[] arguments = kind.arguments().apply(site);
        CallOrigin origin = new CallOrigin(op, site.args(), scriptLine);
        TensorData self = op.mutatedParam() < 0 ? null : (TensorData) site.args()[op.mutatedParam()];
        if (self != null) {
            refuseLostWrite(self, site);
        }
        TensorData[] inputs = dense(site, kind, prepared.moves() ? moved(given, prepared) : given, given);
        int outputs = prepared.metas().length;
        LocalShard[][] results = new LocalShard[outputs][prepared.owners().length];
        for (int p = 0; p < prepared.owners().length; p++) {
            int owner = prepared.owners()[p];
            if (owner != p) {
                for (int o = 0; o < outputs; o++) {
                    results[o][p] = results[o][owner];
                }
                continue;
            }
            LocalShard[] in = new LocalShard[inputs.length];
            boolean ours = true;
            for (int i = 0; i < in.length; i++) {
                if (inputs[i] != null) {
                    in[i] = inputs[i].shard(p);
                    ours &= in[i] != null;
                }
            }
            if (!ours) {
                continue;
            }
            LocalShard[] out = new LocalShard[outputs];
            for (int o = 0; o < outputs; o++) {
                out[o] = self != null
                        ? self.shard(p)
                        : LocalShard.allocateShared(
                                prepared.sharers()[p], prepared.metas()[o].dtype(), prepared.localSizes()[o][p]);
                results[o][p] = out[o];
            }
            session.submit(new KernelInstruction(
                    prepared.sharers()[p][0], origin, prepared, kind, site, arguments, in, out, p, inputs));
        }
        release(inputs, given);
        if (self != null) {
            self.storage().bumpVersion();
            return new TensorData[] {self};
        }
        TensorData[] made = new TensorData[outputs];
        for (int o = 0; o < outputs; o++) {
            made[o] = owning(prepared, o, results[o]);
        }
        return made;
    }

    private TensorData owning(Prepared prepared, int output, LocalShard[] shards) {
        return new TensorData(
                prepared.metas()[output].shape(),
                prepared.metas()[output].dtype(),
                prepared.outputs()[output],
                Storage.of(shards),
                shards);
    }

    private static boolean overlapsItself(LocalShard shard) {
        for (int d = 0; d < shard.rank(); d++) {
            if (shard.strides()[d] == 0 && shard.sizes()[d] > 1) {
                return true;
            }
        }
        return false;
    }

    private static void refuseLostWrite(TensorData self, Site site) {
        if (self.isCopiedView()) {
            throw DTorchError.runtime(
                    "%s: the tensor is a view of a sharded dimension, which was gathered into a copy, so a write would not"
                            + " reach its base; write to the base by index instead",
                    site.op().name());
        }
        for (LocalShard shard : self.shards()) {
            if (shard != null && overlapsItself(shard)) {
                throw DTorchError.runtime(
                        "unsupported operation: more than one element of the written-to tensor refers to a single memory"
                                + " location. Please clone() the tensor before performing the operation. (%s)",
                        site.op().name());
            }
        }
    }

    private TensorData[] moved(TensorData[] given, Prepared prepared) {
        TensorData[] moved = given.clone();
        for (int i = 0; i < moved.length; i++) {
            if (prepared.inputs()[i] != null) {
                moved[i] = redistributor.forOperand(given[i], prepared.inputs()[i]);
            }
        }
        return moved;
    }

    /** The inputs with dense copies of those that the kernel can only take dense. */
    private TensorData[] dense(Site site, OpKind.Computed kind, TensorData[] inputs, TensorData[] given) {
        TensorData[] ready = inputs;
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] != null && kind.needsDense().test(site, i) && !inputs[i].isDense()) {
                ready = ready == inputs ? inputs.clone() : ready;
                ready[i] = contiguous(inputs[i]);
                if (inputs[i] != given[i]) {
                    inputs[i].release();
                }
            }
        }
        return ready;
    }

    private static void release(TensorData[] moved, TensorData[] given) {
        for (int i = 0; i < moved.length; i++) {
            if (moved[i] != given[i]) {
                moved[i].release();
            }
        }
    }

    private TensorData[] views(Site site, OpKind.View kind) {
        TensorData input = (TensorData) site.args()[0];
        input.requireFresh();
        Prepared prepared = cache.get(CallKey.of(site.op(), site), key -> preparer.view(site, kind, input, strict));
        TensorData source = prepared.moves() ? redistributor.forOperand(input, prepared.inputs()[0]) : input;
        TensorData.Copy copy = source != input || input.isCopiedView() ? TensorData.Copy.of(input) : null;
        try {
            TensorData[] out = new TensorData[prepared.metas().length];
            for (int o = 0; o < out.length; o++) {
                LocalShard[] shards = localViews(site, kind, prepared, source, o);
                if (shards == null) {
                    TensorData dense = contiguous(source);
                    LocalShard[] again = localViews(site, kind, prepared, dense, o);
                    out[o] = view(prepared, o, dense, again, copy);
                    dense.release();
                } else {
                    out[o] = view(prepared, o, source, shards, copy);
                }
            }
            return out;
        } finally {
            if (source != input) {
                source.release();
            }
        }
    }

    private static TensorData view(
            Prepared prepared, int o, TensorData base, LocalShard[] shards, TensorData.Copy copy) {
        base.storage().retain();
        return new TensorData(
                prepared.metas()[o].shape(),
                prepared.metas()[o].dtype(),
                prepared.outputs()[o],
                base.storage(),
                shards,
                copy);
    }

    /** The views of all shards, or null where strides cannot express one. */
    private static LocalShard[] localViews(
            Site site, OpKind.View kind, Prepared prepared, TensorData source, int output) {
        LocalShard[] shards = new LocalShard[prepared.owners().length];
        for (int p = 0; p < shards.length; p++) {
            int owner = prepared.owners()[p];
            LocalShard in = source.shard(p);
            if (owner != p) {
                shards[p] = shards[owner];
            } else if (in != null) {
                StridedView local = kind.local()
                        .apply(
                                new StridedView(in.offset(), in.sizes(), in.strides()),
                                prepared.localSizes()[output][p],
                                site,
                                output);
                if (local == null) {
                    return null;
                }
                shards[p] = in.view(local.offset(), local.sizes(), local.strides());
            }
        }
        return shards;
    }

    /** A dense copy with the same layout. */
    private TensorData contiguous(TensorData source) {
        return run(OpTable.get("clone"), new Object[] {source})[0];
    }

    private TensorData[] created(Site site, OpKind.Created kind) {
        Layout wanted = options(site).layout();
        Layout whole = withoutPartials(wanted);
        Prepared prepared = cache.get(CallKey.of(site.op(), site), key -> preparer.created(site, kind, whole));
        Object[] arguments = kind.arguments().apply(site);
        CallOrigin origin = new CallOrigin(site.op(), site.args(), scriptLine);
        LocalShard[] shards = new LocalShard[whole.mesh().size()];
        for (int p = 0; p < shards.length; p++) {
            int owner = prepared.owners()[p];
            if (owner != p) {
                shards[p] = shards[owner];
            } else {
                Device[] sharers = prepared.sharers()[p];
                shards[p] =
                        LocalShard.allocateShared(sharers, prepared.metas()[0].dtype(), prepared.localSizes()[0][p]);
                session.submit(new CreationInstruction(sharers[0], origin, prepared, arguments, shards[p], p));
            }
        }
        TensorData made = owning(prepared, 0, shards);
        return new TensorData[] {as(made, wanted.normalized(made.shape().rank()))};
    }

    private TensorData[] drawn(Site site, OpKind.Random kind) {
        TensorMeta meta = kind.infer().apply(site)[0];
        RandomDraw draw = kind.draw().apply(site);
        Generator source = (Generator) site.arg("generator");
        CallOrigin origin = new CallOrigin(site.op(), site.args(), scriptLine);
        if (site.op().mutatedParam() >= 0) {
            TensorData self = (TensorData) site.args()[site.op().mutatedParam()];
            redraw(draw, source, self, site, origin);
            return new TensorData[] {self};
        }
        Layout wanted = options(site).layout();
        wanted.checkFits(meta.shape());
        Layout normalized = wanted.normalized(meta.shape().rank());
        TensorData drawn = random.create(draw, source, meta, withoutPartials(normalized), origin);
        return new TensorData[] {as(drawn, normalized)};
    }

    /** Random numbers into an existing tensor; a partial one gets them on the first device of the mesh dimension. */
    private void redraw(RandomDraw draw, Generator source, TensorData self, Site site, CallOrigin origin) {
        refuseLostWrite(self, site);
        if (!self.layout().hasPartial()) {
            random.fill(draw, source, self, origin);
            return;
        }
        TensorMeta meta = new TensorMeta(self.shape(), self.dtype());
        TensorData drawn = random.create(draw, source, meta, withoutPartials(self.layout()), origin);
        TensorData masked = as(drawn, self.layout());
        run(OpTable.get("copy_"), complete(OpTable.get("copy_"), self, masked));
        masked.release();
    }

    /** The value of a tensor of one element, waiting for it. */
    long readLong(TensorData value) {
        try (Arena arena = Arena.ofConfined()) {
            return HostElements.get(toHost(value, arena), 0, value.dtype()).toLong();
        }
    }

    /** The global value in row-major order, partial results joined; waits for it. */
    public MemorySegment toHost(TensorData tensor, Arena arena) {
        tensor.requireFresh();
        if (!tensor.layout().hasPartial()) {
            return copies.read(tensor, arena);
        }
        TensorData joined = redistributor.redistribute(tensor, withoutPartials(tensor.layout()));
        try {
            return copies.read(joined, arena);
        } finally {
            joined.release();
        }
    }

    /** A tensor with the values of dense host memory in row-major order; returns when they are copied. */
    public TensorData fromHost(MemorySegment values, Shape shape, DType dtype, Layout layout) {
        layout.checkFits(shape);
        Layout whole = withoutPartials(layout.normalized(shape.rank()));
        TensorData made = copies.empty(shape, dtype, whole);
        copies.write(made, Origin.of("from host memory"), sink -> sink.accept(0, values));
        return as(made, layout.normalized(shape.rank()));
    }

    /** A created value under its declared placements: a partial one lies on the first device of the mesh dimension. */
    private TensorData as(TensorData made, Layout wanted) {
        if (made.layout().equals(wanted)) {
            return made;
        }
        TensorData masked = redistributor.redistribute(made, wanted);
        made.release();
        return masked;
    }

    private static Layout withoutPartials(Layout layout) {
        Layout whole = layout;
        for (int m = 0; m < layout.mesh().ndim(); m++) {
            if (layout.placement(m).isPartial()) {
                whole = whole.with(m, org.dtorch.placement.Placement.replicate());
            }
        }
        return whole;
    }

    private static CreationOptions options(Site site) {
        return (CreationOptions) site.arg("options");
    }

    /** The tensors among the arguments in schema order; an absent optional one is null, lists are laid flat. */
    private static TensorData[] tensors(Op op, Object[] args) {
        List<Param> params = op.schema().params();
        int count = 0;
        for (int i = 0; i < args.length; i++) {
            if (args[i] instanceof Value[] list) {
                count += list.length;
            } else if (args[i] instanceof Value
                    || (args[i] == null && params.get(i).type() == Param.Type.TENSOR)) {
                count++;
            }
        }
        TensorData[] tensors = new TensorData[count];
        int n = 0;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case TensorData t -> tensors[n++] = t;
                case Value[] list -> {
                    for (Value v : list) {
                        tensors[n++] = (TensorData) v;
                    }
                }
                case null -> n += params.get(i).type() == Param.Type.TENSOR ? 1 : 0;
                default -> {}
            }
        }
        return tensors;
    }
}
