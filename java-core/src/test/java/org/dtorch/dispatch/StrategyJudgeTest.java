package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.dtorch.api.DTorch;
import org.dtorch.op.Op;
import org.dtorch.op.OpTable;
import org.dtorch.op.Sample;
import org.dtorch.runtime.Settings;
import org.junit.jupiter.api.Test;

/** Every strategy that a row's rule claims for one mesh dimension is true of the row's local kernels. */
class StrategyJudgeTest {
    @Test
    void everyStrategyOfEveryRowIsTrue() {
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(true), () -> "")) {
            StrategyJudge judge = new StrategyJudge(dt);
            long start = System.nanoTime();
            for (Op op : OpTable.all()) {
                for (Sample sample : op.samples()) {
                    judge.judge(new SampleCall(op, sample));
                }
            }
            System.out.printf("%d strategies, %.1f s%n", judge.strategies(), (System.nanoTime() - start) * 1e-9);
            assertThat(judge.faults()).isEmpty();
        }
    }
}
