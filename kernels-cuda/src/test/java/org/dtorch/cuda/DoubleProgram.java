package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.dtorch.backend.Backend;
import org.dtorch.backend.BackendReport;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.CpuBackend;
import org.dtorch.mesh.DeviceType;
import org.dtorch.op.Promotion;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.runtime.Session;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** What {@link DoubleTest} runs in a process that has the stand-in for the driver on its library path. */
final class DoubleProgram {
    private static final CudaBackend GPU = new CudaBackend();
    private static final Backend CPU = new CpuBackend();
    private static final Map<String, Step> STEPS = new LinkedHashMap<>();

    /** One named check. */
    private interface Step {
        void run() throws Exception;
    }

    static {
        STEPS.put("discovery", DoubleProgram::discovery);
        STEPS.put("memory", DoubleProgram::memory);
        STEPS.put("copies", DoubleProgram::copies);
        STEPS.put("any thread", DoubleProgram::anyThread);
        STEPS.put("kernels by hand", DoubleProgram::kernelsByHand);
        STEPS.put("kernels as the CPU's", DoubleProgram::kernelsAsTheCpus);
        STEPS.put("foreign address", DoubleProgram::foreignAddress);
        STEPS.put("session simulates", DoubleProgram::sessionSimulates);
    }

    private DoubleProgram() {}

    static List<String> names() {
        return List.copyOf(STEPS.keySet());
    }

    public static void main(String[] args) throws Exception {
        for (Map.Entry<String, Step> step : STEPS.entrySet()) {
            step.getValue().run();
            System.out.println("passed " + step.getKey());
        }
    }

    private static void discovery() {
        assertThat(GPU.deviceCount()).isEqualTo(2);
        assertThat(GPU.absence()).isEmpty();
        assertThat(GPU.deviceName(1)).isEqualTo("Double 1, 0.0 GiB, compute capability 9.0");
        assertThat(BackendReport.of(GPU).text())
                .startsWith("2 devices: Double 0, 0.0 GiB, compute capability 9.0; Double 1,")
                .endsWith("(not used yet: the backend lacks kernels, sessions simulate the devices)");
        assertThatThrownBy(() -> GPU.allocate(2, 8))
                .isInstanceOf(DTorchError.class)
                .hasMessage("device cuda:2 does not exist: there are 2, ids 0 to 1");
    }

    private static void memory() {
        Memory block = GPU.allocate(1, 1000);
        assertThat(block.bytes()).isEqualTo(1000);
        assertThat(block.device()).isEqualTo(1);
        assertThat(block.segment().address() % 64).isZero();
        MemorySegment view = block.segment().asSlice(8, 16);
        assertThat(view.address()).isEqualTo(block.segment().address() + 8);
        assertThatThrownBy(() -> view.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> GPU.allocate(1, 1 << 20))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.OUT_OF_MEMORY))
                .hasMessage("cuda:1: cannot allocate 1048576 bytes: CUDA_ERROR_OUT_OF_MEMORY");
        GPU.free(block);
        assertThatThrownBy(() -> GPU.free(block))
                .isInstanceOf(DTorchError.class)
                .hasMessage("cuda:1: freeing 1000 bytes: CUDA_ERROR_INVALID_VALUE");
        GPU.free(GPU.allocate(1, 1 << 20)); // all of it is free again
        GPU.free(GPU.allocate(1, 0));
    }

    private static void copies() {
        Memory first = GPU.allocate(0, 16);
        Memory second = GPU.allocate(0, 16);
        Memory other = GPU.allocate(1, 16);
        byte[] bytes = new byte[16];
        for (int i = 0; i < 16; i++) {
            bytes[i] = (byte) (i + 1);
        }
        GPU.copyFromHost(MemorySegment.ofArray(bytes), 0, first, 0, 16);
        GPU.copy(first, 4, second, 8, 8);
        GPU.copy(second, 8, other, 0, 8);
        GPU.copy(first, 0, other, 8, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(10);
            GPU.copyToHost(other, 0, host, 2, 8);
            assertThat(host.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 0, 5, 6, 7, 8, 9, 10, 11, 12);
        }
        GPU.synchronize(0);
        assertThatThrownBy(() -> GPU.copy(first, 9, second, 0, 8))
                .isInstanceOf(DTorchError.class)
                .hasMessage("cuda: copy of 8 bytes at position 9 of a source of 16 bytes");
        assertThatThrownBy(() -> GPU.copyFromHost(MemorySegment.ofArray(bytes), 0, first, 1, 16))
                .isInstanceOf(DTorchError.class)
                .hasMessage("cuda: copy of 16 bytes at position 1 of a target of 16 bytes");
        GPU.free(first);
        GPU.free(second);
        GPU.free(other);
    }

    private static void anyThread() throws InterruptedException {
        Memory made = GPU.allocate(0, 8);
        List<Throwable> thrown = new ArrayList<>();
        byte[] back = new byte[8];
        Thread thread = new Thread(() -> {
            Operand all = new Operand(made, 0, DType.INT64, new long[] {1}, new long[] {1});
            GPU.kernel(new Recipe.Pointwise(Expr.arg(0), DType.INT64)).run(launch(all, new Object[] {Scalar.of(258L)}));
            GPU.copyToHost(made, 0, MemorySegment.ofArray(back), 0, 8);
            GPU.free(made);
        });
        thread.setUncaughtExceptionHandler((t, e) -> thrown.add(e));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
        assertThat(back).containsExactly(2, 1, 0, 0, 0, 0, 0, 0);
    }

    /** [[1, 2, 3], [4, 5, 6]] as int32, transposed and added to a broadcast row, stored as float16. */
    private static void kernelsByHand() {
        Memory ints = GPU.allocate(0, 24);
        Memory row = GPU.allocate(0, 8);
        Memory out = GPU.allocate(0, 12);
        GPU.copyFromHost(MemorySegment.ofArray(new int[] {1, 2, 3, 4, 5, 6}), 0, ints, 0, 24);
        GPU.copyFromHost(MemorySegment.ofArray(new float[] {0.5f, 100}), 0, row, 0, 8);
        long[] sizes = {3, 2};
        GPU.kernel(new Recipe.Pointwise(Expr.input(0).add(Expr.input(1)), DType.FLOAT32))
                .run(new Launch(
                        new Operand[] {
                            new Operand(ints, 0, DType.INT32, sizes, new long[] {1, 3}),
                            new Operand(row, 0, DType.FLOAT32, sizes, new long[] {0, 1})
                        },
                        new Operand[] {new Operand(out, 0, DType.FLOAT16, sizes, new long[] {2, 1})},
                        new Object[0],
                        null));
        short[] halves = new short[6];
        GPU.copyToHost(out, 0, MemorySegment.ofArray(halves), 0, 12);
        float[] values = new float[6];
        for (int i = 0; i < 6; i++) {
            values[i] = Float.float16ToFloat(halves[i]);
        }
        assertThat(values).containsExactly(1.5f, 104, 2.5f, 105, 3.5f, 106);
        for (Memory block : List.of(ints, row, out)) {
            GPU.free(block);
        }
    }

    /** Copies between every two dtypes, fills and sums, over values at the edges, against the CPU backend. */
    private static void kernelsAsTheCpus() {
        long seed = 20240611;
        SplittableRandom random = new SplittableRandom(seed);
        for (DType from : DType.values()) {
            for (DType to : DType.values()) {
                for (DType compute : new DType[] {Promotion.compute(from), Promotion.compute(to)}) {
                    String what = from + " to " + to + " in " + compute + ", seed " + seed;
                    agree(what, new Recipe.Pointwise(Expr.input(0), compute), from, to, random);
                    agree(
                            what + ", added",
                            new Recipe.Pointwise(Expr.input(0).add(Expr.input(1)), compute),
                            from,
                            to,
                            random);
                    agree(
                            what + ", plus",
                            new Recipe.Pointwise(Expr.input(0).add(Expr.arg(0)), compute),
                            from,
                            to,
                            random);
                    agree(what + ", filled", new Recipe.Pointwise(Expr.arg(0), compute), from, to, random);
                }
            }
        }
    }

    private static void agree(String what, Recipe recipe, DType from, DType to, SplittableRandom random) {
        long[] sizes = {7, 1, 41};
        long[] dense = {41, 41, 1};
        long[] transposed = {1, 3, 7};
        int count = 7 * 41;
        MemorySegment a = values(from, count, random);
        MemorySegment b = values(from, count, random);
        Object[] args = {Scalar.of(random.nextInt(-50, 50) + 0.25)};
        List<byte[]> results = new ArrayList<>();
        for (Backend backend : new Backend[] {CPU, GPU}) {
            Memory left = backend.allocate(0, (long) count * from.bytes());
            Memory right = backend.allocate(0, (long) count * from.bytes());
            Memory out = backend.allocate(0, (long) count * to.bytes());
            backend.copyFromHost(a, 0, left, 0, a.byteSize());
            backend.copyFromHost(b, 0, right, 0, b.byteSize());
            Operand[] inputs = {new Operand(left, 0, from, sizes, dense), new Operand(right, 0, from, sizes, transposed)
            };
            Operand[] outputs = {new Operand(out, 0, to, sizes, dense)};
            backend.kernel(recipe).run(new Launch(inputs, outputs, args, null));
            byte[] result = new byte[count * to.bytes()];
            backend.copyToHost(out, 0, MemorySegment.ofArray(result), 0, result.length);
            results.add(result);
            for (Memory block : List.of(left, right, out)) {
                backend.free(block);
            }
        }
        canonicalNaN(to, results.get(0));
        canonicalNaN(to, results.get(1));
        assertThat(results.get(1)).as(what).isEqualTo(results.get(0));
    }

    /** NaNs are one value; their bits are not promised. */
    private static void canonicalNaN(DType dtype, byte[] bytes) {
        MemorySegment all = MemorySegment.ofArray(bytes);
        for (int i = 0; i < bytes.length / dtype.bytes(); i++) {
            switch (dtype) {
                case FLOAT16 -> {
                    if (Float.isNaN(Float.float16ToFloat(all.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i)))) {
                        all.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) 0x7e00);
                    }
                }
                case BFLOAT16 -> {
                    if (Float.isNaN(Float.intBitsToFloat(all.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i) << 16))) {
                        all.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) 0x7fc0);
                    }
                }
                case FLOAT32 -> {
                    if (Float.isNaN(all.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i))) {
                        all.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, Float.NaN);
                    }
                }
                case FLOAT64 -> {
                    if (Double.isNaN(all.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i))) {
                        all.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, Double.NaN);
                    }
                }
                case BOOL, UINT8, INT8, INT16, INT32, INT64 -> {}
            }
        }
    }

    /** Random bits, which are also infinities, NaNs and subnormals, and small numbers between them. */
    private static MemorySegment values(DType dtype, int count, SplittableRandom random) {
        MemorySegment all = MemorySegment.ofArray(new byte[count * dtype.bytes()]);
        for (int i = 0; i < count; i++) {
            long at = (long) i * dtype.bytes();
            long bits = random.nextLong();
            double small = random.nextInt(-2000, 2000) / 8.0;
            boolean wild = random.nextInt(3) == 0;
            switch (dtype) {
                case BOOL -> all.set(ValueLayout.JAVA_BYTE, at, (byte) (bits & 1));
                case UINT8, INT8 -> all.set(ValueLayout.JAVA_BYTE, at, (byte) bits);
                case INT16 -> all.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) bits);
                case INT32 -> all.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) bits);
                case INT64 -> all.set(ValueLayout.JAVA_LONG_UNALIGNED, at, wild ? bits : (long) small);
                case FLOAT16 ->
                    all.set(
                            ValueLayout.JAVA_SHORT_UNALIGNED,
                            at,
                            wild ? (short) bits : Float.floatToFloat16((float) small));
                case BFLOAT16 ->
                    all.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short)
                            (wild ? bits : Float.floatToRawIntBits((float) small) >> 16));
                case FLOAT32 ->
                    all.set(
                            ValueLayout.JAVA_FLOAT_UNALIGNED,
                            at,
                            wild ? Float.intBitsToFloat((int) bits) : (float) small);
                case FLOAT64 ->
                    all.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, wild ? Double.longBitsToDouble(bits) : small);
            }
        }
        return all;
    }

    private static void foreignAddress() {
        Memory there = GPU.allocate(1, 8);
        Memory here = GPU.allocate(0, 8);
        Operand from = new Operand(there, 0, DType.INT64, new long[] {1}, new long[] {1});
        Operand to = new Operand(here, 0, DType.INT64, new long[] {1}, new long[] {1});
        assertThatThrownBy(() -> GPU.kernel(new Recipe.Pointwise(Expr.input(0), DType.INT64))
                        .run(new Launch(new Operand[] {from}, new Operand[] {to}, new Object[0], null)))
                .isInstanceOf(DTorchError.class)
                .hasMessage("cuda:0: starting dtorch_pointwise_int64 with 1 blocks of 256 threads:"
                        + " CUDA_ERROR_ILLEGAL_ADDRESS");
        GPU.free(there);
        GPU.free(here);
    }

    private static void sessionSimulates() {
        try (Session session = Session.open(Settings.defaults(), List.of(CPU, GPU))) {
            assertThat(session.device(DeviceType.CUDA, 7).isSimulated()).isTrue();
            assertThat(session.device(DeviceType.CUDA, 7).backend().name()).isEqualTo("cpu");
        }
    }

    private static Launch launch(Operand out, Object[] args) {
        return new Launch(new Operand[0], new Operand[] {out}, args, null);
    }
}
