package org.dtorch.op;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row gives what it gives on one device when its inputs are laid out each in its own way: on meshes of one and two
 * dimensions, sharded, replicated and partial in all combinations, or a seeded choice of them where they are many.
 */
final class MixedLayoutsTest {
    private static final long SEED = 20240917;
    private static final int COMBINATIONS = 24;
    private static final DeviceMesh ONE = DeviceMesh.single(DeviceType.CPU, 0);

    private static DTorch dtorch;

    @BeforeAll
    static void open() {
        dtorch = DTorch.open(Settings.defaults().withIsolate(true), () -> "");
    }

    @AfterAll
    static void close() {
        dtorch.close();
    }

    static Stream<Op> operators() {
        return OpTable.all().stream()
                .filter(op ->
                        op.schema().params().stream().anyMatch(p -> p.type().holdsTensors()))
                .filter(op ->
                        !(op.kind() instanceof OpKind.Random) && !op.name().startsWith("rand"))
                .filter(op -> !op.samples().isEmpty());
    }

    @ParameterizedTest
    @MethodSource("operators")
    void shardsGiveWhatTheWholeGives(Op op) {
        List<String> wrong = new ArrayList<>();
        for (int s = 0; s < op.samples().size(); s++) {
            Sample sample = op.samples().get(s);
            Random random = new Random(SEED + s);
            List<Object> values = values(sample, random);
            Outcome whole = run(op, values, null, null, null);
            assertThat(whole.error()).as("%s on one device, sample %d", op, s).isNull();
            for (int[] mesh : new int[][] {{2}, {3}, {2, 2}}) {
                for (Placement[][] placements : combinations(values, mesh.length, random)) {
                    Outcome found = run(op, values, placements, mesh, random);
                    boolean refused = found.error() instanceof DTorchError e
                            && e.getMessage().contains("writing in place would have to change the placements");
                    if (!(op.mutatedParam() >= 0 && refused) && !found.equals(whole, tolerance(op))) {
                        wrong.add("seed %d, sample %d, mesh %s, %s:%n  expected %s%n  found    %s"
                                .formatted(
                                        SEED, s, Arrays.toString(mesh), Arrays.deepToString(placements), whole, found));
                    }
                }
            }
        }
        assertThat(wrong).as("%s: %d wrong", op, wrong.size()).isEmpty();
    }

    private static double tolerance(Op op) {
        return op.name().startsWith("half") || op.name().startsWith("bfloat16") ? 1e-2 : 1e-4;
    }

    /** A tensor's values before it is laid out. */
    private record Host(Shape shape, DType dtype, double[] values) {}

    /** Results as numbers, or the error. */
    private record Outcome(List<String> metas, List<double[]> numbers, RuntimeException error) {
        boolean equals(Outcome that, double tolerance) {
            if (error != null || that.error != null || !metas.equals(that.metas)) {
                return false;
            }
            for (int i = 0; i < numbers.size(); i++) {
                for (int j = 0; j < numbers.get(i).length; j++) {
                    double a = numbers.get(i)[j];
                    double b = that.numbers.get(i)[j];
                    boolean same = a == b || (Double.isNaN(a) && Double.isNaN(b));
                    if (!same && !(Math.abs(a - b) <= tolerance * (1 + Math.abs(b)))) {
                        return false;
                    }
                }
            }
            return true;
        }

        @Override
        public String toString() {
            if (error != null) {
                return error.toString();
            }
            StringJoiner text = new StringJoiner("; ");
            for (int i = 0; i < metas.size(); i++) {
                text.add(metas.get(i) + " "
                        + Arrays.toString(Arrays.copyOf(numbers.get(i), Math.min(numbers.get(i).length, 24))));
            }
            return text.toString();
        }
    }

    private static List<Object> values(Sample sample, Random random) {
        List<Object> values = new ArrayList<>();
        for (Object arg : sample.args()) {
            values.add(
                    switch (arg) {
                        case Sample.Tensor t -> host(t, random);
                        case Sample.Tensor[] list ->
                            Arrays.stream(list)
                                    .map(t -> t == null ? null : host(t, random))
                                    .toArray(Host[]::new);
                        case Sample.Options o -> dtorch.options(o.dtype(), ONE, null);
                        case null -> null;
                        default -> arg;
                    });
        }
        return values;
    }

    private static Host host(Sample.Tensor t, Random random) {
        double[] values = new double[(int) t.shape().numel()];
        for (int i = 0; i < values.length; i++) {
            double x = t.low() + (t.high() - t.low()) * random.nextDouble();
            values[i] = t.dtype().isFloating()
                    ? (float) x
                    : Math.min(Math.floor(t.low() + (t.high() - t.low() + 1) * random.nextDouble()), t.high());
        }
        return new Host(t.shape(), t.dtype(), values);
    }

    private static List<Host> tensors(List<Object> values) {
        List<Host> tensors = new ArrayList<>();
        for (Object value : values) {
            if (value instanceof Host h) {
                tensors.add(h);
            } else if (value instanceof Host[] list) {
                Arrays.stream(list).filter(h -> h != null).forEach(tensors::add);
            }
        }
        return tensors;
    }

    /** For each input its placements on the mesh; partial ones only where the mesh has one dimension. */
    private static List<Placement[][]> combinations(List<Object> values, int meshDims, Random random) {
        List<List<Placement>> choices = new ArrayList<>();
        long count = 1;
        for (Host host : tensors(values)) {
            List<Placement> legal = new ArrayList<>(List.of(Placement.replicate()));
            for (int d = 0; d < host.shape().rank(); d++) {
                legal.add(Placement.shard(d));
            }
            if (host.dtype().isFloating() && meshDims == 1) {
                legal.add(Placement.partial());
            }
            for (int m = 0; m < meshDims; m++) {
                choices.add(legal);
                count *= legal.size();
            }
        }
        List<Placement[][]> combinations = new ArrayList<>();
        for (long c = 0; c < Math.min(count, COMBINATIONS); c++) {
            long code = count <= COMBINATIONS ? c : Math.floorMod(random.nextLong(), count);
            Placement[][] chosen = new Placement[choices.size() / meshDims][meshDims];
            for (int i = 0; i < choices.size(); i++) {
                int size = choices.get(i).size();
                chosen[i / meshDims][i % meshDims] = choices.get(i).get((int) (code % size));
                code /= size;
            }
            combinations.add(chosen);
        }
        return combinations;
    }

    private static Outcome run(Op op, List<Object> values, Placement[][] placements, int[] mesh, Random random) {
        List<Tensor> made = new ArrayList<>();
        try {
            Object[] args = new Object[values.size()];
            int n = 0;
            for (int i = 0; i < args.length; i++) {
                switch (values.get(i)) {
                    case Host h -> args[i] = lay(h, placements == null ? null : placements[n++], mesh, random, made);
                    case Host[] list -> {
                        List<Tensor> tensors = new ArrayList<>();
                        for (Host h : list) {
                            tensors.add(
                                    h == null
                                            ? null
                                            : lay(h, placements == null ? null : placements[n++], mesh, random, made));
                        }
                        args[i] = tensors;
                    }
                    case null -> args[i] = null;
                    default -> args[i] = values.get(i);
                }
            }
            Tensor[] results = dtorch.call(op, args);
            List<String> metas = new ArrayList<>();
            List<double[]> numbers = new ArrayList<>();
            for (Tensor result : results) {
                metas.add(result.dtype() + " " + result.shape());
                numbers.add(result.toDoubles());
                made.add(result);
            }
            return new Outcome(metas, numbers, null);
        } catch (RuntimeException e) {
            return new Outcome(List.of(), List.of(), e);
        } finally {
            made.forEach(Tensor::close);
        }
    }

    /** The tensor on a mesh of that shape; a partial one has unlike parts. */
    private static Tensor lay(Host host, Placement[] placements, int[] shape, Random random, List<Tensor> made) {
        Tensor whole = keep(dtorch.tensor(host.values(), host.shape().toArray()), made);
        if (placements == null) {
            return keep(whole.toDtype(host.dtype()), made);
        }
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, shape, List.of());
        if (!placements[0].isPartial()) {
            Tensor typed = keep(whole.toDtype(host.dtype()), made);
            return keep(typed.redistribute(Layout.of(mesh, placements)), made);
        }
        return partial(host, mesh, random, made);
    }

    private static Tensor partial(Host host, DeviceMesh mesh, Random random, List<Tensor> made) {
        int devices = mesh.size();
        double[] parts = new double[devices * host.values().length];
        for (int i = 0; i < host.values().length; i++) {
            double rest = host.values()[i];
            for (int p = 1; p < devices; p++) {
                parts[p * host.values().length + i] = random.nextInt(9) - 4;
                rest -= parts[p * host.values().length + i];
            }
            parts[i] = rest;
        }
        long[] shape = new long[host.shape().rank() + 1];
        shape[0] = devices;
        System.arraycopy(host.shape().toArray(), 0, shape, 1, shape.length - 1);
        Tensor stacked = keep(dtorch.tensor(parts, shape), made).toDtype(host.dtype());
        Tensor sharded = keep(keep(stacked, made).redistribute(Layout.of(mesh, Placement.shard(0))), made);
        Tensor sum = keep(sharded.sum(0), made);
        assertThat(sum.placements()).containsExactly(Placement.partial());
        return sum;
    }

    private static Tensor keep(Tensor tensor, List<Tensor> made) {
        made.add(tensor);
        return tensor;
    }
}
