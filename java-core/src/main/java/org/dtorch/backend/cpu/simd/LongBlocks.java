package org.dtorch.backend.cpu.simd;

import java.util.Arrays;
import org.dtorch.backend.cpu.memory.HalfFloats;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.memory.Runs;
import org.dtorch.backend.cpu.reference.Integers;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/** Wrapping int64 arithmetic, one value at a time, for bool and all integers; the same text as {@link FloatBlocks}. */
public class LongBlocks implements BlockMath {
    @Override
    public DType dtype() {
        return DType.INT64;
    }

    @Override
    public int lanes() {
        return 1;
    }

    @Override
    public void unary(UnaryFunction function, long to, long from, int n) {
        long[] x = Runs.longs(from, 8, n);
        for (int i = 0; i < n; i++) {
            x[i] = Integers.apply(function, x[i]);
        }
        Runs.put(x, to, 8, n);
    }

    @Override
    public void binary(BinaryFunction function, long to, long left, long right, int n, int valid) {
        long[] x = Runs.longs(left, 8, valid);
        long[] y = Runs.longs(right, 8, valid);
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
            default -> {
                for (int i = 0; i < valid; i++) {
                    x[i] = Integers.apply(function, x[i], y[i]);
                }
            }
        }
        Runs.put(x, to, 8, valid);
    }

    @Override
    public void select(long to, long condition, long whenTrue, long whenFalse, int n) {
        long[] c = Runs.longs(condition, 8, n);
        long[] x = Runs.longs(whenTrue, 8, n);
        long[] y = Runs.longs(whenFalse, 8, n);
        for (int i = 0; i < n; i++) {
            x[i] = c[i] != 0 ? x[i] : y[i];
        }
        Runs.put(x, to, 8, n);
    }

    @Override
    public void fill(long to, double real, long integer, int n) {
        long[] x = new long[n];
        Arrays.fill(x, integer);
        Runs.put(x, to, 8, n);
    }

    @Override
    public void load(DType dtype, long to, long from, long step, int n) {
        if (dtype == DType.INT64 && step == 8) {
            Native.copy(from, to, 8L * n);
            return;
        }
        Runs.put(loaded(dtype, from, step, n), to, 8, n);
    }

    private static long[] loaded(DType dtype, long from, long step, int n) {
        if (dtype == DType.INT64) {
            return Runs.longs(from, step, n);
        }
        long[] result = new long[n];
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
            case INT64 -> throw new IllegalStateException("loaded above");
            case FLOAT16 -> {
                short[] x = Runs.shorts(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = Casts.toLong(HalfFloats.fromFloat16(x[i]));
                }
            }
            case BFLOAT16 -> {
                short[] x = Runs.shorts(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = Casts.toLong(HalfFloats.fromBfloat16(x[i]));
                }
            }
            case FLOAT32 -> {
                float[] x = Runs.floats(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = Casts.toLong(x[i]);
                }
            }
            case FLOAT64 -> {
                double[] x = Runs.doubles(from, step, n);
                for (int i = 0; i < n; i++) {
                    result[i] = Casts.toLong(x[i]);
                }
            }
        }
        return result;
    }

    @Override
    public void store(DType dtype, long to, long step, long from, int n) {
        if (dtype == DType.INT64 && step == 8) {
            Native.copy(from, to, 8L * n);
            return;
        }
        long[] x = Runs.longs(from, 8, n);
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
                    result[i] = (byte) x[i];
                }
                Runs.put(result, to, step, n);
            }
            case INT16 -> {
                short[] result = new short[n];
                for (int i = 0; i < n; i++) {
                    result[i] = (short) x[i];
                }
                Runs.put(result, to, step, n);
            }
            case INT32 -> {
                int[] result = new int[n];
                for (int i = 0; i < n; i++) {
                    result[i] = (int) x[i];
                }
                Runs.put(result, to, step, n);
            }
            case INT64 -> Runs.put(x, to, step, n);
            case FLOAT16 -> {
                short[] result = new short[n];
                for (int i = 0; i < n; i++) {
                    result[i] = HalfFloats.toFloat16((float) x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case BFLOAT16 -> {
                short[] result = new short[n];
                for (int i = 0; i < n; i++) {
                    result[i] = HalfFloats.toBfloat16((float) x[i]);
                }
                Runs.put(result, to, step, n);
            }
            case FLOAT32 -> {
                float[] result = new float[n];
                for (int i = 0; i < n; i++) {
                    result[i] = (float) x[i];
                }
                Runs.put(result, to, step, n);
            }
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
        long[] x = Runs.longs(to, 8, n);
        long[] y = Runs.longs(from, 8, n);
        for (int i = 0; i < n; i++) {
            x[i] = join(combine, x[i], y[i]);
        }
        Runs.put(x, to, 8, n);
    }

    @Override
    public long fold(Combine combine, long from, int n) {
        long result = neutral(combine);
        for (long value : Runs.longs(from, 8, n)) {
            result = join(combine, result, value);
        }
        return result;
    }

    @Override
    public final long neutral(Combine combine) {
        return switch (combine) {
            case SUM, ANY -> 0;
            case PROD, ALL -> 1;
            case MAX -> Long.MIN_VALUE;
            case MIN -> Long.MAX_VALUE;
        };
    }

    @Override
    public final long join(Combine combine, long a, long b) {
        return switch (combine) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case ANY -> a != 0 || b != 0 ? 1 : 0;
            case ALL -> a != 0 && b != 0 ? 1 : 0;
        };
    }

    @Override
    public void put(long to, long accumulator) {
        Native.putLong(to, accumulator);
    }
}
