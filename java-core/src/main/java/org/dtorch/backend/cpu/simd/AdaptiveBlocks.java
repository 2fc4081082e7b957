package org.dtorch.backend.cpu.simd;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.ffi.HostMemory;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/**
 * The plain loops of a compute dtype until its vector loops are compiled, then these.
 *
 * <p>Each loop is warmed up once it has seen enough elements; a script that computes little never pays for it.
 */
final class AdaptiveBlocks implements BlockMath {
    /** Compiling a vector loop takes a core about 0.3 s; it saves about 5 ns per element. */
    private static final int ELEMENTS_WORTH_WARMING = 4_000_000;

    private static final int WARM_UP_ELEMENTS = 512;
    private static final int BLOCK_BYTES = 4096;

    private static final int UNARY = 0;
    private static final int BINARY = UNARY + UnaryFunction.values().length;
    private static final int LOAD = BINARY + BinaryFunction.values().length;
    private static final int STORE = LOAD + DType.values().length;
    private static final int ACCUMULATE = STORE + DType.values().length;
    private static final int FOLD = ACCUMULATE + Combine.values().length;
    private static final int SELECT = FOLD + Combine.values().length;
    private static final int FILL = SELECT + 1;
    private static final int LOOPS = FILL + 1;

    /** Runs one loop of the given arithmetic on the operands of the warm-up. */
    @FunctionalInterface
    private interface Sample {
        void run(BlockMath math, long a, long b, long c);
    }

    private final BlockMath plain;
    private final BlockMath vector;

    /** Whether a loop may be taken; written by the warm-up, and it does not matter when it is seen. */
    private final boolean[] isFast = new boolean[LOOPS];

    /** How many elements each plain loop has seen; negative once its warm-up is requested. */
    private final AtomicIntegerArray seen = new AtomicIntegerArray(LOOPS);

    AdaptiveBlocks(BlockMath plain, BlockMath vector) {
        this.plain = plain;
        this.vector = vector;
    }

    @Override
    public DType dtype() {
        return vector.dtype();
    }

    @Override
    public int lanes() {
        return vector.lanes();
    }

    @Override
    public void unary(UnaryFunction function, long to, long from, int n) {
        int loop = UNARY + function.ordinal();
        if (isFast[loop]) {
            vector.unary(function, to, from, n);
            return;
        }
        count(loop, n, (math, a, b, c) -> math.unary(function, c, a, WARM_UP_ELEMENTS));
        plain.unary(function, to, from, n);
    }

    @Override
    public void binary(BinaryFunction function, long to, long left, long right, int n, int valid) {
        int loop = BINARY + function.ordinal();
        if (isFast[loop]) {
            vector.binary(function, to, left, right, n, valid);
            return;
        }
        count(loop, n, (math, a, b, c) -> math.binary(function, c, a, b, WARM_UP_ELEMENTS, WARM_UP_ELEMENTS));
        plain.binary(function, to, left, right, n, valid);
    }

    @Override
    public void select(long to, long condition, long whenTrue, long whenFalse, int n) {
        if (isFast[SELECT]) {
            vector.select(to, condition, whenTrue, whenFalse, n);
            return;
        }
        count(SELECT, n, (math, a, b, c) -> math.select(c, a, a, b, WARM_UP_ELEMENTS));
        plain.select(to, condition, whenTrue, whenFalse, n);
    }

    @Override
    public void fill(long to, double real, long integer, int n) {
        if (isFast[FILL]) {
            vector.fill(to, real, integer, n);
            return;
        }
        count(FILL, n, (math, a, b, c) -> math.fill(c, 1, 1, WARM_UP_ELEMENTS));
        plain.fill(to, real, integer, n);
    }

    @Override
    public void load(DType dtype, long to, long from, long strideBytes, int n) {
        int loop = LOAD + dtype.ordinal();
        if (isFast[loop] || strideBytes != dtype.bytes()) {
            vector.load(dtype, to, from, strideBytes, n);
            return;
        }
        count(loop, n, (math, a, b, c) -> math.load(dtype, c, a, dtype.bytes(), WARM_UP_ELEMENTS));
        plain.load(dtype, to, from, strideBytes, n);
    }

    @Override
    public void store(DType dtype, long to, long strideBytes, long from, int n) {
        int loop = STORE + dtype.ordinal();
        if (isFast[loop] || strideBytes != dtype.bytes()) {
            vector.store(dtype, to, strideBytes, from, n);
            return;
        }
        count(loop, n, (math, a, b, c) -> math.store(dtype, c, dtype.bytes(), a, WARM_UP_ELEMENTS));
        plain.store(dtype, to, strideBytes, from, n);
    }

    @Override
    public void accumulate(Combine combine, long to, long from, int n) {
        int loop = ACCUMULATE + combine.ordinal();
        if (isFast[loop]) {
            vector.accumulate(combine, to, from, n);
            return;
        }
        count(loop, n, (math, a, b, c) -> math.accumulate(combine, c, a, WARM_UP_ELEMENTS));
        plain.accumulate(combine, to, from, n);
    }

    @Override
    public long fold(Combine combine, long from, int n) {
        int loop = FOLD + combine.ordinal();
        if (isFast[loop]) {
            return vector.fold(combine, from, n);
        }
        count(loop, n, (math, a, b, c) -> Native.putLong(c, math.fold(combine, a, WARM_UP_ELEMENTS)));
        return plain.fold(combine, from, n);
    }

    @Override
    public long neutral(Combine combine) {
        return plain.neutral(combine);
    }

    @Override
    public long join(Combine combine, long a, long b) {
        return plain.join(combine, a, b);
    }

    @Override
    public void put(long to, long accumulator) {
        plain.put(to, accumulator);
    }

    private void count(int loop, int n, Sample sample) {
        int before = seen.get(loop);
        if (before < 0) {
            return;
        }
        if (before + n < ELEMENTS_WORTH_WARMING) {
            seen.set(loop, before + n);
        } else if (seen.compareAndSet(loop, before, Integer.MIN_VALUE)) {
            request(loop, sample);
        }
    }

    private void request(int loop, Sample sample) {
        var operands = HostMemory.allocate(3L * BLOCK_BYTES, 64);
        if (operands == null) {
            return; // without memory there are other worries; the plain loop stays
        }
        long a = operands.address();
        long b = a + BLOCK_BYTES;
        long c = b + BLOCK_BYTES;
        plain.fill(a, 1, 1, WARM_UP_ELEMENTS);
        plain.fill(b, 1, 1, WARM_UP_ELEMENTS);
        plain.fill(c, 1, 1, WARM_UP_ELEMENTS);
        WarmUp.request(() -> sample.run(plain, a, b, c), () -> sample.run(vector, a, b, c), () -> {
            isFast[loop] = true;
            HostMemory.free(operands);
        });
    }
}
