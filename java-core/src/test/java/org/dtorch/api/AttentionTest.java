package org.dtorch.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.dtorch.dispatch.SequenceOrder;
import org.dtorch.runtime.Settings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention on any mesh against attention written down plainly. */
class AttentionTest {
    private static final List<AttentionCheck.Way> WAYS = List.of(
            AttentionCheck.Way.of("tp", 2),
            AttentionCheck.Way.of("ulysess_cp", 2),
            AttentionCheck.Way.of("ring_cp", 2),
            AttentionCheck.Way.of("ring_cp", 3),
            AttentionCheck.Way.of("ring_cp", 4),
            AttentionCheck.Way.of("ulysess_cp", 2, "ring_cp", 2),
            AttentionCheck.Way.of("ring_cp", 2, "ulysess_cp", 2),
            AttentionCheck.Way.of("ring_cp", 3, "ulysess_cp", 2),
            AttentionCheck.Way.of("dp", 2, "ring_cp", 2),
            AttentionCheck.Way.of("ulysess_cp", 2, "dp", 2),
            AttentionCheck.Way.of("tp", 2, "ring_cp", 2),
            AttentionCheck.Way.of("tp", 2, "ulysess_cp", 2),
            AttentionCheck.Way.of("pp", 2, "ring_cp", 2, "ulysess_cp", 2),
            AttentionCheck.Way.of("dp", 2, "tp", 2, "ulysess_cp", 2, "ring_cp", 2));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyWayGivesThePlainResult(boolean isolated) {
        int cases = 0;
        List<String> faults = new ArrayList<>();
        try (DTorch dt = DTorch.open(Settings.defaults().withIsolate(isolated), () -> "")) {
            for (AttentionCheck.Way way : WAYS) {
                for (long[] lengths : new long[][] {{8, 8}, {7, 7}, {3, 3}, {1, 1}, {5, 9}, {9, 4}}) {
                    for (long kvHeads : new long[] {4, 2, 1}) {
                        for (SequenceOrder order : SequenceOrder.values()) {
                            Random random = new Random(cases);
                            AttentionCheck.check(dt, way, lengths[0], lengths[1], kvHeads, order, random)
                                    .ifPresent(faults::add);
                            cases++;
                        }
                    }
                }
            }
        }
        System.out.println("attention, isolated " + isolated + ": " + cases + " cases");
        assertThat(faults).isEmpty();
    }
}
