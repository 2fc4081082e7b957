package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.dtorch.api.DTorch;
import org.dtorch.fixtures.Transitions;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.placement.Layout;
import org.dtorch.placement.ReduceOp;
import org.dtorch.redistribute.CostModel;
import org.dtorch.redistribute.GreedyPlan;
import org.dtorch.redistribute.Plan;
import org.dtorch.redistribute.Planner;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random transitions carried out on the devices: right values, untouched source, never dearer than greedy, no leak. */
class RedistributorTest {
    private static final int TRANSITIONS = 2000;
    private static final ReduceOp[] WHOLE_NUMBER_OPS = {ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN};

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void randomTransitionsAreRightAndNoDearerThanGreedy(boolean isolated) {
        Planner planner = new Planner(CostModel.DEFAULT);
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(isolated), () -> "")) {
            TransitionCheck check = new TransitionCheck(dt);
            for (int seed = 0; seed < TRANSITIONS; seed++) {
                Random random = new Random(seed);
                Shape shape = Transitions.shape(random);
                boolean acrossMeshes = random.nextInt(3) == 0;
                DeviceMesh before = acrossMeshes ? Transitions.shuffledMesh(random, false) : Transitions.mesh(random);
                DeviceMesh after = acrossMeshes ? Transitions.shuffledMesh(random, false) : before;
                DType dtype = random.nextInt(4) == 0 ? DType.INT64 : DType.FLOAT64;
                ReduceOp[] ops = dtype == DType.INT64 ? WHOLE_NUMBER_OPS : ReduceOp.values();
                Layout from = Transitions.layout(random, before, shape, ops);
                Layout to = Transitions.layout(random, after, shape, ops);
                Plan plan = planner.plan(from, to, shape, dtype);
                try {
                    long live = LiveBytes.of(dt);
                    check.redistribute(shape, dtype, from, to, random);
                    assertThat(LiveBytes.of(dt)).as("live bytes").isEqualTo(live);
                    assertThat(plan.micros())
                            .isLessThanOrEqualTo(GreedyPlan.micros(plan, CostModel.DEFAULT) * (1 + 1e-12));
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed " + seed + "\n" + plan.explain() + e, e);
                }
            }
        }
    }
}
