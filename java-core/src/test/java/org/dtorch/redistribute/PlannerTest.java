package org.dtorch.redistribute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.dtorch.fixtures.Array;
import org.dtorch.fixtures.Transitions;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;

class PlannerTest {
    /** Ratios of latency to bandwidth that favour few steps, or few bytes. */
    private static final List<CostModel> COSTS = List.of(
            CostModel.DEFAULT,
            new CostModel(List.of(new Link(0.01, 1), new Link(0.01, 3)), new Link(0.01, 0.5), new Link(0.001, 100)),
            new CostModel(List.of(new Link(50, 1e6)), new Link(100, 1e6), new Link(0.1, 1e7)));

    private static DeviceMesh mesh(int... shape) {
        return DeviceMesh.init(DeviceType.CPU, shape, List.of());
    }

    private static Layout layout(DeviceMesh mesh, String... placements) {
        return Layout.of(mesh, Arrays.stream(placements).map(Placement::parse).toList());
    }

    private static Plan plan(Layout from, Layout to, long... shape) {
        return new Planner(CostModel.DEFAULT).plan(from, to, Shape.of(shape), DType.FLOAT32);
    }

    private static List<String> labels(Plan plan) {
        return plan.steps().stream().map(Step::label).toList();
    }

    @Test
    void oneDimensionTakesOneStep() {
        DeviceMesh m = mesh(2);
        assertThat(labels(plan(layout(m, "S0"), layout(m, "R"), 64, 64))).containsExactly("all-gather");
        assertThat(labels(plan(layout(m, "R"), layout(m, "S1"), 64, 64))).containsExactly("slice");
        assertThat(labels(plan(layout(m, "S0"), layout(m, "S1"), 64, 64))).containsExactly("all-to-all");
        assertThat(labels(plan(layout(m, "P"), layout(m, "R"), 64, 64))).containsExactly("all-reduce");
        assertThat(labels(plan(layout(m, "P(max)"), layout(m, "S1"), 64, 64))).containsExactly("reduce-scatter");
        assertThat(labels(plan(layout(m, "R"), layout(m, "P"), 64, 64))).containsExactly("mask");
        assertThat(labels(plan(layout(m, "P"), layout(m, "P(avg)"), 64, 64))).containsExactly("scale");
        assertThat(labels(plan(layout(m, "P"), layout(m, "P(max)"), 64, 64))).containsExactly("all-reduce", "mask");
        assertThat(labels(plan(layout(m, "S(-1)"), layout(m, "S1"), 64, 64))).isEmpty();
        assertThat(labels(plan(layout(mesh(1), "S0"), layout(mesh(1), "P"), 64)))
                .isEmpty();
    }

    @Test
    void scalingBackDividesFloatingDtypesOnly() {
        DeviceMesh m = mesh(3);
        Planner planner = new Planner(CostModel.DEFAULT);
        Plan floats = planner.plan(layout(m, "P(avg)"), layout(m, "P"), Shape.of(4), DType.FLOAT32);
        assertThat(((Step.PartialCast) floats.steps().getFirst()).factor()).isEqualTo(1.0 / 3);
        Plan ints = planner.plan(layout(m, "P(avg)"), layout(m, "P"), Shape.of(4), DType.INT64);
        assertThat(labels(ints)).containsExactly("all-reduce", "mask");
    }

    @Test
    void aLargePartialSumIsReducedInSlices() {
        DeviceMesh m = mesh(8, 4);
        Plan plan = plan(layout(m, "P", "R"), layout(m, "R", "R"), 4096, 4096);
        assertThat(labels(plan)).containsExactly("slice", "all-reduce", "all-gather");
    }

    @Test
    void anOuterShardOfANestedPairIsNotGatheredAlone() {
        DeviceMesh m = mesh(2, 2);
        Plan plan = plan(layout(m, "S0", "S0"), layout(m, "R", "S0"), 8);
        for (Step step : plan.steps()) {
            assertThat(step.from().equals(plan.from())
                            && step instanceof Step.AllGather gather
                            && gather.meshDim() == 0)
                    .isFalse();
        }
        assertThat(plan.steps()).isNotEmpty();
    }

    @Test
    void acrossMeshesOnlyWhatIsLackingMoves() {
        Layout from = layout(mesh(4), "S0");
        Layout to = layout(mesh(2), "S0");
        List<Block> blocks = BlockMoves.of(from, to, Shape.of(8));
        assertThat(blocks)
                .containsExactly(
                        new Block(0, 0, new long[] {0}, Shape.of(2), true),
                        new Block(1, 0, new long[] {2}, Shape.of(2), false),
                        new Block(2, 1, new long[] {4}, Shape.of(2), false),
                        new Block(3, 1, new long[] {6}, Shape.of(2), false));
        Plan same = plan(layout(mesh(4), "S0"), layout(mesh(2, 2), "S0", "S0"), 8);
        assertThat(labels(same)).containsExactly("blocks");
        assertThat(same.bytesPerDevice()).isZero();
    }

    @Test
    void replicasShareTheLoad() {
        DeviceMesh other = DeviceMesh.of(DeviceType.CPU, new int[] {4}, new int[] {4, 5, 6, 7}, List.of());
        List<Block> blocks = BlockMoves.of(layout(mesh(2), "R"), layout(other, "S0"), Shape.of(8));
        assertThat(blocks).extracting(Block::source).containsExactly(0, 1, 0, 1);
    }

    @Test
    void theHolderThatHasSentLeastSends() {
        // The second and fourth devices after hold the value already, so taking turns would load the first one only.
        DeviceMesh other = DeviceMesh.of(DeviceType.CPU, new int[] {4}, new int[] {2, 0, 3, 1}, List.of());
        assertThat(BlockMoves.of(layout(mesh(2), "R"), layout(other, "R"), Shape.of(8)))
                .extracting(Block::toString)
                .containsExactly(
                        "0 -> 0: [8] at [0]", "0 keeps 1: [8] at [0]", "1 -> 2: [8] at [0]", "1 keeps 3: [8] at [0]");
    }

    @Test
    void stagesOfOneShapeSendPositionByPosition() {
        DeviceMesh next = DeviceMesh.of(DeviceType.CPU, new int[] {2, 2}, new int[] {4, 5, 6, 7}, List.of());
        for (String[] placements : new String[][] {{"R", "S0"}, {"S1", "R"}, {"R", "R"}, {"S0", "S0"}}) {
            Layout from = layout(mesh(2, 2), placements);
            assertThat(BlockMoves.of(from, from.on(next), Shape.of(8, 4)))
                    .hasSize(4)
                    .allMatch(block -> block.source() == block.destination());
            assertThat(labels(plan(from, from.on(next), 4096, 4096))).containsExactly("blocks");
        }
    }

    @Test
    void oneDeviceScattersToManyWhoThenGather() {
        DeviceMesh other = DeviceMesh.of(DeviceType.CPU, new int[] {4}, new int[] {4, 5, 6, 7}, List.of());
        Plan plan = plan(layout(mesh(1), "R"), layout(other, "R"), 4096, 1024);
        assertThat(labels(plan)).containsExactly("blocks", "all-gather");
        assertThat(labels(plan(layout(mesh(1), "R"), layout(other, "R"), 8))).containsExactly("blocks");
    }

    @Test
    void aPartialActivationIsReducedInOneStepAtEverySize() {
        for (int[] shape : new int[][] {{2, 2}, {2, 4}, {4, 4}, {2, 8}}) {
            for (long tokens = 1; tokens <= 1 << 16; tokens *= 4) {
                DeviceMesh m = mesh(shape);
                Plan plan = plan(layout(m, "S0", "P"), layout(m, "S0", "R"), tokens, 512);
                assertThat(labels(plan)).containsExactly("all-reduce");
                assertThat(labels(plan(layout(m, "S0", "P"), layout(m, "S0", "S1"), tokens, 512)))
                        .containsExactly("reduce-scatter");
            }
        }
    }

    @Test
    void manyDimensionsAndDevices() {
        for (int seed = 20_000; seed < 20_060; seed++) {
            Random random = new Random(seed);
            Shape shape = Shape.of(5, 4, 3);
            DeviceMesh m = seed % 20 == 0 ? mesh(16, 16) : mesh(2, 2, 2, 2, 2);
            check(seed, random, Transitions.layout(random, m, shape), Transitions.layout(random, m, shape), shape);
        }
        DeviceMesh thousand = mesh(2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
        Plan plan = plan(
                layout(thousand, "S0", "P", "R", "S0", "R", "S1", "R", "R", "R", "S1"),
                layout(thousand, "R", "R", "S1", "S0", "S1", "R", "P", "R", "S0", "S0"),
                64,
                64);
        assertThat(plan.steps()).isNotEmpty();
    }

    @Test
    void alignedPartsMoveAsTheyAre() {
        DeviceMesh next = DeviceMesh.of(DeviceType.CPU, new int[] {2}, new int[] {2, 3}, List.of());
        assertThat(labels(plan(layout(mesh(2), "P"), layout(next, "P"), 64))).containsExactly("blocks");
        assertThat(labels(plan(layout(mesh(4), "P"), layout(next, "P"), 64))).contains("blocks", "mask");
    }

    @Test
    void explainsInShortForm() {
        DeviceMesh m = DeviceMesh.init(DeviceType.CPU, new int[] {2, 2}, List.of("dp", "tp"));
        assertThat(plan(layout(m, "S0", "P"), layout(m, "S0", "R"), 8, 16).explain())
                .isEqualToNormalizingNewlines("""
                    redistribute [8, 16] torch.float32 on (dp=2, tp=2): [S(0), P(sum)] -> [S(0), R]
                      1. all-reduce on dim 'tp': [S(0), P(sum)] -> [S(0), R], 256 bytes per device, 4.03 us
                      total: 256 bytes per device, 4.03 us
                    """);
        assertThat(plan(layout(m, "R", "R"), layout(m, "R", "R"), 8).explain()).contains("total: 0 bytes");
    }

    @Test
    void refusesLayoutsThatDoNotFit() {
        assertThatThrownBy(() -> plan(layout(mesh(2), "S0"), layout(mesh(2), "S1"), 8))
                .hasMessageContaining("Shard(1)")
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.LAYOUT));
    }

    @Test
    void remembersABoundedNumberOfPlans() {
        Planner planner = new Planner(CostModel.DEFAULT, 2);
        Layout shard = layout(mesh(2), "S0");
        Layout whole = layout(mesh(2), "R");
        Plan first = planner.plan(shard, whole, Shape.of(1), DType.FLOAT32);
        assertThat(planner.plan(layout(mesh(2), "S0"), layout(mesh(2), "R"), Shape.of(1), DType.FLOAT32))
                .isSameAs(first);
        planner.plan(shard, whole, Shape.of(2), DType.FLOAT32);
        planner.plan(shard, whole, Shape.of(3), DType.FLOAT32);
        assertThat(planner.plan(shard, whole, Shape.of(1), DType.FLOAT32)).isNotSameAs(first);
    }

    @Test
    void randomTransitionsOnOneMeshAreRightAndNoDearerThanGreedy() {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            DeviceMesh m = Transitions.mesh(random);
            Shape shape = Transitions.shape(random);
            check(seed, random, Transitions.layout(random, m, shape), Transitions.layout(random, m, shape), shape);
        }
    }

    @Test
    void randomTransitionsBetweenMeshesAreRightAndNoDearerThanGreedy() {
        for (int seed = 10_000; seed < 10_600; seed++) {
            Random random = new Random(seed);
            Shape shape = Transitions.shape(random);
            DeviceMesh before = Transitions.shuffledMesh(random, true);
            DeviceMesh after = Transitions.shuffledMesh(random, true);
            check(
                    seed,
                    random,
                    Transitions.layout(random, before, shape),
                    Transitions.layout(random, after, shape),
                    shape);
        }
    }

    private static void check(int seed, Random random, Layout from, Layout to, Shape shape) {
        CostModel costs = COSTS.get(random.nextInt(COSTS.size()));
        DType dtype = random.nextInt(4) == 0 ? DType.INT64 : DType.FLOAT64;
        Plan plan = new Planner(costs).plan(from, to, shape, dtype);
        String story = "seed " + seed + "\n" + plan.explain();
        try {
            carryOut(plan.steps(), plan, random, costs, dtype);
            List<Step> greedy = GreedyPlanner.plan(plan.from(), plan.to(), dtype);
            carryOut(greedy, plan, random, costs, dtype);
            assertThat(plan.micros())
                    .isLessThanOrEqualTo(
                            new Plan(plan.from(), plan.to(), shape, dtype, greedy, costs).micros() * (1 + 1e-12));
        } catch (AssertionError e) {
            throw new AssertionError(story + e.getMessage(), e);
        }
    }

    private static void carryOut(List<Step> steps, Plan plan, Random random, CostModel costs, DType dtype) {
        Array global = Array.zeros(plan.shape());
        Arrays.setAll(global.values(), _ -> random.nextInt(-100, 100));
        PlanSimulator simulator = PlanSimulator.distribute(global, plan.from(), random);
        for (Step step : steps) {
            simulator.run(step);
            if (!(step instanceof Step.AllReduce)) {
                assertThat(costs.of(step, plan.shape(), dtype).bytes())
                        .as(step.label())
                        .isEqualTo(simulator.mostMoved() * dtype.bytes());
            }
        }
        assertThat(simulator.layout()).isEqualTo(plan.to());
        assertThat(simulator.gather().values()).containsExactly(global.values(), Offset.offset(1e-6));
    }
}
