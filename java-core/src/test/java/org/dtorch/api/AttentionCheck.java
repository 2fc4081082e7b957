package org.dtorch.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.dtorch.dispatch.Parts;
import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.fixtures.Array;
import org.dtorch.fixtures.PlainAttention;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DType;

/** Attention on a mesh against attention written down plainly. */
public final class AttentionCheck {
    private static final double TOLERANCE = 2e-6;

    private AttentionCheck() {}

    /** Names and sizes of a mesh, with the placement that queries, keys and values have on each dimension. */
    record Way(List<String> names, int[] sizes, List<Placement> placements) {
        static Way of(Object... namesAndSizes) {
            List<String> names = new ArrayList<>();
            int[] sizes = new int[namesAndSizes.length / 2];
            List<Placement> placements = new ArrayList<>();
            for (int m = 0; m < sizes.length; m++) {
                String name = (String) namesAndSizes[2 * m];
                names.add(name);
                sizes[m] = (Integer) namesAndSizes[2 * m + 1];
                placements.add(
                        switch (name) {
                            case "dp" -> Placement.shard(0);
                            case "tp" -> Placement.shard(1);
                            case "pp" -> Placement.replicate();
                            default -> Placement.shard(2);
                        });
            }
            return new Way(names, sizes, placements);
        }

        DeviceMesh mesh() {
            return DeviceMesh.init(DeviceType.CPU, sizes, names);
        }

        Layout layout() {
            return Layout.of(mesh(), placements);
        }

        int contextDevices() {
            int devices = 1;
            for (int m = 0; m < sizes.length; m++) {
                devices *= names.get(m).endsWith("cp") ? sizes[m] : 1;
            }
            return devices;
        }

        @Override
        public String toString() {
            return names + Arrays.toString(sizes);
        }
    }

    /** One seeded case on a ring of that many devices; says what was wrong. */
    public static Optional<String> ring(DTorch dt, int devices, int seed) {
        return check(dt, Way.of("ring_cp", devices), 7, 7, 2, SequenceOrder.CONTIGUOUS, new Random(seed));
    }

    /** One case; says what was wrong. */
    static Optional<String> check(
            DTorch dt, Way way, long length, long keys, long kvHeads, SequenceOrder order, Random random) {
        long heads = 4;
        int kind = random.nextInt(4);
        boolean causal = kind == 0;
        boolean bool = kind == 2;
        Double scale = random.nextBoolean() ? null : 0.3;
        long[] maskShape = random.nextBoolean()
                ? new long[] {length, keys}
                : new long[] {
                    random.nextBoolean() ? 1 : 2,
                    random.nextBoolean() ? 1 : heads,
                    random.nextBoolean() ? 1 : length,
                    random.nextInt(4) == 0 ? 1 : keys
                };
        Array q = PlainAttention.normal(random, 2, heads, length, 6);
        Array k = PlainAttention.normal(random, 2, kvHeads, keys, 6);
        Array v = PlainAttention.normal(random, 2, kvHeads, keys, 5);
        Array mask = kind < 2
                ? null
                : bool ? PlainAttention.bools(random, maskShape) : PlainAttention.normal(random, maskShape);
        Array expected = PlainAttention.of(q, k, v, mask, bool, causal, scale == null ? 1 / Math.sqrt(6) : scale);
        long[] queryOrder = order.positions(length, way.contextDevices());
        long[] keyOrder = order.positions(keys, way.contextDevices());
        Tensor tensorMask = mask == null
                ? null
                : Parts.laidOut(dt, mask, bool ? DType.BOOL : DType.FLOAT32, Layout.replicated(way.mesh()), random);
        try {
            Tensor output = Attention.scaledDotProduct(
                    laid(dt, PlainAttention.reordered(q, queryOrder), way),
                    laid(dt, PlainAttention.reordered(k, keyOrder), way),
                    laid(dt, PlainAttention.reordered(v, keyOrder), way),
                    tensorMask,
                    0,
                    causal,
                    scale,
                    kvHeads != heads,
                    new SdpaOptions("ulysess_cp", "ring_cp", order));
            if (way.contextDevices() > 1) {
                assertThat(output.placements()).isEqualTo(way.placements());
            }
            Array found = Parts.joined(output);
            found.assertClose(PlainAttention.reordered(expected, queryOrder).values(), TOLERANCE, "output");
            return Optional.empty();
        } catch (AssertionError | RuntimeException e) {
            return Optional.of(String.format(
                    "%s, L=%d, S=%d, %d kv heads, %s, causal %s, mask %s %s, scale %s: %s",
                    way,
                    length,
                    keys,
                    kvHeads,
                    order,
                    causal,
                    mask == null ? "none" : mask.shape(),
                    bool ? "bool" : "float",
                    scale,
                    e));
        }
    }

    private static Tensor laid(DTorch dt, Array array, Way way) {
        return Parts.laidOut(dt, array, DType.FLOAT32, way.layout(), new Random(0));
    }
}
