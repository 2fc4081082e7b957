package org.dtorch.backend.cpu.simd;

import java.util.Arrays;
import org.dtorch.backend.cpu.memory.HalfFloats;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.memory.Runs;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/** float32 arithmetic, one value at a time; float64 and int64 are the same text with the names exchanged. */
public class FloatBlocks extends RealBlocks {
    /** A fold runs in so many lanes, whatever the width of the vectors: one order of additions for all. */
    protected static final int FOLD_LANES = 32;

    @Override
    public DType dtype() {
        return DType.FLOAT32;
    }

    @Override
    public int lanes() {
        return 1;
    }

    @Override
    public void unary(UnaryFunction function, long to, long from, int n) {
        float[] x = Runs.floats(from, 4, n);
        for (int i = 0; i < n; i++) {
            x[i] = FloatMath.apply(function, x[i]);
        }
        Runs.put(x, to, 4, n);
    }

    @Override
    public void binary(BinaryFunction function, long to, long left, long right, int n, int valid) {
        float[] x = Runs.floats(left, 4, valid);
        float[] y = Runs.floats(right, 4, valid);
        switch (function) {
            case ADD -> {
                for (int i = 0; i < valid; i++) {
                    x[i] += y[i];
                }
            }
            case SUB -> {
                for (int i = 0; i < valid; i++) {
                    x[i] -= y[i];
                }
            }
            case MUL -> {
                for (int i = 0; i < valid; i++) {
                    x[i] *= y[i];
                }
            }
            case DIV -> {
                for (int i = 0; i < valid; i++) {
                    x[i] /= y[i];
                }
            }
            default -> {
                for (int i = 0; i < valid; i++) {
                    x[i] = FloatMath.apply(function, x[i], y[i]);
                }
            }
        }
        Runs.put(x, to, 4, valid);
    }

    @Override
    public void select(long to, long condition, long whenTrue, long whenFalse, int n) {
        float[] c = Runs.floats(condition, 4, n);
        float[] x = Runs.floats(whenTrue, 4, n);
        float[] y = Runs.floats(whenFalse, 4, n);
        for (int i = 0; i < n; i++) {
            x[i] = c[i] != 0 ? x[i] : y[i];
        }
        Runs.put(x, to, 4, n);
    }

    @Override
    public void fill(long to, double real, long integer, int n) {
        float[] x = new float[n];
        Arrays.fill(x, (float) real);
        Runs.put(x, to, 4, n);
    }

    @Override
    public void load(DType dtype, long to, long from, long step, int n) {
        if (dtype == DType.FLOAT32 && step == 4) {
            Native.copy(from, to, 4L * n);
            return;
        }
        Runs.put(loaded(dtype, from, step, n), to, 4, n);
    }

    private static float[] loaded(DType dtype, long from, long step, int n) {
        if (dtype == DType.FLOAT32) {
            return Runs.floats(from, step, n);
        }
        float[] result = new float[n];
        switch (dtype) {
            case BOOL -> {
                byte[] x = Runs.bytes(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = x[i] != 0 ? 1 : 0;
                }
            }
            case UINT8 -> {
                byte[] x = Runs.bytes(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = x[i] & 0xFF;
                }
            }
            case INT8 -> {
                byte[] x = Runs.bytes(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = x[i];
                }
            }
            case INT16 -> {
                short[] x = Runs.shorts(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = x[i];
                }
            }
            case INT32 -> {
                int[] x = Runs.ints(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = x[i];
                }
            }
            case INT64 -> {
                long[] x = Runs.longs(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = x[i];
                }
            }
            case FLOAT16 -> {
                short[] x = Runs.shorts(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = HalfFloats.fromFloat16(x[i]);
                }
            }
            case BFLOAT16 -> {
                short[] x = Runs.shorts(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = HalfFloats.fromBfloat16(x[i]);
                }
            }
            case FLOAT32 -> throw new IllegalStateException("loaded above");
            case FLOAT64 -> {
                double[] x = Runs.doubles(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = (float) x[i];
                }
            }
        }
        return result;
    }

    @Override
    public void store(DType dtype, long to, long step, long from, int n) {
        if (dtype == DType.FLOAT32 && step == 4) {
            Native.copy(from, to, 4L * n);
            return;
        }
        float[] x = Runs.floats(from, 4, n);
        switch (dtype) {
            case BOOL -> {
                byte[] result = new byte[n];
                for (int i = 0; i < n; i++) {
                    result[i] = (byte) (x[i] != 0 ? 1 : 0);
                }
                Runs.put(result, to, step, n);
            }
            case UINT8, INT8 -> {
                byte[] result = new byte[n];
                for (int i = 0; i < n; i++) {
                    result[i] = (byte) Casts.toInt(x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case INT16 -> {
                short[] result = new short[n];
                for (int i = 0; i < n; i++) {
                    result[i] = (short) Casts.toInt(x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case INT32 -> {
                int[] result = new int[n];
                for (int i = 0; i < n; i++) {
                    result[i] = Casts.toInt(x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case INT64 -> {
                long[] result = new long[n];
                for (int i = 0; i < n; i++) {
                    result[i] = Casts.toLong(x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case FLOAT16 -> {
                short[] result = new short[n];
                for (int i = 0; i < n; i++) {
                    result[i] = HalfFloats.toFloat16(x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case BFLOAT16 -> {
                short[] result = new short[n];
                for (int i = 0; i < n; i++) {
                    result[i] = HalfFloats.toBfloat16(x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case FLOAT32 -> Runs.put(x, to, step, n);
            case FLOAT64 -> {
                double[] result = new double[n];
                for (int i = 0; i < n; i++) {
                    result[i] = x[i];
                }
                Runs.put(result, to, step, n);
            }
        }
    }

    @Override
    public void accumulate(Combine combine, long to, long from, int n) {
        float[] x = Runs.floats(to, 4, n);
        float[] y = Runs.floats(from, 4, n);
        if (combine == Combine.SUM) {
            for (int i = 0; i < n; i++) {
                x[i] += y[i];
            }
        } else {
            for (int i = 0; i < n; i++) {
                x[i] = (float) combine(combine, x[i], y[i]);
            }
        }
        Runs.put(x, to, 4, n);
    }

    @Override
    public long fold(Combine combine, long from, int n) {
        float[] lanes = new float[FOLD_LANES];
        Arrays.fill(lanes, (float) neutralValue(combine));
        return fold(combine, lanes, from, n);
    }

    /** Continues a fold, whose lanes hold what came before, with {@code n} elements, and joins the lanes. */
    protected static long fold(Combine combine, float[] lanes, long from, int n) {
        float[] x = Runs.floats(from, 4, n);
        if (combine == Combine.SUM) {
            for (int i = 0; i < n; i++) {
                lanes[i % FOLD_LANES] += x[i];
            }
        } else {
            for (int i = 0; i < n; i++) {
                int lane = i % FOLD_LANES;
                lanes[lane] = (float) combine(combine, lanes[lane], x[i]);
            }
        }
        double result = lanes[0];
        for (int lane = 1; lane < FOLD_LANES; lane++) {
            result = combine(combine, result, lanes[lane]);
        }
        return Double.doubleToRawLongBits(result);
    }

    @Override
    public void put(long to, long accumulator) {
        Native.putFloat(to, (float) Double.longBitsToDouble(accumulator));
    }
}
