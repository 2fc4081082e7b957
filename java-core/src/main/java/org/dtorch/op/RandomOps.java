package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.kernel;
import static org.dtorch.op.Rows.random;

import java.util.List;
import java.util.Set;
import org.dtorch.op.OpKind.Distribution;
import org.dtorch.op.OpKind.RandomDraw;
import org.dtorch.rule.Rule;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/** Random numbers: the same global tensor for a seed on any mesh and any placement. */
public final class RandomOps {
    private RandomOps() {}

    public static final Op RAND = random("rand(int[] size, *, Generator? generator=None, Options options) -> Tensor")
            .doc("Uniform numbers in [0, 1).")
            .infer(RandomOps::floatingOfSize)
            .draws(site -> new RandomDraw(Distribution.UNIFORM, Scalar.of(0.0), Scalar.of(1.0)))
            .function("rand(*size, generator=None, options)")
            .samples(Sample.of(new long[] {5, 4}, null, Sample.DEFAULTS))
            .build();

    public static final Op RANDN = random("randn(int[] size, *, Generator? generator=None, Options options) -> Tensor")
            .doc("Normal numbers of mean 0 and deviation 1.")
            .infer(RandomOps::floatingOfSize)
            .draws(site -> new RandomDraw(Distribution.NORMAL, Scalar.of(0.0), Scalar.of(1.0)))
            .function("randn(*size, generator=None, options)")
            .samples(Sample.of(new long[] {5, 4}, null, Sample.DEFAULTS))
            .build();

    public static final Op RANDINT = random(
                    "randint(int low, int high, int[] size, *, Generator? generator=None, Options options) -> Tensor")
            .doc("Integers in [low, high), int64 unless another dtype is asked for.")
            .infer(site -> {
                if (site.integer("low") >= site.integer("high")) {
                    throw DTorchError.runtime(
                            "random_ expects 'from' to be less than 'to', but got from=%d >= to=%d",
                            site.integer("low"), site.integer("high"));
                }
                DType dtype = CreateRow.options(site).dtype();
                return one(Shape.of(site.integers("size")), dtype == null ? DType.INT64 : dtype);
            })
            .draws(site -> new RandomDraw(
                    Distribution.INTEGER, Scalar.of(site.integer("low")), Scalar.of(site.integer("high"))))
            .function("randint(low, high, size|shape, generator=None, options)")
            .samples(Sample.of(0L, 10L, new long[] {5, 4}, null, Sample.DEFAULTS))
            .build();

    public static final Op RANDINT_BELOW = composite(
                    "randint_below(int high, int[] size, *, Generator? generator=None, Options options) -> Tensor")
            .doc("Integers in [0, high), int64 unless another dtype is asked for.")
            .gradient(Gradient.none("there is no input"))
            .is((k, s) -> k.call(RANDINT, 0L, s.arg("high"), s.arg("size"), s.arg("generator"), s.arg("options")))
            .function("randint(high, size|shape, generator=None, options)")
            .samples(Sample.of(10L, new long[] {5, 4}, null, Sample.DEFAULTS))
            .build();

    public static final Op RANDPERM = random("randperm(int n, *, Generator? generator=None, Options options) -> Tensor")
            .doc("The integers from 0 to n - 1 in random order, int64 unless another dtype is asked for.")
            .infer(site -> {
                DType dtype = CreateRow.options(site).dtype();
                return one(Shape.of(site.integer("n")), dtype == null ? DType.INT64 : dtype);
            })
            .draws(site -> new RandomDraw(Distribution.PERMUTATION, Scalar.of(0), Scalar.of(site.integer("n"))))
            .function("randperm(n, generator=None, options)")
            .samples(Sample.of(7L, null, Sample.DEFAULTS))
            .build();

    public static final Op UNIFORM_ = random(
                    "uniform_(Tensor! self, Scalar from=0, Scalar to=1, *, Generator? generator=None) -> Tensor")
            .doc("Writes uniform numbers in [from, to) into self.")
            .infer(site -> {
                if (site.number("from") > site.number("to")) {
                    throw DTorchError.runtime(
                            "uniform_ expects to return a [from, to) range, but found from=%s > to=%s",
                            site.arg("from"), site.arg("to"));
                }
                return floatingSelf(site, "check_uniform_bounds");
            })
            .draws(site -> new RandomDraw(Distribution.UNIFORM, (Scalar) site.arg("from"), (Scalar) site.arg("to")))
            .method("uniform_(from_:from=0, to=1, *, generator=None)")
            .samples(Sample.of(Sample.tensor(0, 1, 5, 4), Scalar.of(-1.0), Scalar.of(1.0)))
            .build();

    public static final Op NORMAL_ = random(
                    "normal_(Tensor! self, Scalar mean=0, Scalar std=1, *, Generator? generator=None) -> Tensor")
            .doc("Writes normal numbers of that mean and deviation into self.")
            .infer(site -> {
                if (site.number("std") < 0) {
                    throw DTorchError.runtime("normal expects std >= 0.0, but found std %s", site.arg("std"));
                }
                return floatingSelf(site, "normal_kernel_cpu");
            })
            .draws(site -> new RandomDraw(Distribution.NORMAL, (Scalar) site.arg("mean"), (Scalar) site.arg("std")))
            .method("normal_(mean=0, std=1, *, generator=None)")
            .samples(Sample.of(Sample.tensor(0, 1, 5, 4), Scalar.of(1.0), Scalar.of(2.0)))
            .build();

    public static final Op BERNOULLI_ = random(
                    "bernoulli_(Tensor! self, Scalar p=0.5, *, Generator? generator=None) -> Tensor")
            .doc("Writes ones with probability p and zeros into self.")
            .infer(site -> {
                double p = site.number("p");
                if (!(p >= 0 && p <= 1)) {
                    throw DTorchError.runtime("bernoulli_ expects p to be in [0, 1], but got p=%s", p);
                }
                return one(site.shape("self"), site.dtype("self"));
            })
            .draws(site -> new RandomDraw(Distribution.BERNOULLI, (Scalar) site.arg("p"), Scalar.of(0)))
            .method("bernoulli_(p=0.5, *, generator=None)")
            .samples(Sample.of(Sample.tensor(0, 1, 5, 4), Scalar.of(0.3)))
            .build();

    public static final Op RAND_LIKE = like("rand");
    public static final Op RANDN_LIKE = like("randn");

    public static final Op RANDINT_LIKE = composite(
                    "randint_like(Tensor self, int low, int? high=None, *, Options? options=None) -> Tensor")
            .doc("Integers in [low, high), or in [0, low) where high is absent, with shape, dtype and layout of self.")
            .gradient(Gradient.none("only the shape of the input is used"))
            .is((k, s) -> {
                boolean below = s.isAbsent("high");
                return k.call(
                        RANDINT,
                        below ? 0L : s.arg("low"),
                        s.arg(below ? "low" : "high"),
                        s.shape("self").toArray(),
                        null,
                        CreateOps.following(s, true));
            })
            .function("randint_like(input, low, high=None, options)")
            .samples(Sample.of(Sample.tensor(0, 1, 5, 4), 3L, 9L))
            .build();

    public static final Op DROPOUT_KERNEL = kernel(
                    "_dropout(Tensor self, float p, Scalar seed, Scalar counter) -> Tensor")
            .doc("Zeros with probability p, by Philox of seed, counter and global index; the rest over 1 - p.")
            .infer(site -> one(site.shape("self"), site.dtype("self")))
            .rule((site, out) -> {
                int[] letters = Rule.fresh(site.shape("self").rank());
                return Rule.letters(new int[][] {letters}, new int[][] {letters})
                        .linearIn(List.of(Set.of(0)), Rule.SUMS);
            })
            .kernel("dropout")
            .args(site -> new Object[] {
                site.number("p"), ((Scalar) site.arg("seed")).toLong(), ((Scalar) site.arg("counter")).toLong()
            })
            .cost(operands -> 8.0 * operands[0].numel())
            .internal("dropout gives it the session's seed and counter")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0.3, Scalar.of(42), Scalar.of(1)))
            .build();

    public static final Op DROPOUT = composite("dropout(Tensor input, float p=0.5, bool training=True) -> Tensor")
            .doc("In training each element is 0 with probability p and the rest is scaled by 1 / (1 - p).")
            .is(RandomOps::dropout)
            .function("dropout(input, p=0.5, training=True, inplace=False)")
            .functional("dropout(input, p=0.5, training=True, inplace=False)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0.3, false))
            .build();

    public static final Op DROPOUT_ = composite("dropout_(Tensor! input, float p=0.5, bool training=True) -> Tensor")
            .doc("In-place form of dropout.")
            .is((k, s) -> k.call(TensorOps.COPY_, s.arg("input"), k.call(DROPOUT, s.args())))
            .internal("reached by the argument inplace")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0.3, false))
            .build();

    static Value dropout(Calls k, Site s) {
        double p = s.number("p");
        if (p < 0 || p > 1 || Double.isNaN(p)) {
            throw DTorchError.value("dropout probability has to be between 0 and 1, but got %s", p);
        }
        Value x = s.tensor("input");
        if (!s.flag("training") || p == 0) {
            return x;
        }
        if (!x.dtype().isFloating()) {
            throw DTorchError.runtime(
                    "result type Float can't be cast to the desired output type %s", TypeNames.scalar(x.dtype()));
        }
        if (p == 1) {
            return k.call(PointwiseOps.MUL, x, Scalar.of(0.0));
        }
        long[] key = k.drawKey();
        return k.call(DROPOUT_KERNEL, x, p, Scalar.of(key[0]), Scalar.of(key[1]));
    }

    private static Op like(String name) {
        return composite(name + "_like(Tensor self, *, Options? options=None) -> Tensor")
                .doc("As " + name + ", with shape, dtype and layout of self.")
                .gradient(Gradient.none("only the shape of the input is used"))
                .is((k, s) -> k.call(
                        name.equals("rand") ? RAND : RANDN,
                        s.shape("self").toArray(),
                        null,
                        CreateOps.following(s, true)))
                .function(name + "_like(input, options)")
                .samples(Sample.of(Sample.tensor(0, 1, 5, 4)))
                .build();
    }

    private static TensorMeta[] floatingOfSize(Site site) {
        DType dtype = CreateRow.options(site).dtypeOrDefault();
        refuseIntegers(dtype, site.op().name());
        return one(Shape.of(site.integers("size")), dtype);
    }

    private static TensorMeta[] floatingSelf(Site site, String kernelName) {
        refuseIntegers(site.dtype("self"), kernelName);
        return one(site.shape("self"), site.dtype("self"));
    }

    private static void refuseIntegers(DType dtype, String name) {
        if (!dtype.isFloating()) {
            throw DTorchError.notImplemented("\"%s\" not implemented for '%s'", name, TypeNames.scalar(dtype));
        }
    }

    private static TensorMeta[] one(Shape shape, DType dtype) {
        return new TensorMeta[] {new TensorMeta(shape, dtype)};
    }
}
