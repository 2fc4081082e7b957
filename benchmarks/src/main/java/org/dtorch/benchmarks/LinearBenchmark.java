package org.dtorch.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Placement;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** An 8x64 input, replicated, by a 64x64 weight whose output features are split over the devices. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
public class LinearBenchmark {
    private static final int BATCH = 100;

    @Param({"2"})
    public int devices;

    private DTorch dt;
    private Tensor x;
    private Tensor weight;

    @Setup(Level.Trial)
    public void open() {
        dt = DTorch.open();
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {devices}, List.of());
        x = dt.ones(new long[] {8, 64}, dt.options(null, mesh, List.of(Placement.replicate())));
        weight = dt.ones(new long[] {64, 64}, dt.options(null, mesh, List.of(Placement.shard(0))));
    }

    @TearDown(Level.Trial)
    public void close() {
        dt.close();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void linear() {
        for (int i = 0; i < BATCH; i++) {
            x.linear(weight).close();
        }
        dt.sync();
    }
}
