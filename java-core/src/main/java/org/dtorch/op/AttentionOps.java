package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;

import java.util.Arrays;
import org.dtorch.backend.Operand;
import org.dtorch.placement.Layout;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Attention and what belongs to it. */
public final class AttentionOps {
    private static final int HEADS = 1;

    private AttentionOps() {}

    public static final Op ATTENTION = kernel(
                    "attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, bool is_causal=False, float?"
                            + " scale=None, int[]? query_positions=None, int[]? key_positions=None) -> (Tensor out, Tensor"
                            + " lse)")
            .doc(
                    "softmax(query @ key^T * scale + mask) @ value over [N, H, L, E] in blocks, and the log-sum-exp of each"
                            + " row; heads of key and value may be shared by groups of query heads.")
            .infer(AttentionOps::infer)
            .rule(AttentionOps::rule)
            .kernel("attention")
            .args(AttentionOps::arguments)
            .fit((operands, inputs, site) -> {
                if (operands[3] != null) {
                    long[] q = operands[0].sizes();
                    operands[3] = Fits.broadcast(
                            operands[3],
                            new long[] {q[0], q[1], q[2], operands[1].sizes()[2]});
                }
            })
            .cost(operands -> {
                Operand q = operands[0];
                return q.numel() * (double) operands[1].sizes()[2] / 2;
            })
            .internal("scaled_dot_product_attention brings its operands into this form")
            .samples(
                    Sample.of(
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            Sample.tensor(-1, 1, 2, 2, 6, 8),
                            Sample.tensor(-1, 1, 2, 2, 6, 8)),
                    Sample.of(
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            null,
                            true),
                    Sample.of(
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            Sample.tensor(-1, 1, 2, 4, 6, 8),
                            Sample.tensor(-1, 1, 2, 4, 6, 8),
                            Sample.mask(5, 6)))
            .build();

    public static final Op ATTENTION_MERGE = kernel(
                    "attention_merge(Tensor out_a, Tensor lse_a, Tensor out_b, Tensor lse_b) -> (Tensor out, Tensor lse)")
            .doc("Joins the attention over two disjoint sets of keys.")
            .infer(site -> new TensorMeta[] {
                new TensorMeta(site.shape("out_a"), site.dtype("out_a")),
                new TensorMeta(site.shape("lse_a"), site.dtype("lse_a"))
            })
            .rule((site, outputs) -> {
                int rank = site.shape("out_a").rank();
                int[] out = Rule.whole(Rule.fresh(rank), rank - 1);
                int[] lse = Rule.fresh(rank - 1);
                return Rule.letters(new int[][] {out, lse, out, lse}, new int[][] {out, lse});
            })
            .kernel("attention_merge")
            .internal("attention over a sharded sequence is made of it")
            .samples(Sample.of(
                    Sample.tensor(-1, 1, 2, 4, 5, 8),
                    Sample.tensor(-1, 1, 2, 4, 5),
                    Sample.tensor(-1, 1, 2, 4, 5, 8),
                    Sample.tensor(-1, 1, 2, 4, 5)))
            .build();

    public static final Op SDPA = composite(
                    "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float"
                            + " dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) ->"
                            + " Tensor")
            .doc("Attention of queries [..., H, L, E] to keys [..., K, S, E] and values [..., K, S, F].")
            .is(AttentionOps::sdpa)
            .internal(
                    "nn.functional.scaled_dot_product_attention chooses between it and attention over a sharded sequence")
            .samples(
                    Sample.of(
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            Sample.tensor(-1, 1, 2, 4, 6, 8),
                            Sample.tensor(-1, 1, 2, 4, 6, 8)),
                    Sample.of(
                            Sample.tensor(-1, 1, 4, 5, 8),
                            Sample.tensor(-1, 1, 4, 5, 8),
                            Sample.tensor(-1, 1, 4, 5, 8),
                            null,
                            0.0,
                            true))
            .build();

    public static final Op ROTARY = kernel(
                    "rotary(Tensor self, Tensor cos, Tensor sin, bool interleaved=True) -> Tensor")
            .doc("Rotates pairs of the last dimension of [..., L, D] by angles given as cosines and sines [..., L, D].")
            .infer(site -> {
                Shape x = site.shape("self");
                for (String name : new String[] {"cos", "sin"}) {
                    if (!Shape.broadcast(x, site.shape(name)).equals(x)) {
                        throw DTorchError.layout(
                                "rotary: %s of shape %s does not broadcast to self of shape %s",
                                name, site.shape(name), x);
                    }
                }
                if (x.rank() == 0 || x.size(x.rank() - 1) % 2 != 0) {
                    throw DTorchError.layout("rotary: the last dimension must be even, got shape %s", x);
                }
                return new TensorMeta[] {new TensorMeta(x, site.dtype("self"))};
            })
            .rule((site, out) -> {
                Shape x = site.shape("self");
                int last = x.rank() - 1;
                int[] letters = Rule.whole(Rule.fresh(x.rank()), last);
                int[] cos = PointwiseRow.aligned(site.shape("cos"), x);
                int[] sin = PointwiseRow.aligned(site.shape("sin"), x);
                cos[cos.length - 1] = Rule.WHOLE;
                sin[sin.length - 1] = Rule.WHOLE;
                return Rule.letters(new int[][] {letters, cos, sin}, new int[][] {letters})
                        .linearIn(java.util.List.of(java.util.Set.of(0)), Rule.SUMS);
            })
            .kernel("rotary")
            .args(site -> new Object[] {site.arg("interleaved")})
            .internal("nn.functional._apply_rotary_emb reads its arguments, then calls it")
            .samples(
                    Sample.of(Sample.tensor(-1, 1, 2, 4, 5, 8), Sample.tensor(-1, 1, 5, 8), Sample.tensor(-1, 1, 5, 8)),
                    Sample.of(
                            Sample.tensor(-1, 1, 2, 4, 5, 8),
                            Sample.tensor(-1, 1, 5, 8),
                            Sample.tensor(-1, 1, 5, 8),
                            false))
            .build();

    private static TensorMeta[] infer(Site site) {
        Shape q = site.shape("query");
        Shape k = site.shape("key");
        Shape v = site.shape("value");
        DType dtype = site.dtype("query");
        if (site.dtype("key") != dtype || site.dtype("value") != dtype) {
            throw DTorchError.runtime(
                    "Expected query, key, and value to have the same dtype, but got query.dtype: %s key.dtype: %s and"
                            + " value.dtype: %s instead.",
                    TypeNames.c(dtype), TypeNames.c(site.dtype("key")), TypeNames.c(site.dtype("value")));
        }
        if (!dtype.isFloating()) {
            throw DTorchError.notImplemented("attention not implemented for '%s'", TypeNames.scalar(dtype));
        }
        boolean fits = q.rank() == 4
                && k.rank() == 4
                && v.rank() == 4
                && q.size(0) == k.size(0)
                && k.size(0) == v.size(0)
                && k.size(HEADS) == v.size(HEADS)
                && k.size(2) == v.size(2)
                && q.size(3) == k.size(3)
                && (k.size(HEADS) == 0 ? q.size(HEADS) == 0 : q.size(HEADS) % k.size(HEADS) == 0);
        if (!fits) {
            throw DTorchError.layout(
                    "scaled_dot_product_attention: query %s, key %s and value %s do not fit; expected [N, H, L, E], [N, K, S,"
                            + " E] and [N, K, S, F] with H a multiple of K",
                    q, k, v);
        }
        if (!site.isAbsent("attn_mask")) {
            Shape full = Shape.of(q.size(0), q.size(1), q.size(2), k.size(2));
            Shape mask = site.shape("attn_mask");
            if (!Shape.broadcast(full, mask).equals(full)) {
                throw DTorchError.layout(
                        "scaled_dot_product_attention: attn_mask of shape %s does not broadcast to %s", mask, full);
            }
        }
        DType statistics = dtype == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        return new TensorMeta[] {
            new TensorMeta(q.with(3, v.size(3)), dtype),
            new TensorMeta(Shape.of(q.size(0), q.size(1), q.size(2)), statistics)
        };
    }

    /**
     * Batch and heads may be cut, and queries where there is no causal mask. With grouped heads the cuts of queries and
     * keys fall together only if the devices share the key heads evenly.
     */
    private static Rule rule(Site site, TensorMeta[] outputs) {
        int n = 1;
        int h = headsFallTogether(site) ? 2 : Rule.WHOLE;
        int l = site.flag("is_causal") ? Rule.WHOLE : 3;
        int[] mask = null;
        if (!site.isAbsent("attn_mask")) {
            Shape q = site.shape("query");
            mask = PointwiseRow.aligned(
                    site.shape("attn_mask"),
                    Shape.of(q.size(0), q.size(1), q.size(2), site.shape("key").size(2)));
            int[] names = {n, h, l, Rule.WHOLE};
            for (int d = 0; d < mask.length; d++) {
                mask[d] = mask[d] == Rule.WHOLE ? Rule.WHOLE : names[mask[d] - 1];
            }
        }
        Rule rule = Rule.letters(
                new int[][] {{n, h, l, Rule.WHOLE}, {n, h, Rule.WHOLE, Rule.WHOLE}, {n, h, Rule.WHOLE, Rule.WHOLE}, mask
                },
                new int[][] {{n, h, l, Rule.WHOLE}, {n, h, l}});
        return isGrouped(site) ? rule.whereCutNow() : rule;
    }

    private static boolean isGrouped(Site site) {
        return site.shape("query").size(HEADS) != site.shape("key").size(HEADS);
    }

    private static boolean headsFallTogether(Site site) {
        if (!isGrouped(site)) {
            return true;
        }
        Layout[] layouts = {
            site.tensor("query").layout(),
            site.tensor("key").layout(),
            site.tensor("value").layout()
        };
        long devices = 1;
        for (int m = 0; m < layouts[0].mesh().ndim(); m++) {
            int dim = m;
            boolean cut = Arrays.stream(layouts)
                    .anyMatch(l -> dim < l.mesh().ndim() && l.placement(dim).isShard(HEADS));
            devices *= cut ? layouts[0].mesh().dimSize(m) : 1;
        }
        return site.shape("key").size(HEADS) % devices == 0;
    }

    private static Object[] arguments(Site site) {
        boolean causal = site.flag("is_causal");
        double scale =
                site.isAbsent("scale") ? 1 / Math.sqrt(site.shape("query").size(3)) : site.number("scale");
        return new Object[] {
            scale,
            causal,
            causal ? positions(site, "query_positions", site.shape("query").size(2)) : null,
            causal ? positions(site, "key_positions", site.shape("key").size(2)) : null
        };
    }

    private static long[] positions(Site site, String name, long count) {
        if (!site.isAbsent(name)) {
            return site.integers(name);
        }
        long[] positions = new long[(int) count];
        Arrays.setAll(positions, i -> i);
        return positions;
    }

    private static Value sdpa(Calls k, Site s) {
        Value query = s.tensor("query");
        Value key = s.tensor("key");
        Value value = s.tensor("value");
        Value mask = s.tensor("attn_mask");
        int rank = query.shape().rank();
        if (rank < 2 || key.shape().rank() != rank || value.shape().rank() != rank) {
            throw DTorchError.layout(
                    "scaled_dot_product_attention: query, key and value need the same number of dimensions, at least 2, got"
                            + " shapes %s, %s and %s",
                    query.shape(), key.shape(), value.shape());
        }
        if (!s.flag("enable_gqa")
                && rank > 2
                && query.shape().size(rank - 3) != key.shape().size(rank - 3)) {
            throw DTorchError.layout(
                    "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d:"
                            + " query %s and key %s have different numbers of heads; enable_gqa=True shares key heads",
                    query.shape().size(rank - 3), key.shape().size(rank - 3), rank - 3, query.shape(), key.shape());
        }
        if (s.number("dropout_p") > 0) {
            return withDropout(k, s, query, key, value, mask);
        }
        Value out = k.all(
                        ATTENTION,
                        four(k, query),
                        four(k, key),
                        four(k, value),
                        rank > 4 && mask != null && mask.shape().rank() > 3 ? four(k, mask) : mask,
                        s.arg("is_causal"),
                        s.arg("scale"))[0];
        if (rank == 4) {
            return out;
        }
        long[] shape = query.shape().toArray();
        shape[rank - 1] = value.shape().size(rank - 1);
        return k.call(ViewOps.RESHAPE, out, shape);
    }

    /** {@code x} with exactly four dimensions: new ones in front, or the leading ones joined. */
    private static Value four(Calls k, Value x) {
        int rank = x.shape().rank();
        if (rank == 4) {
            return x;
        }
        if (rank > 4) {
            return k.call(ViewOps.FLATTEN, x, 0L, (long) rank - 4);
        }
        Value result = x;
        for (int d = rank; d < 4; d++) {
            result = k.call(ViewOps.UNSQUEEZE, result, 0L);
        }
        return result;
    }

    /** The same in plain steps, with the attention weights at hand. */
    private static Value withDropout(Calls k, Site s, Value query, Value key, Value value, Value mask) {
        int rank = query.shape().rank();
        long heads = rank > 2 ? query.shape().size(rank - 3) : 1;
        Value keys = key;
        Value values = value;
        if (rank > 2 && key.shape().size(rank - 3) != heads) {
            long group = heads / key.shape().size(rank - 3);
            keys = k.call(JoinOps.REPEAT_INTERLEAVE, key, group, (long) rank - 3);
            values = k.call(JoinOps.REPEAT_INTERLEAVE, value, group, (long) rank - 3);
        }
        double scale = s.isAbsent("scale") ? 1 / Math.sqrt(query.shape().size(rank - 1)) : s.number("scale");
        Value scores = k.call(
                PointwiseOps.MUL,
                ContractionOps.matmul(k, query, k.call(ViewOps.TRANSPOSE, keys, -2L, -1L)),
                Scalar.of(scale));
        Value allowed = mask;
        if (s.flag("is_causal")) {
            Value ones = k.call(
                    CreateOps.ONES,
                    new long[] {query.shape().size(rank - 2), key.shape().size(rank - 2)},
                    new CreationOptions(
                            DType.BOOL, Layout.replicated(query.layout().mesh())));
            allowed = k.call(TensorOps.TRIL, ones, 0L);
        }
        if (allowed != null && allowed.dtype() == DType.BOOL) {
            Value hidden = k.call(ComparisonOps.LOGICAL_NOT, allowed);
            scores = k.call(TensorOps.MASKED_FILL, scores, hidden, Scalar.of(Double.NEGATIVE_INFINITY));
        } else if (allowed != null) {
            scores = k.call(PointwiseOps.ADD, scores, allowed);
        }
        Value weights = k.call(NormOps.SOFTMAX_KERNEL, scores, -1L);
        Value kept = k.call(RandomOps.DROPOUT, weights, s.number("dropout_p"), true);
        return ContractionOps.matmul(k, kept, values);
    }
}
