package org.dtorch.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.dtorch.api.DTorch;
import org.dtorch.op.Op;
import org.dtorch.op.OpTable;
import org.dtorch.op.Sample;
import org.dtorch.runtime.Settings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every row on every sample, laid out in many ways, gives what one device gives. Without {@code -Ddtorch.full=true} each
 * sample gets some of the arrangements, always the same ones.
 */
class RowSweepTest {
    private static final boolean FULL = Boolean.getBoolean("dtorch.full");
    private static final int SOME = 8;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyRowGivesOneDevicesResult(boolean isolated) {
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(isolated), () -> "")) {
            RowSweep sweep = new RowSweep(dt);
            long start = System.nanoTime();
            for (Op op : OpTable.all()) {
                if (!op.name().matches(System.getProperty("dtorch.row", ".*"))) {
                    continue;
                }
                for (Sample sample : op.samples()) {
                    SampleCall call = new SampleCall(op, sample);
                    sweep.check(call, arrangements(call, isolated));
                }
            }
            System.out.printf(
                    "%d rows, isolated %s: %d cases, %d in-place calls refused, %.1f s%n",
                    OpTable.all().size(), isolated, sweep.cases(), sweep.refused(), (System.nanoTime() - start) * 1e-9);
            assertThat(sweep.faults()).isEmpty();
        }
    }

    private static List<Arrangement> arrangements(SampleCall call, boolean isolated) {
        List<Arrangement> all = new ArrayList<>(Arrangement.all());
        if (FULL) {
            return all;
        }
        Collections.shuffle(all, new Random(call.toString().hashCode() + (isolated ? 1 : 0)));
        return all.subList(0, SOME);
    }
}
