package org.dtorch.backend.cpu.simd;

import static org.dtorch.backend.cpu.memory.Native.getByte;
import static org.dtorch.backend.cpu.memory.Native.getDouble;
import static org.dtorch.backend.cpu.memory.Native.getFloat;
import static org.dtorch.backend.cpu.memory.Native.getInt;
import static org.dtorch.backend.cpu.memory.Native.getLong;
import static org.dtorch.backend.cpu.memory.Native.getShort;
import static org.dtorch.backend.cpu.memory.Native.putByte;
import static org.dtorch.backend.cpu.memory.Native.putDouble;
import static org.dtorch.backend.cpu.memory.Native.putFloat;
import static org.dtorch.backend.cpu.memory.Native.putInt;
import static org.dtorch.backend.cpu.memory.Native.putLong;
import static org.dtorch.backend.cpu.memory.Native.putShort;

import org.dtorch.backend.cpu.memory.HalfFloats;
import org.dtorch.backend.cpu.reference.Reals;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/** float32 arithmetic, one value at a time; float64 is the same text with the names exchanged. */
public class FloatBlocks extends RealBlocks {
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
        for (int i = 0; i < n; i++) {
            putFloat(to + 4L * i, (float) Reals.apply(function, getFloat(from + 4L * i)));
        }
    }

    @Override
    public void binary(BinaryFunction function, long to, long left, long right, int n, int valid) {
        switch (function) {
            case ADD -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getFloat(left + 4L * i) + getFloat(right + 4L * i));
                }
            }
            case SUB -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getFloat(left + 4L * i) - getFloat(right + 4L * i));
                }
            }
            case MUL -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getFloat(left + 4L * i) * getFloat(right + 4L * i));
                }
            }
            case DIV -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getFloat(left + 4L * i) / getFloat(right + 4L * i));
                }
            }
            default -> {
                for (int i = 0; i < n; i++) {
                    double value = Reals.apply(function, getFloat(left + 4L * i), getFloat(right + 4L * i));
                    putFloat(to + 4L * i, (float) value);
                }
            }
        }
    }

    @Override
    public void select(long to, long condition, long whenTrue, long whenFalse, int n) {
        for (int i = 0; i < n; i++) {
            putFloat(to + 4L * i, getFloat((getFloat(condition + 4L * i) != 0 ? whenTrue : whenFalse) + 4L * i));
        }
    }

    @Override
    public void fill(long to, double real, long integer, int n) {
        for (int i = 0; i < n; i++) {
            putFloat(to + 4L * i, (float) real);
        }
    }

    @Override
    public void load(DType dtype, long to, long from, long step, int n) {
        switch (dtype) {
            case BOOL -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getByte(from + step * i) != 0 ? 1 : 0);
                }
            }
            case UINT8 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getByte(from + step * i) & 0xFF);
                }
            }
            case INT8 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getByte(from + step * i));
                }
            }
            case INT16 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getShort(from + step * i));
                }
            }
            case INT32 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getInt(from + step * i));
                }
            }
            case INT64 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getLong(from + step * i));
                }
            }
            case FLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, HalfFloats.fromFloat16(getShort(from + step * i)));
                }
            }
            case BFLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, HalfFloats.fromBfloat16(getShort(from + step * i)));
                }
            }
            case FLOAT32 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, getFloat(from + step * i));
                }
            }
            case FLOAT64 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + 4L * i, (float) getDouble(from + step * i));
                }
            }
        }
    }

    @Override
    public void store(DType dtype, long to, long step, long from, int n) {
        switch (dtype) {
            case BOOL -> {
                for (int i = 0; i < n; i++) {
                    putByte(to + step * i, (byte) (getFloat(from + 4L * i) != 0 ? 1 : 0));
                }
            }
            case UINT8, INT8 -> {
                for (int i = 0; i < n; i++) {
                    putByte(to + step * i, (byte) Casts.toInt(getFloat(from + 4L * i)));
                }
            }
            case INT16 -> {
                for (int i = 0; i < n; i++) {
                    putShort(to + step * i, (short) Casts.toInt(getFloat(from + 4L * i)));
                }
            }
            case INT32 -> {
                for (int i = 0; i < n; i++) {
                    putInt(to + step * i, Casts.toInt(getFloat(from + 4L * i)));
                }
            }
            case INT64 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + step * i, Casts.toLong(getFloat(from + 4L * i)));
                }
            }
            case FLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putShort(to + step * i, HalfFloats.toFloat16(getFloat(from + 4L * i)));
                }
            }
            case BFLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putShort(to + step * i, HalfFloats.toBfloat16(getFloat(from + 4L * i)));
                }
            }
            case FLOAT32 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + step * i, getFloat(from + 4L * i));
                }
            }
            case FLOAT64 -> {
                for (int i = 0; i < n; i++) {
                    putDouble(to + step * i, getFloat(from + 4L * i));
                }
            }
        }
    }

    @Override
    public void accumulate(Combine combine, long to, long from, int n) {
        for (int i = 0; i < n; i++) {
            double value = combine(combine, getFloat(to + 4L * i), getFloat(from + 4L * i));
            putFloat(to + 4L * i, (float) value);
        }
    }

    @Override
    public long fold(Combine combine, long from, int n) {
        double result = neutralValue(combine);
        for (int i = 0; i < n; i++) {
            result = combine(combine, result, getFloat(from + 4L * i));
        }
        return Double.doubleToRawLongBits(result);
    }

    @Override
    public void put(long to, long accumulator) {
        putFloat(to, (float) Double.longBitsToDouble(accumulator));
    }
}
