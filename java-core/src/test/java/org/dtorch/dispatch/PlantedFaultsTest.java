package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.dtorch.api.AttentionCheck;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.comm.Group;
import org.dtorch.fixtures.Array;
import org.dtorch.fixtures.ChangedBackend;
import org.dtorch.fixtures.ChangedCommunicator;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.OpKind;
import org.dtorch.op.OpTable;
import org.dtorch.op.Sample;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.placement.ReduceOp;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.redistribute.Step;
import org.dtorch.rule.Rule;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;

/** Faults put in on purpose: the checks of this suite see each of them, and are content without it. */
class PlantedFaultsTest {
    private static final Settings ISOLATED = Settings.defaults().withIsolate(true);
    private static final DeviceMesh THREE = DeviceMesh.init(DeviceType.CPU, new int[] {3}, List.of("tp"));

    /** What the row sweep finds for one operator in a session. */
    private static List<String> sweep(Session session, String op, String placement) {
        try (DTorch dt = DTorch.on(session, () -> "")) {
            RowSweep sweep = new RowSweep(dt);
            for (Sample sample : OpTable.get(op).samples()) {
                sweep.check(new SampleCall(OpTable.get(op), sample), List.of(Arrangement.of(new int[] {3}, placement)));
            }
            return sweep.faults();
        }
    }

    private static Session sound() {
        return Session.open(ISOLATED);
    }

    private static List<String> judge(String op, UnaryOperator<Rule> change) {
        try (DTorch dt = DTorch.open(ISOLATED, () -> "")) {
            StrategyJudge judge = new StrategyJudge(dt);
            OpKind.Computed kind = (OpKind.Computed) OpTable.get(op).kind();
            for (Sample sample : OpTable.get(op).samples()) {
                judge.judge(
                        new SampleCall(OpTable.get(op), sample),
                        (site, outputs) -> change.apply(kind.rule().apply(site, outputs)));
            }
            return judge.faults();
        }
    }

    @Test
    void aSkippedAllReduce() {
        ChangedCommunicator skips = new ChangedCommunicator() {
            @Override
            public void allReduce(Group group, ReduceOp op, Operand[] in, Operand[] out) {
                for (int r = 0; r < group.size(); r++) {
                    Operand[] own = new Operand[group.size()];
                    Arrays.fill(own, in[r]);
                    inner.allReduce(group, ReduceOp.MAX, own, out);
                }
            }
        };
        assertThat(sweep(sound(), "relu", "P")).isEmpty();
        assertThat(sweep(skips.session(ISOLATED), "relu", "P")).isNotEmpty();
    }

    @Test
    void twoMembersSwappedInAnAllGather() {
        ChangedCommunicator swaps = new ChangedCommunicator() {
            @Override
            public void allGather(Group group, int dim, Operand[] in, Operand[] out) {
                Operand[] swapped = in.clone();
                if (Arrays.equals(in[0].sizes(), in[1].sizes())) {
                    swapped[0] = in[1];
                    swapped[1] = in[0];
                }
                inner.allGather(group, dim, swapped, out);
            }
        };
        gatherRows(sound());
        assertThatThrownBy(() -> gatherRows(swaps.session(ISOLATED))).isInstanceOf(AssertionError.class);
    }

    private static void gatherRows(Session session) {
        Layout rows = Layout.of(THREE, Placement.shard(0));
        Layout whole = Layout.of(THREE, Placement.replicate());
        try (DTorch dt = DTorch.on(session, () -> "")) {
            new TransitionCheck(dt).redistribute(Shape.of(6), DType.FLOAT32, rows, whole, new Random(1));
        }
    }

    @Test
    void aBlockThatIsSentToTheWrongDevice() {
        ChangedCommunicator stays = new ChangedCommunicator() {
            @Override
            public void move(Group group, Move[] moves) {
                Move[] own = new Move[moves.length];
                for (int i = 0; i < moves.length; i++) {
                    Move other = moves[(i + 2) % moves.length];
                    own[i] = new Move(moves[i].fromMember(), other.toMember(), moves[i].from(), other.to());
                }
                inner.move(group, own);
            }
        };
        assertThat(attention(sound())).isEmpty();
        assertThat(attention(stays.session(ISOLATED))).isNotEmpty();
    }

    private static List<String> attention(Session session) {
        try (DTorch dt = DTorch.on(session, () -> "")) {
            List<String> faults = new ArrayList<>();
            for (int seed = 0; seed < 4; seed++) {
                AttentionCheck.ring(dt, 3, seed).ifPresent(faults::add);
            }
            return faults;
        }
    }

    @Test
    void aRingThatForgetsToJoinABlock() {
        Recipe merge = new Recipe.Named("attention_merge");
        Session forgets = ChangedBackend.session(
                ISOLATED,
                (recipe, kernel) -> !recipe.equals(merge)
                        ? kernel
                        : launch -> {
                            Operand[] in = launch.inputs();
                            Operand[] twice = {in[0], in[1], in[0], in[1]};
                            kernel.run(new Launch(twice, launch.outputs(), launch.args(), launch.origins()));
                        });
        assertThat(attention(forgets)).isNotEmpty();
    }

    @Test
    void aKernelThatReadsAnotherDevicesMemory() {
        AtomicReference<LocalShard> foreign = new AtomicReference<>();
        BiFunction<Recipe, Kernel, Kernel> reads = (recipe, kernel) -> launch -> {
            if (foreign.get() != null) {
                foreign.get().operand();
            }
            kernel.run(launch);
        };
        try (DTorch dt = DTorch.on(ChangedBackend.session(ISOLATED, reads), () -> "")) {
            Tensor x = dt.ones(6).redistribute(Layout.of(THREE, Placement.shard(0)));
            x.add(1).await();
            foreign.set(x.data().shard(1));
            assertThatThrownBy(() -> x.add(1).await())
                    .hasMessageContaining("isolation")
                    .hasMessageContaining("add");
        }
    }

    @Test
    void anInstructionWithAnOperandOfAnotherDevice() {
        try (DTorch dt = DTorch.open(ISOLATED, () -> "")) {
            Session session = dt.dispatcher().session();
            TensorData x = dt.ones(6)
                    .redistribute(Layout.of(THREE, Placement.shard(0)))
                    .data();
            LocalShard out = LocalShard.allocate(x.shard(0).device(), DType.FLOAT32, 2);
            Kernel copy = x.shard(0).device().backend().kernel(new Recipe.Pointwise(Expr.input(0), DType.FLOAT32));
            LocalShard[] stranger = {x.shard(1)};
            session.submit(new NamedInstruction(
                    x.shard(0).device(), Origin.of("copy"), copy, 1, stranger, new LocalShard[] {out}));
            assertThatThrownBy(() -> session.await(out)).hasMessageContaining("isolation");
        }
    }

    @Test
    void aRuleThatCutsADimensionWhichTheOperatorNeedsWhole() {
        assertThat(judge("_softmax", rule -> rule)).isEmpty();
        assertThat(judge("_softmax", rule -> {
                    int[][] letters = {Rule.fresh(rule.inputs()[0].length)};
                    return Rule.letters(letters, letters);
                }))
                .anySatisfy(fault -> assertThat(fault).contains("softmax").contains("S(1) -> S(1)"));
    }

    @Test
    void aPartialSumThroughANonlinearRow() {
        for (String op : new String[] {"relu", "exp", "abs", "sigmoid"}) {
            assertThat(judge(op, rule -> rule)).isEmpty();
            assertThat(judge(op, rule -> rule.linearIn(List.of(Set.of(0)), Rule.SUMS)))
                    .anySatisfy(fault -> assertThat(fault).contains(op).contains("P(sum) -> P(sum)"));
        }
    }

    @Test
    void aReductionThatIsJoinedByTheWrongOp() {
        assertThat(judge("sum", rule -> rule)).isEmpty();
        assertThat(judge("sum", rule -> rule.contracting(ReduceOp.MAX))).isNotEmpty();
    }

    @Test
    void aProductThatIsLinearInBothFactorsAtOnce() {
        assertThat(judge("mul", rule -> rule)).isEmpty();
        assertThat(judge("mul", rule -> rule.linearIn(List.of(Set.of(0, 1)), Rule.SUMS)))
                .isNotEmpty();
    }

    @Test
    void stepsOfAPlanThatAreWrong() {
        Layout sum = Layout.of(THREE, Placement.partial());
        Layout whole = Layout.of(THREE, Placement.replicate());
        Layout rows = Layout.of(THREE, Placement.shard(0));
        Layout columns = Layout.of(THREE, Placement.shard(1));
        try (DTorch dt = DTorch.open(ISOLATED, () -> "")) {
            TransitionCheck check = new TransitionCheck(dt);
            List<Step> right = List.of(
                    new Step.AllReduce(sum, whole, 0, ReduceOp.SUM),
                    new Step.Mask(whole, sum, 0, ReduceOp.SUM),
                    new Step.Slice(whole, rows, 0, 0),
                    new Step.AllGather(columns, whole, 0, 1),
                    new Step.AllToAll(rows, columns, 0, 0, 1));
            List<Step> wrong = List.of(
                    new Step.AllReduce(sum, whole, 0, ReduceOp.MAX),
                    // the others hold 1, which is a product's identity
                    new Step.Mask(whole, sum, 0, ReduceOp.PRODUCT),
                    // every device keeps the value, as for a maximum
                    new Step.Mask(whole, sum, 0, ReduceOp.MAX),
                    new Step.Slice(whole, rows, 0, 1),
                    new Step.AllGather(rows, whole, 0, 1),
                    new Step.PartialCast(sum, sum, 0, ReduceOp.SUM, ReduceOp.AVG));
            Shape shape = Shape.of(6, 6);
            for (Step step : right) {
                check.carryOut(step, shape, DType.FLOAT64, new Random(1));
            }
            for (Step step : wrong) {
                assertThatThrownBy(() -> check.carryOut(step, shape, DType.FLOAT64, new Random(1)))
                        .as("%s", step)
                        .isInstanceOfAny(AssertionError.class, RuntimeException.class);
            }
        }
    }

    @Test
    void anOriginThatIsOffByOne() {
        Session shifted = ChangedBackend.session(
                ISOLATED,
                (recipe, kernel) -> launch -> kernel.run(
                        launch.origins() == null
                                ? launch
                                : new Launch(
                                        launch.inputs(),
                                        launch.outputs(),
                                        launch.args(),
                                        new Shifted(launch.origins()))));
        assertThat(sweep(sound(), "tril", "S0")).isEmpty();
        assertThat(sweep(shifted, "tril", "S0")).isNotEmpty();
    }

    private record Shifted(Launch.Origins inner) implements Launch.Origins {
        @Override
        public long input(int i, int dim) {
            return shifted(inner.input(i, dim));
        }

        @Override
        public long output(int i, int dim) {
            return shifted(inner.output(i, dim));
        }

        private static long shifted(long origin) {
            return origin == 0 ? 0 : origin + 1;
        }

        @Override
        public long inputSize(int i, int dim) {
            return inner.inputSize(i, dim);
        }

        @Override
        public long outputSize(int i, int dim) {
            return inner.outputSize(i, dim);
        }
    }

    @Test
    void aBufferThatIsNotReleased() {
        try (DTorch dt = DTorch.open(ISOLATED, () -> "")) {
            Layout rows = Layout.of(THREE, Placement.shard(0));
            Tensor x = Parts.laidOut(dt, Array.zeros(Shape.of(6)), DType.FLOAT32, rows, new Random(1));
            LiveBytes.unchangedBy(dt, () -> x.add(1).close());
            assertThatThrownBy(() -> LiveBytes.unchangedBy(dt, () -> {
                        Tensor y = x.add(1);
                        y.data().storage().retain();
                        y.close();
                    }))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("bytes are left");
        }
    }

    @Test
    void aViewThatDoesNotSeeItsBase() {
        try (DTorch dt = DTorch.open(ISOLATED, () -> "")) {
            Tensor x = dt.ones(6, 2).redistribute(Layout.of(THREE, Placement.shard(0)));
            Tensor view = dt.call(OpTable.get("select"), x, 1L, 0L)[0];
            Tensor stale = dt.call(OpTable.get("clone"), view)[0];
            seesWrites(x, view);
            assertThatThrownBy(() -> seesWrites(x, stale)).isInstanceOf(AssertionError.class);
        }
    }

    private static void seesWrites(Tensor base, Tensor view) {
        double before = view.toDoubles()[0];
        base.add_(1);
        assertThat(view.toDoubles()[0]).isEqualTo(before + 1);
    }

    @Test
    void replicasThatDiffer() {
        try (DTorch dt = DTorch.open(ISOLATED, () -> "")) {
            Tensor x = dt.ones(2).redistribute(Layout.of(THREE, Placement.replicate()));
            Parts.joined(x);
            Session session = dt.dispatcher().session();
            MemorySegment other = MemorySegment.ofArray(new float[] {1, 5});
            LocalShard second = x.data().shard(1);
            session.submit(new WriteInstruction(second.device(), Origin.of("fault"), second, other));
            assertThatThrownBy(() -> Parts.joined(x))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("replicas");
        }
    }
}
