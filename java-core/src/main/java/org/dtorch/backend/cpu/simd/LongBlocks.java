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
import org.dtorch.backend.cpu.reference.Integers;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/** Wrapping int64 arithmetic, one value at a time, for bool and all integers. */
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
        for (int i = 0; i < n; i++) {
            putLong(to + 8L * i, Integers.apply(function, getLong(from + 8L * i)));
        }
    }

    @Override
    public void binary(BinaryFunction function, long to, long left, long right, int n, int valid) {
        for (int i = 0; i < valid; i++) {
            putLong(to + 8L * i, Integers.apply(function, getLong(left + 8L * i), getLong(right + 8L * i)));
        }
    }

    @Override
    public void select(long to, long condition, long whenTrue, long whenFalse, int n) {
        for (int i = 0; i < n; i++) {
            putLong(to + 8L * i, getLong((getLong(condition + 8L * i) != 0 ? whenTrue : whenFalse) + 8L * i));
        }
    }

    @Override
    public void fill(long to, double real, long integer, int n) {
        for (int i = 0; i < n; i++) {
            putLong(to + 8L * i, integer);
        }
    }

    @Override
    public void load(DType dtype, long to, long from, long step, int n) {
        switch (dtype) {
            case BOOL -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, getByte(from + step * i) != 0 ? 1 : 0);
                }
            }
            case UINT8 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, getByte(from + step * i) & 0xFF);
                }
            }
            case INT8 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, getByte(from + step * i));
                }
            }
            case INT16 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, getShort(from + step * i));
                }
            }
            case INT32 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, getInt(from + step * i));
                }
            }
            case INT64 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, getLong(from + step * i));
                }
            }
            case FLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, Casts.toLong(HalfFloats.fromFloat16(getShort(from + step * i))));
                }
            }
            case BFLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, Casts.toLong(HalfFloats.fromBfloat16(getShort(from + step * i))));
                }
            }
            case FLOAT32 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, Casts.toLong(getFloat(from + step * i)));
                }
            }
            case FLOAT64 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + 8L * i, Casts.toLong(getDouble(from + step * i)));
                }
            }
        }
    }

    @Override
    public void store(DType dtype, long to, long step, long from, int n) {
        switch (dtype) {
            case BOOL -> {
                for (int i = 0; i < n; i++) {
                    putByte(to + step * i, (byte) (getLong(from + 8L * i) != 0 ? 1 : 0));
                }
            }
            case UINT8, INT8 -> {
                for (int i = 0; i < n; i++) {
                    putByte(to + step * i, (byte) getLong(from + 8L * i));
                }
            }
            case INT16 -> {
                for (int i = 0; i < n; i++) {
                    putShort(to + step * i, (short) getLong(from + 8L * i));
                }
            }
            case INT32 -> {
                for (int i = 0; i < n; i++) {
                    putInt(to + step * i, (int) getLong(from + 8L * i));
                }
            }
            case INT64 -> {
                for (int i = 0; i < n; i++) {
                    putLong(to + step * i, getLong(from + 8L * i));
                }
            }
            case FLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putShort(to + step * i, HalfFloats.toFloat16((float) getLong(from + 8L * i)));
                }
            }
            case BFLOAT16 -> {
                for (int i = 0; i < n; i++) {
                    putShort(to + step * i, HalfFloats.toBfloat16((float) getLong(from + 8L * i)));
                }
            }
            case FLOAT32 -> {
                for (int i = 0; i < n; i++) {
                    putFloat(to + step * i, getLong(from + 8L * i));
                }
            }
            case FLOAT64 -> {
                for (int i = 0; i < n; i++) {
                    putDouble(to + step * i, getLong(from + 8L * i));
                }
            }
        }
    }

    @Override
    public void accumulate(Combine combine, long to, long from, int n) {
        for (int i = 0; i < n; i++) {
            putLong(to + 8L * i, join(combine, getLong(to + 8L * i), getLong(from + 8L * i)));
        }
    }

    @Override
    public long fold(Combine combine, long from, int n) {
        long result = neutral(combine);
        for (int i = 0; i < n; i++) {
            result = join(combine, result, getLong(from + 8L * i));
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
        putLong(to, accumulator);
    }
}
