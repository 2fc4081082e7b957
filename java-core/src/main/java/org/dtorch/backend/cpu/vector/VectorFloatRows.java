package org.dtorch.backend.cpu.vector;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.FloatRows;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.values.DType;

/**
 * Float32 loops by the Vector API; remainders go to the scalar twin. Touched only where the module is present.
 *
 * <p>Sums run in four independent accumulators, because one addition takes four cycles and two can start in each.
 */
public final class VectorFloatRows implements RowMath {
    private static final VectorSpecies<Float> SPECIES = VectorWidth.shape().withLanes(float.class);
    private static final int LANES = SPECIES.length();
    private static final long BYTES = Float.BYTES;
    private static final long STEP = LANES * BYTES;
    private static final RowMath SCALAR = new FloatRows();
    private static final VectorShuffle<Float>[] HALVES = halves();

    @Override
    public DType dtype() {
        return DType.FLOAT32;
    }

    @Override
    public double max(long x, int n) {
        int whole = SPECIES.loopBound(n);
        FloatVector max = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector value = load(x + i * BYTES);
            // A comparison and a blend, not max(): NaN is passed over, and this is two instructions.
            max = max.blend(value, value.compare(VectorOperators.GT, max));
        }
        double rest = SCALAR.max(x + whole * BYTES, n - whole);
        return whole == 0 ? rest : Math.max(max.reduceLanes(VectorOperators.MAX), rest);
    }

    @Override
    public double sum(long x, int n) {
        FloatVector a = zero();
        FloatVector b = zero();
        FloatVector c = zero();
        FloatVector d = zero();
        int i = 0;
        for (; i <= n - 4 * LANES; i += 4 * LANES) {
            long at = x + i * BYTES;
            a = a.add(load(at));
            b = b.add(load(at + STEP));
            c = c.add(load(at + 2 * STEP));
            d = d.add(load(at + 3 * STEP));
        }
        for (; i <= n - LANES; i += LANES) {
            a = a.add(load(x + i * BYTES));
        }
        double rest = SCALAR.sum(x + i * BYTES, n - i);
        return i == 0 ? rest : sumOfLanes(a.add(b).add(c.add(d))) + rest;
    }

    @Override
    public double sumOfSquares(long x, int n, double centre) {
        FloatVector middle = FloatVector.broadcast(SPECIES, (float) centre);
        FloatVector a = zero();
        FloatVector b = zero();
        FloatVector c = zero();
        FloatVector d = zero();
        int i = 0;
        for (; i <= n - 4 * LANES; i += 4 * LANES) {
            long at = x + i * BYTES;
            FloatVector p = load(at).sub(middle);
            FloatVector q = load(at + STEP).sub(middle);
            FloatVector r = load(at + 2 * STEP).sub(middle);
            FloatVector s = load(at + 3 * STEP).sub(middle);
            a = p.fma(p, a);
            b = q.fma(q, b);
            c = r.fma(r, c);
            d = s.fma(s, d);
        }
        for (; i <= n - LANES; i += LANES) {
            FloatVector p = load(x + i * BYTES).sub(middle);
            a = p.fma(p, a);
        }
        double rest = SCALAR.sumOfSquares(x + i * BYTES, n - i, (float) centre);
        return i == 0 ? rest : sumOfLanes(a.add(b).add(c.add(d))) + rest;
    }

    @Override
    public double sumOfExp(long x, int n, double shift) {
        FloatVector offset = FloatVector.broadcast(SPECIES, (float) shift);
        FloatVector sum = zero();
        int whole = SPECIES.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            sum = sum.add(FloatFunctions.exp(load(x + i * BYTES).sub(offset)));
        }
        double rest = SCALAR.sumOfExp(x + whole * BYTES, n - whole, (float) shift);
        return whole == 0 ? rest : sumOfLanes(sum) + rest;
    }

    @Override
    public double exp(long x, long y, int n, double shift) {
        FloatVector offset = FloatVector.broadcast(SPECIES, (float) shift);
        FloatVector sum = zero();
        int whole = SPECIES.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector value = FloatFunctions.exp(load(x + i * BYTES).sub(offset));
            store(value, y + i * BYTES);
            sum = sum.add(value);
        }
        double rest = SCALAR.exp(x + whole * BYTES, y + whole * BYTES, n - whole, (float) shift);
        return whole == 0 ? rest : sumOfLanes(sum) + rest;
    }

    @Override
    public void affine(long x, long y, int n, double centre, double scale, double shift) {
        FloatVector middle = FloatVector.broadcast(SPECIES, (float) centre);
        FloatVector factor = FloatVector.broadcast(SPECIES, (float) scale);
        FloatVector term = FloatVector.broadcast(SPECIES, (float) shift);
        int whole = SPECIES.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            store(load(x + i * BYTES).sub(middle).fma(factor, term), y + i * BYTES);
        }
        long at = whole * BYTES;
        SCALAR.affine(x + at, y + at, n - whole, (float) centre, (float) scale, (float) shift);
    }

    @Override
    public void affine(long x, long y, int n, double centre, double scale, long w, long b) {
        FloatVector middle = FloatVector.broadcast(SPECIES, (float) centre);
        FloatVector factor = FloatVector.broadcast(SPECIES, (float) scale);
        int whole = SPECIES.loopBound(n);
        if (b == 0) {
            for (int i = 0; i < whole; i += LANES) {
                FloatVector value = load(x + i * BYTES).sub(middle).mul(factor);
                store(value.mul(load(w + i * BYTES)), y + i * BYTES);
            }
        } else {
            for (int i = 0; i < whole; i += LANES) {
                FloatVector value = load(x + i * BYTES).sub(middle).mul(factor);
                value = value.fma(load(w + i * BYTES), load(b + i * BYTES));
                store(value, y + i * BYTES);
            }
        }
        long at = whole * BYTES;
        SCALAR.affine(x + at, y + at, n - whole, (float) centre, (float) scale, w + at, b == 0 ? 0 : b + at);
    }

    @Override
    public void add(long x, long y, int n) {
        int whole = SPECIES.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            store(load(y + i * BYTES).add(load(x + i * BYTES)), y + i * BYTES);
        }
        SCALAR.add(x + whole * BYTES, y + whole * BYTES, n - whole);
    }

    @Override
    public void scale(long y, int n, double factor) {
        int whole = SPECIES.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            store(load(y + i * BYTES).mul((float) factor), y + i * BYTES);
        }
        SCALAR.scale(y + whole * BYTES, n - whole, (float) factor);
    }

    @Override
    public void rowDots(long x, long m, long rowStride, int rows, int n, double factor, long y) {
        int whole = SPECIES.loopBound(n);
        long pitch = rowStride * BYTES;
        int r = 0;
        if (whole == n) {
            for (; r <= rows - 4; r += 4) { // four rows share the loads of x
                long row = m + r * pitch;
                FloatVector a = zero();
                FloatVector b = zero();
                FloatVector c = zero();
                FloatVector d = zero();
                for (int i = 0; i < whole; i += LANES) {
                    FloatVector value = load(x + i * BYTES);
                    long at = row + i * BYTES;
                    a = value.fma(load(at), a);
                    b = value.fma(load(at + pitch), b);
                    c = value.fma(load(at + 2 * pitch), c);
                    d = value.fma(load(at + 3 * pitch), d);
                }
                setDot(y, r, a, factor);
                setDot(y, r + 1, b, factor);
                setDot(y, r + 2, c, factor);
                setDot(y, r + 3, d, factor);
            }
        }
        for (; r < rows; r++) {
            long row = m + r * pitch;
            FloatVector a = zero();
            for (int i = 0; i < whole; i += LANES) {
                a = load(x + i * BYTES).fma(load(row + i * BYTES), a);
            }
            double sum = whole == 0 ? 0 : sumOfLanes(a);
            for (int i = whole; i < n; i++) {
                sum += (double) Native.getFloat(x + i * BYTES) * Native.getFloat(row + i * BYTES);
            }
            Native.putFloat(y + r * BYTES, (float) (sum * factor));
        }
    }

    private static void setDot(long y, int r, FloatVector sums, double factor) {
        Native.putFloat(y + r * BYTES, (float) (sumOfLanes(sums) * factor));
    }

    @Override
    public void addWeightedRows(long w, long m, long rowStride, int rows, int n, long y) {
        long pitch = rowStride * BYTES;
        int i = 0;
        for (; i <= n - 4 * LANES; i += 4 * LANES) { // a strip of y stays in registers
            long at = i * BYTES;
            FloatVector a = load(y + at);
            FloatVector b = load(y + at + STEP);
            FloatVector c = load(y + at + 2 * STEP);
            FloatVector d = load(y + at + 3 * STEP);
            for (int r = 0; r < rows; r++) {
                FloatVector weight = FloatVector.broadcast(SPECIES, Native.getFloat(w + r * BYTES));
                long row = m + r * pitch + at;
                a = weight.fma(load(row), a);
                b = weight.fma(load(row + STEP), b);
                c = weight.fma(load(row + 2 * STEP), c);
                d = weight.fma(load(row + 3 * STEP), d);
            }
            store(a, y + at);
            store(b, y + at + STEP);
            store(c, y + at + 2 * STEP);
            store(d, y + at + 3 * STEP);
        }
        for (; i <= n - LANES; i += LANES) {
            FloatVector a = load(y + i * BYTES);
            for (int r = 0; r < rows; r++) {
                float weight = Native.getFloat(w + r * BYTES);
                a = FloatVector.broadcast(SPECIES, weight).fma(load(m + r * pitch + i * BYTES), a);
            }
            store(a, y + i * BYTES);
        }
        SCALAR.addWeightedRows(w, m + i * BYTES, rowStride, rows, n - i, y + i * BYTES);
    }

    @Override
    public void rotate(long x, long cos, long sin, long y, int n, boolean interleaved) {
        int half = n / 2;
        if (interleaved || half % LANES != 0) {
            SCALAR.rotate(x, cos, sin, y, n, interleaved);
            return;
        }
        long second = half * BYTES;
        for (int i = 0; i < half; i += LANES) {
            long at = i * BYTES;
            FloatVector a = load(x + at);
            FloatVector b = load(x + at + second);
            store(a.mul(load(cos + at)).sub(b.mul(load(sin + at))), y + at);
            store(b.mul(load(cos + at + second)).add(a.mul(load(sin + at + second))), y + at + second);
        }
    }

    /** Half upon half: {@code reduceLanes} adds in another order once it is compiled, so that results would change. */
    private static float sumOfLanes(FloatVector value) {
        FloatVector sum = value;
        for (VectorShuffle<Float> half : HALVES) {
            sum = sum.add(sum.rearrange(half));
        }
        return sum.lane(0);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static VectorShuffle<Float>[] halves() {
        VectorShuffle<Float>[] halves = new VectorShuffle[Integer.numberOfTrailingZeros(LANES)];
        for (int i = 0; i < halves.length; i++) {
            halves[i] = VectorShuffle.iota(SPECIES, LANES >> (i + 1), 1, true);
        }
        return halves;
    }

    private static FloatVector zero() {
        return FloatVector.zero(SPECIES);
    }

    private static FloatVector load(long at) {
        return FloatVector.fromMemorySegment(SPECIES, Native.ALL, at, LITTLE_ENDIAN);
    }

    private static void store(FloatVector value, long at) {
        value.intoMemorySegment(Native.ALL, at, LITTLE_ENDIAN);
    }
}
