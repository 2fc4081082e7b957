package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.dtorch.backend.Kernel;
import org.dtorch.comm.Communicator;
import org.dtorch.comm.Group;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Chunk;
import org.dtorch.recipe.Recipe;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Storage;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * Attention over a sequence that is sharded on one or two mesh dimensions.
 *
 * <p>On the Ulysses dimension an all-to-all trades the sequence for heads, and back at the end. On the ring dimension keys
 * and values travel: a device holds its own block and the one that its neighbour sent, joins each block's result by its
 * log-sum-exp, and never sees all keys. Every block knows the positions of its tokens, so causal masks are right for any
 * order and for both dimensions together; a block whose keys all lie behind the queries is passed on without being
 * computed.
 *
 * <p>Sources: DeepSpeed Ulysses (arXiv:2309.14509), Ring Attention (arXiv:2310.01889).
 */
public final class ContextAttention {
    private static final int HEADS = 1;
    private static final int SEQUENCE = 2;
    private static final Recipe ATTENTION = new Recipe.Named("attention");
    private static final Recipe MERGE = new Recipe.Named("attention_merge");
    private static final Recipe SELECT = new Recipe.Named("index_select");

    private final Session session;
    private final Supplier<String> scriptLine;

    ContextAttention(Session session, Supplier<String> scriptLine) {
        this.session = session;
        this.scriptLine = scriptLine;
    }

    /**
     * What to compute.
     *
     * @param ulysses the mesh dimension that exchanges heads, or -1
     * @param ring the mesh dimension around which blocks travel, or -1
     * @param scale what products are multiplied with
     * @param causal whether a query sees only keys at its position and before
     * @param order in which order the tokens lie
     */
    public record Plan(int ulysses, int ring, double scale, boolean causal, SequenceOrder order) {}

    /**
     * The attention output, laid out as the queries.
     *
     * @param query [N, H, L, E] sharded on dim 2 over the mesh dimensions of the plan
     * @param key [N, K, S, E] likewise, H a multiple of K; on the other mesh dimensions laid out as the queries
     * @param value [N, K, S, F] laid out as the keys
     * @param mask null, or a replicated tensor that broadcasts to [N, H, L, S], by the tokens' positions in the sequence
     */
    public TensorData run(TensorData query, TensorData key, TensorData value, TensorData mask, Plan plan) {
        for (TensorData input : new TensorData[] {query, key, value, mask}) {
            if (input != null) {
                input.requireFresh();
            }
        }
        Call call = new Call(query, key, value, mask, plan);
        DeviceMesh mesh = query.layout().mesh();
        LocalShard[] q = call.toHeads(query);
        LocalShard[] k = call.toHeads(key);
        LocalShard[] v = call.toHeads(value);
        LocalShard[] out = new LocalShard[mesh.size()];
        if (plan.ring() < 0) {
            for (int p = 0; p < out.length; p++) {
                if (call.works(p)) {
                    LocalShard[] block = call.block(p, q[p], k[p], v[p], p);
                    out[p] = block[0];
                    block[1].buffer().release();
                }
            }
        } else {
            for (int[] ring : mesh.groups(plan.ring())) {
                if (call.works(ring[0])) {
                    call.ring(ring, q, k, v, out);
                }
            }
        }
        call.release(q, query);
        call.release(k, key);
        call.release(v, value);
        return call.toSequence(out);
    }

    /** One call: where everything lies. */
    private final class Call {
        private final TensorData query;
        private final TensorData key;
        private final TensorData value;
        private final TensorData mask;
        private final Plan plan;
        private final DeviceMesh mesh;
        private final Origin origin;
        private final long[] queryPositions;
        private final long[] keyPositions;

        Call(TensorData query, TensorData key, TensorData value, TensorData mask, Plan plan) {
            this.query = query;
            this.key = key;
            this.value = value;
            this.mask = mask;
            this.plan = plan;
            this.mesh = query.layout().mesh();
            int devices = (plan.ulysses() < 0 ? 1 : mesh.dimSize(plan.ulysses()))
                    * (plan.ring() < 0 ? 1 : mesh.dimSize(plan.ring()));
            this.queryPositions = plan.order().positions(query.shape().size(SEQUENCE), devices);
            this.keyPositions = plan.order().positions(key.shape().size(SEQUENCE), devices);
            this.origin = new IssuedOrigin(scriptLine) {
                @Override
                public String operator() {
                    return "scaled_dot_product_attention";
                }

                @Override
                public String description() {
                    return query.describe() + ", " + key.describe() + ", " + value.describe() + " on " + mesh;
                }
            };
            if (plan.ulysses() >= 0) {
                checkHeads(query, "query");
                checkHeads(key, "key and value");
            }
        }

        private void checkHeads(TensorData t, String what) {
            int u = mesh.dimSize(plan.ulysses());
            for (int p = 0; p < mesh.size(); p++) {
                long heads = t.layout().localShape(t.shape(), p).size(HEADS);
                if (heads % u != 0) {
                    throw DTorchError.assertion(
                            "scaled_dot_product_attention: the %d heads of %s on each device cannot be split over %d Ulysses"
                                    + " devices; their number must be a multiple of %d: %s on %s",
                            heads, what, u, u, t.describe(), mesh);
                }
            }
        }

        /** Whether a position computes, or holds what the first of its replicas computed. */
        boolean works(int position) {
            return owner(position) == position;
        }

        private int owner(int position) {
            int owner = position;
            for (int m = 0; m < mesh.ndim() && session.sharesReplicas(); m++) {
                if (query.layout().isReplicatedOn(m)) {
                    owner = mesh.withCoordinate(owner, m, 0);
                }
            }
            return owner;
        }

        /** The devices that hold what a position computes. */
        private Device[] sharers(int position) {
            List<Device> devices = new ArrayList<>();
            for (int p = 0; p < mesh.size(); p++) {
                if (owner(p) == position) {
                    devices.add(device(p));
                }
            }
            return devices.toArray(Device[]::new);
        }

        private Device device(int position) {
            return session.device(mesh.deviceType(), mesh.id(position));
        }

        private LocalShard empty(int position, DType dtype, long... sizes) {
            return LocalShard.allocateShared(sharers(position), dtype, sizes);
        }

        /** Shards with all tokens of the Ulysses group and its part of the heads. */
        LocalShard[] toHeads(TensorData t) {
            LocalShard[] shards = new LocalShard[mesh.size()];
            for (int p = 0; p < shards.length; p++) {
                shards[p] = t.shard(p);
            }
            if (plan.ulysses() < 0) {
                return shards;
            }
            LocalShard[] out = new LocalShard[mesh.size()];
            for (int[] group : mesh.groups(plan.ulysses())) {
                if (works(group[0])) {
                    long tokens = 0;
                    for (int p : group) {
                        tokens += shards[p].sizes()[SEQUENCE];
                    }
                    for (int r = 0; r < group.length; r++) {
                        long[] sizes = shards[group[r]].sizes().clone();
                        sizes[HEADS] =
                                Chunk.whole(sizes[HEADS]).cut(group.length, r).size();
                        sizes[SEQUENCE] = tokens;
                        out[group[r]] = empty(group[r], t.dtype(), sizes);
                    }
                    exchange(group, shards, out, SEQUENCE, HEADS);
                }
            }
            return out;
        }

        private void exchange(int[] group, LocalShard[] from, LocalShard[] to, int fromDim, int toDim) {
            Communicator communicator = session.communicator();
            Group members = group(group, plan.ulysses());
            session.submit(new CollectiveInstruction(
                    devices(group),
                    origin,
                    at(group, from),
                    at(group, to),
                    (in, out) -> communicator.allToAll(members, fromDim, toDim, in, out)));
        }

        /** The result with the tokens and heads where the queries had them. */
        TensorData toSequence(LocalShard[] computed) {
            LocalShard[] shards = computed;
            if (plan.ulysses() >= 0) {
                shards = new LocalShard[mesh.size()];
                for (int[] group : mesh.groups(plan.ulysses())) {
                    if (works(group[0])) {
                        for (int p : group) {
                            long[] sizes = query.shard(p).sizes().clone();
                            sizes[3] = value.shape().size(3);
                            shards[p] = empty(p, query.dtype(), sizes);
                        }
                        exchange(group, computed, shards, HEADS, SEQUENCE);
                        releaseAll(at(group, computed));
                    }
                }
            }
            for (int p = 0; p < shards.length; p++) {
                shards[p] = shards[p] == null ? shards[owner(p)] : shards[p];
            }
            return new TensorData(
                    query.shape().with(3, value.shape().size(3)),
                    query.dtype(),
                    query.layout(),
                    Storage.of(shards),
                    shards);
        }

        /** Passes keys and values around once; out[p] is the result of device p. */
        void ring(int[] ring, LocalShard[] q, LocalShard[] k, LocalShard[] v, LocalShard[] out) {
            int n = ring.length;
            LocalShard[][] result = new LocalShard[n][];
            LocalShard[] keys = at(ring, k);
            LocalShard[] values = at(ring, v);
            for (int step = 0; step < n; step++) {
                if (step > 0) {
                    LocalShard[] nextKeys = shifted(ring, keys, k);
                    LocalShard[] nextValues = shifted(ring, values, v);
                    pass(ring, keys, values, nextKeys, nextValues);
                    if (step > 1) {
                        releaseAll(keys);
                        releaseAll(values);
                    }
                    keys = nextKeys;
                    values = nextValues;
                }
                for (int r = 0; r < n; r++) {
                    int source = ring[Math.floorMod(r - step, n)];
                    if (plan.causal() && !someKeySeen(ring[r], source)) {
                        continue;
                    }
                    LocalShard[] block = block(ring[r], q[ring[r]], keys[r], values[r], source);
                    result[r] = result[r] == null ? block : merged(ring[r], result[r], block);
                }
            }
            if (n > 1) {
                releaseAll(keys);
                releaseAll(values);
            }
            for (int r = 0; r < n; r++) {
                if (result[r] == null) {
                    result[r] = block(ring[r], q[ring[r]], k[ring[r]], v[ring[r]], ring[r]);
                }
                out[ring[r]] = result[r][0];
                result[r][1].buffer().release();
            }
        }

        /** Room on each device for the block that its neighbour holds. */
        private LocalShard[] shifted(int[] ring, LocalShard[] current, LocalShard[] all) {
            LocalShard[] next = new LocalShard[ring.length];
            for (int r = 0; r < next.length; r++) {
                LocalShard coming = current[Math.floorMod(r - 1, ring.length)];
                next[r] = empty(ring[r], coming.dtype(), coming.sizes());
            }
            return next;
        }

        private void pass(
                int[] ring, LocalShard[] keys, LocalShard[] values, LocalShard[] nextKeys, LocalShard[] nextValues) {
            int n = ring.length;
            Group members = group(ring, plan.ring());
            Communicator communicator = session.communicator();
            LocalShard[] from = concat(keys, values);
            LocalShard[] to = concat(nextKeys, nextValues);
            session.submit(new CollectiveInstruction(devices(ring), origin, from, to, (in, out) -> {
                Communicator.Move[] moves = new Communicator.Move[2 * n];
                for (int r = 0; r < n; r++) {
                    int next = (r + 1) % n;
                    moves[2 * r] = new Communicator.Move(r, next, in[r], out[next]);
                    moves[2 * r + 1] = new Communicator.Move(r, next, in[n + r], out[n + next]);
                }
                communicator.move(members, moves);
            }));
        }

        private boolean someKeySeen(int queries, int keys) {
            long last = Arrays.stream(positionsAt(query, queryPositions, queries))
                    .max()
                    .orElse(-1);
            long first =
                    Arrays.stream(positionsAt(key, keyPositions, keys)).min().orElse(Long.MAX_VALUE);
            return first <= last;
        }

        /** The positions of the tokens that a device holds after the exchange of heads, in their order. */
        private long[] positionsAt(TensorData t, long[] positions, int position) {
            long length = t.shape().size(SEQUENCE);
            if (plan.ulysses() < 0) {
                return range(positions, t.layout().localChunk(length, SEQUENCE, position));
            }
            long[] all = new long[positions.length];
            int n = 0;
            for (int u = 0; u < mesh.dimSize(plan.ulysses()); u++) {
                int member = mesh.withCoordinate(position, plan.ulysses(), u);
                long[] part = range(positions, t.layout().localChunk(length, SEQUENCE, member));
                System.arraycopy(part, 0, all, n, part.length);
                n += part.length;
            }
            return Arrays.copyOf(all, n);
        }

        private static long[] range(long[] positions, Chunk chunk) {
            return Arrays.copyOfRange(positions, (int) chunk.offset(), (int) chunk.end());
        }

        /** Output and log-sum-exp of the queries at a position over the block of keys that came from another. */
        LocalShard[] block(int at, LocalShard q, LocalShard k, LocalShard v, int keySource) {
            long[] sizes = q.sizes();
            LocalShard out = empty(at, q.dtype(), sizes[0], sizes[1], sizes[2], v.sizes()[3]);
            DType lseDType = q.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
            LocalShard lse = empty(at, lseDType, sizes[0], sizes[1], sizes[2]);
            long[] queries = positionsAt(query, queryPositions, at);
            long[] keys = positionsAt(key, keyPositions, keySource);
            LocalShard masked = mask == null ? null : maskBlock(at, queries, keys);
            Object[] args = {plan.scale(), plan.causal(), plan.causal() ? queries : null, plan.causal() ? keys : null};
            submit(at, ATTENTION, new LocalShard[] {q, k, v, masked}, new LocalShard[] {out, lse}, args);
            if (masked != null) {
                masked.buffer().release();
            }
            return new LocalShard[] {out, lse};
        }

        private LocalShard[] merged(int at, LocalShard[] a, LocalShard[] b) {
            LocalShard out = empty(at, a[0].dtype(), a[0].sizes());
            LocalShard lse = empty(at, a[1].dtype(), a[1].sizes());
            submit(at, MERGE, new LocalShard[] {a[0], a[1], b[0], b[1]}, new LocalShard[] {out, lse}, new Object[0]);
            releaseAll(a);
            releaseAll(b);
            return new LocalShard[] {out, lse};
        }

        /** The rows and columns of the mask that a block needs, for the batch and heads of {@code at}. */
        private LocalShard maskBlock(int at, long[] queries, long[] keys) {
            LocalShard whole = mask.shard(at);
            int lead = 4 - whole.sizes().length;
            long[] sizes = {1, 1, 1, 1};
            long[] strides = new long[4];
            for (int d = lead; d < 4; d++) {
                sizes[d] = whole.sizes()[d - lead];
                strides[d] = sizes[d] == 1 ? 0 : whole.strides()[d - lead];
            }
            long offset = whole.offset();
            for (int d = 0; d < SEQUENCE; d++) {
                Chunk own = query.layout().localChunk(query.shape().size(d), d, at);
                if (d == HEADS && plan.ulysses() >= 0) {
                    own = own.cut(mesh.dimSize(plan.ulysses()), mesh.coordinate(at, plan.ulysses()));
                }
                if (sizes[d] != 1) {
                    offset += own.offset() * strides[d];
                    sizes[d] = own.size();
                }
            }
            LocalShard block = whole.view(offset, sizes, strides);
            LocalShard rows = sizes[2] == 1 ? block : selected(at, block, 2, queries);
            LocalShard both = sizes[3] == 1 ? rows : selected(at, rows, 3, keys);
            if (rows != block && rows != both) {
                rows.buffer().release();
            }
            if (both == block) {
                block.buffer().retain();
            }
            return both;
        }

        private LocalShard selected(int at, LocalShard from, int dim, long[] indices) {
            LocalShard index = empty(at, DType.INT64, indices.length);
            session.submit(new WriteInstruction(device(at), origin, index, MemorySegment.ofArray(indices)));
            long[] sizes = from.sizes().clone();
            sizes[dim] = indices.length;
            LocalShard out = empty(at, from.dtype(), sizes);
            submit(at, SELECT, new LocalShard[] {from, index}, new LocalShard[] {out}, new Object[] {(long) dim});
            index.buffer().release();
            return out;
        }

        private void submit(int at, Recipe recipe, LocalShard[] in, LocalShard[] out, Object[] args) {
            Kernel kernel = device(at).backend().kernel(recipe);
            long nanos = recipe == ATTENTION ? attentionNanos(in[0], in[1]) : Shards.nanos(out);
            session.submit(new NamedInstruction(device(at), origin, kernel, nanos, in, out, args));
        }

        /** Two products of queries and keys, at about ten operations in a nanosecond. */
        private static long attentionNanos(LocalShard q, LocalShard k) {
            return q.numel() * k.sizes()[SEQUENCE] * 4 / 10;
        }

        private Group group(int[] positions, int meshDim) {
            int[] ids = new int[positions.length];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = mesh.id(positions[i]);
            }
            return new Group(
                    ids,
                    mesh.dimNames().isEmpty()
                            ? "dim" + meshDim
                            : mesh.dimNames().get(meshDim));
        }

        private Device[] devices(int[] positions) {
            Device[] devices = new Device[positions.length];
            for (int i = 0; i < devices.length; i++) {
                devices[i] = device(positions[i]);
            }
            return devices;
        }

        /** Gives up shards that the exchange made; those of the tensor itself are not ours. */
        void release(LocalShard[] shards, TensorData tensor) {
            for (int p = 0; p < shards.length; p++) {
                if (shards[p] != null && shards[p] != tensor.shard(p)) {
                    shards[p].buffer().release();
                }
            }
        }
    }

    private static LocalShard[] at(int[] positions, LocalShard[] shards) {
        LocalShard[] some = new LocalShard[positions.length];
        for (int i = 0; i < some.length; i++) {
            some[i] = shards[positions[i]];
        }
        return some;
    }

    private static LocalShard[] concat(LocalShard[] a, LocalShard[] b) {
        LocalShard[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    private static void releaseAll(LocalShard[] shards) {
        for (LocalShard shard : shards) {
            shard.buffer().release();
        }
    }
}
