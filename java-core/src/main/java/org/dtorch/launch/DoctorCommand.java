package org.dtorch.launch;

import com.sun.management.OperatingSystemMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import jdk.incubator.vector.FloatVector;
import org.dtorch.backend.Backend;
import org.dtorch.ffi.OpenBlas;
import org.dtorch.python.PythonHost;
import org.dtorch.python.Rights;
import org.dtorch.values.DTorchError;
import org.graalvm.polyglot.Value;
import picocli.CommandLine.Command;

/** Says what was found on this machine, proves what can be proved, and names what to install for the rest. */
@Command(name = "doctor", description = "Says what was found on this machine and what is missing.")
final class DoctorCommand implements Callable<Integer> {
    private static final String FIB = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n";
    /** How much faster than its first call a function gets: 5 times by interpreting warm, over 100 by compiling. */
    private static final double COMPILED_GAIN = 25;

    /** Of processor time, since on a busy machine the compiler gets little of each second. */
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    private static final List<Path> LIBRARY_FOLDERS = Stream.concat(
                    Stream.of(System.getenv()
                                    .getOrDefault("LD_LIBRARY_PATH", "")
                                    .split(":"))
                            .filter(s -> !s.isEmpty()),
                    Stream.of(
                            "/usr/lib/x86_64-linux-gnu",
                            "/usr/lib64",
                            "/usr/lib",
                            "/usr/local/lib",
                            "/lib/x86_64-linux-gnu",
                            "/usr/local/cuda/lib64",
                            "/opt/openmpi/lib"))
            .map(Path::of)
            .toList();

    private boolean well = true;

    @Override
    public Integer call() {
        line("JDK", Runtime.version() + ", " + System.getProperty("java.vm.name"));
        jit();
        line(
                "Java compiler",
                useJvmciCompiler()
                        ? "Graal for Java code too (-XX:+UseJVMCICompiler): vector kernels are slower than with C2"
                        : "C2 for Java kernels, Graal for Python only");
        line("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        line("memory", (Runtime.getRuntime().maxMemory() >> 20) + " MiB for the Java heap");
        simd();
        blas();
        backends();
        library(
                "GPU",
                "libcuda.so.1",
                "no NVIDIA driver (libcuda.so.1); install one to use GPUs, meshes are simulated without");
        library(
                "NCCL",
                "libnccl.so.2",
                "not found (libnccl.so.2); needed between GPUs only: package libnccl2 or nvidia-nccl");
        library("MPI", "libmpi.so", "not found (libmpi.so); needed for several processes only: package libopenmpi-dev");
        return well ? 0 : 1;
    }

    private void jit() {
        String name = PythonHost.engine().getImplementationName();
        try (PythonHost host = PythonHost.builder(Rights.EMBEDDED).build()) {
            host.eval(FIB);
            Value fib = host.eval("fib");
            double first = millis(fib);
            double best = first;
            long end = processorNanos() + PATIENCE_NANOS;
            while (best * COMPILED_GAIN > first && processorNanos() < end) {
                best = Math.min(best, millis(fib));
            }
            boolean compiled = PythonHost.compiles() && best * COMPILED_GAIN <= first;
            well &= compiled;
            line(
                    "Python JIT",
                    String.format(
                            "%s: engine %s, fib(20) in %.1f ms, then %.2f ms%s",
                            compiled ? "works" : "DOES NOT WORK",
                            name,
                            first,
                            best,
                            compiled ? "" : "; start through ./dtorch, which puts the compiler on the module path"));
        }
    }

    private static long processorNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static double millis(Value fib) {
        long begin = System.nanoTime();
        fib.executeVoid(20);
        return (System.nanoTime() - begin) / 1e6;
    }

    private void simd() {
        if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
            well = false;
            line(
                    "SIMD",
                    "vector module missing: plain loops are used; start Java with --add-modules jdk.incubator.vector");
        } else {
            line("SIMD", FloatVector.SPECIES_PREFERRED.vectorBitSize() + " bits (Vector API)");
        }
    }

    private void blas() {
        try {
            line("BLAS", product() == 6 ? "OpenBLAS, called and right" : "OpenBLAS ANSWERS WRONGLY");
        } catch (DTorchError e) {
            well = false;
            line("BLAS", e.getMessage());
        }
    }

    /** Two times three, by OpenBLAS. */
    private static float product() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment cells = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 2, 3, 0);
            long a = cells.address();
            OpenBlas.sgemm(false, false, 1, 1, 1, 1, a, 1, a + Float.BYTES, 1, 0, a + 2L * Float.BYTES, 1);
            return cells.getAtIndex(ValueLayout.JAVA_FLOAT, 2);
        }
    }

    private static void backends() {
        ServiceLoader.load(Backend.class).stream().map(p -> p.type().getName()).forEach(name -> line("backend", name));
    }

    private static void library(String title, String file, String absent) {
        line(
                title,
                LIBRARY_FOLDERS.stream()
                        .map(f -> f.resolve(file))
                        .filter(Files::exists)
                        .findFirst()
                        .map(Path::toString)
                        .orElse(absent));
    }

    private static boolean useJvmciCompiler() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-XX:+UseJVMCICompiler");
    }

    private static void line(String title, String text) {
        System.out.printf("%-14s %s%n", title, text);
    }
}
