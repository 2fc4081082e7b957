package org.dtorch.backend.cpu.simd;

import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.values.DType;

/**
 * The plain float32 loops: they define what the vector ones compute, do their remainders, and run where there are no
 * vectors.
 */
public class FloatRows implements RowMath {
    private static final long BYTES = Float.BYTES;

    @Override
    public DType dtype() {
        return DType.FLOAT32;
    }

    @Override
    public double max(long x, int n) {
        float max = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < n; i++) {
            float value = get(x, i);
            max = value > max ? value : max;
        }
        return max;
    }

    @Override
    public double sum(long x, int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += get(x, i);
        }
        return sum;
    }

    @Override
    public double sumOfSquares(long x, int n, double centre) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double difference = get(x, i) - centre;
            sum += difference * difference;
        }
        return sum;
    }

    @Override
    public double sumOfExp(long x, int n, double shift) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Math.exp(get(x, i) - shift);
        }
        return sum;
    }

    @Override
    public double exp(long x, long y, int n, double shift) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            double value = Math.exp(get(x, i) - shift);
            set(y, i, (float) value);
            sum += value;
        }
        return sum;
    }

    @Override
    public void affine(long x, long y, int n, double centre, double scale, double shift) {
        for (int i = 0; i < n; i++) {
            set(y, i, (float) ((get(x, i) - centre) * scale + shift));
        }
    }

    @Override
    public void affine(long x, long y, int n, double centre, double scale, long w, long b) {
        for (int i = 0; i < n; i++) {
            double value = (get(x, i) - centre) * scale * get(w, i);
            set(y, i, (float) (b == 0 ? value : value + get(b, i)));
        }
    }

    @Override
    public void add(long x, long y, int n) {
        for (int i = 0; i < n; i++) {
            set(y, i, get(y, i) + get(x, i));
        }
    }

    @Override
    public void scale(long y, int n, double factor) {
        for (int i = 0; i < n; i++) {
            set(y, i, (float) (get(y, i) * factor));
        }
    }

    @Override
    public void rowDots(long x, long m, long rowStride, int rows, int n, double factor, long y) {
        for (int r = 0; r < rows; r++) {
            long row = m + r * rowStride * BYTES;
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += (double) get(x, i) * get(row, i);
            }
            set(y, r, (float) (sum * factor));
        }
    }

    @Override
    public void addWeightedRows(long w, long m, long rowStride, int rows, int n, long y) {
        for (int r = 0; r < rows; r++) {
            long row = m + r * rowStride * BYTES;
            float weight = get(w, r);
            for (int i = 0; i < n; i++) {
                set(y, i, get(y, i) + weight * get(row, i));
            }
        }
    }

    @Override
    public void rotate(long x, long cos, long sin, long y, int n, boolean interleaved) {
        int half = n / 2;
        for (int i = 0; i < half; i++) {
            int a = interleaved ? 2 * i : i;
            int b = interleaved ? a + 1 : i + half;
            set(y, a, get(x, a) * get(cos, a) - get(x, b) * get(sin, a));
            set(y, b, get(x, b) * get(cos, b) + get(x, a) * get(sin, b));
        }
    }

    private static float get(long x, int i) {
        return Native.getFloat(x + i * BYTES);
    }

    private static void set(long x, int i, float value) {
        Native.putFloat(x + i * BYTES, value);
    }
}
