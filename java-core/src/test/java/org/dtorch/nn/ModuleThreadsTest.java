package org.dtorch.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.placement.Layout;
import org.junit.jupiter.api.Test;

/** One model called from many threads at once. */
class ModuleThreadsTest {
    private static final int THREADS = 8;
    private static final int CALLS = 40;

    @Test
    void everyThreadGetsItsOwnAnswer() throws Exception {
        for (DTorch dt : Goldens.contexts()) {
            try (dt;
                    ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
                TensorOptions options = TensorOptions.of(dt, Goldens.mesh("tp", 2));
                Module model = new Sequential(
                                new ColumnParallelLinear(options, 6, 16, true, MeshDim.TP),
                                new SiLU(),
                                new RowParallelLinearWithReplicateOutput(options, 16, 5, true, MeshDim.TP))
                        .eval();
                List<double[]> expected = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    expected.add(model.call(input(dt, options, t)).toDoubles());
                }
                CyclicBarrier start = new CyclicBarrier(THREADS);
                List<Future<Boolean>> results = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    int number = t;
                    results.add(pool.submit(() -> {
                        start.await();
                        for (int i = 0; i < CALLS; i++) {
                            try (Tensor x = input(dt, options, number);
                                    Tensor y = model.call(x)) {
                                assertThat(y.toDoubles()).containsExactly(expected.get(number));
                            }
                        }
                        return true;
                    }));
                }
                for (Future<Boolean> result : results) {
                    assertThat(result.get()).isTrue();
                }
            }
        }
    }

    private static Tensor input(DTorch dt, TensorOptions options, int number) {
        float[] values = new float[3 * 6];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i * (number + 1)) % 7 - 3;
        }
        try (Tensor host = dt.tensor(values, 3, 6)) {
            return host.redistribute(Layout.replicated(options.mesh()));
        }
    }
}
