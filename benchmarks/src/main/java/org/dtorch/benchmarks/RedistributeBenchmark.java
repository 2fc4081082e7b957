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
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One transition of a square float32 tensor on a mesh of one dimension, waited for. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
public class RedistributeBenchmark {
    @Param({"64", "2048"})
    public long size;

    @Param({"2", "4"})
    public int devices;

    @Param({"S(0)->R", "P->R", "S(0)->S(1)"})
    public String transition;

    private DTorch dt;
    private Tensor source;
    private Placement target;

    @Setup(Level.Trial)
    public void open() {
        dt = DTorch.open();
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {devices}, List.of());
        String[] ends = transition.split("->");
        source = dt.ones(new long[] {size, size}, dt.options(null, mesh, List.of(Placement.parse(ends[0]))));
        target = Placement.parse(ends[1]);
    }

    @TearDown(Level.Trial)
    public void close() {
        dt.close();
    }

    @Benchmark
    public void redistribute() {
        try (Tensor moved = source.redistribute(target)) {
            dt.sync();
        }
    }
}
