package org.dtorch.backend.cpu.vector;

import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.IS_INFINITE;
import static jdk.incubator.vector.VectorOperators.IS_NAN;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;

import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.DoubleBlocks;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe.Combine;
import org.dtorch.values.DType;

/** float64 arithmetic with vectors; what has no loop here is computed one value at a time. */
final class VectorDoubleBlocks extends DoubleBlocks {
    private static final VectorSpecies<Double> SPECIES = VectorWidth.shape().withLanes(double.class);
    private static final int L = SPECIES.length();
    private static final DoubleVector ZERO = DoubleVector.zero(SPECIES);
    private static final DoubleVector ONE = DoubleVector.broadcast(SPECIES, 1);

    @Override
    public int lanes() {
        return L;
    }

    @Override
    public void unary(UnaryFunction function, long to, long from, int n) {
        switch (function) {
            case NEG -> neg(to, from, n);
            case ABS -> abs(to, from, n);
            case SIGN -> sign(to, from, n);
            case SQRT -> sqrt(to, from, n);
            case RSQRT -> rsqrt(to, from, n);
            case RECIPROCAL -> reciprocal(to, from, n);
            case FLOOR -> floor(to, from, n);
            case CEIL -> ceil(to, from, n);
            case ROUND -> round(to, from, n);
            case TRUNC -> trunc(to, from, n);
            case LOGICAL_NOT -> not(to, from, n);
            case ISNAN -> isNan(to, from, n);
            case ISINF -> isInf(to, from, n);
            case EXP -> exp(to, from, n);
            case SIGMOID -> sigmoid(to, from, n);
            default -> super.unary(function, to, from, n);
        }
    }

    @Override
    public void binary(BinaryFunction function, long to, long left, long right, int n, int valid) {
        switch (function) {
            case ADD -> add(to, left, right, n);
            case SUB -> sub(to, left, right, n);
            case MUL -> mul(to, left, right, n);
            case DIV -> div(to, left, right, n);
            case MAXIMUM -> maximum(to, left, right, n);
            case MINIMUM -> minimum(to, left, right, n);
            case EQ -> eq(to, left, right, n);
            case NE -> ne(to, left, right, n);
            case LT -> lt(to, left, right, n);
            case LE -> le(to, left, right, n);
            case GT -> gt(to, left, right, n);
            case GE -> ge(to, left, right, n);
            case LOGICAL_AND -> and(to, left, right, n);
            case LOGICAL_OR -> or(to, left, right, n);
            case LOGICAL_XOR -> xor(to, left, right, n);
            default -> super.binary(function, to, left, right, n, valid);
        }
    }

    @Override
    public void select(long to, long condition, long whenTrue, long whenFalse, int n) {
        for (int i = 0; i < n; i += L) {
            set(
                    to,
                    i,
                    get(whenFalse, i).blend(get(whenTrue, i), get(condition, i).compare(NE, 0)));
        }
    }

    @Override
    public void fill(long to, double real, long integer, int n) {
        DoubleVector value = DoubleVector.broadcast(SPECIES, real);
        int i = 0;
        for (; i <= n - L; i += L) {
            set(to, i, value);
        }
        super.fill(to + 8L * i, real, integer, n - i);
    }

    @Override
    public void load(DType dtype, long to, long from, long step, int n) {
        if (dtype == DType.FLOAT64 && step == 8) {
            Native.copy(from, to, (long) n * 8);
        } else {
            super.load(dtype, to, from, step, n);
        }
    }

    @Override
    public void store(DType dtype, long to, long step, long from, int n) {
        if (dtype == DType.FLOAT64 && step == 8) {
            Native.copy(from, to, (long) n * 8);
        } else {
            super.store(dtype, to, step, from, n);
        }
    }

    @Override
    public void accumulate(Combine combine, long to, long from, int n) {
        int whole = n - n % L;
        switch (combine) {
            case SUM -> add(to, to, from, whole);
            case PROD -> mul(to, to, from, whole);
            case MAX -> max(to, to, from, whole);
            case MIN -> min(to, to, from, whole);
            case ANY -> or(to, to, from, whole);
            case ALL -> and(to, to, from, whole);
        }
        super.accumulate(combine, to + 8L * whole, from + 8L * whole, n - whole);
    }

    @Override
    public long fold(Combine combine, long from, int n) {
        int whole = n - n % FOLD_LANES;
        if (whole == 0) {
            return super.fold(combine, from, n);
        }
        double[] lanes = new double[FOLD_LANES];
        for (int lane = 0; lane < FOLD_LANES; lane += 2 * L) {
            switch (combine) {
                case SUM -> sums(lanes, lane, from, whole);
                case PROD -> products(lanes, lane, from, whole);
                case MAX -> greatest(lanes, lane, from, whole);
                case MIN -> least(lanes, lane, from, whole);
                case ANY -> truths(lanes, lane, from, whole);
                case ALL -> allTruths(lanes, lane, from, whole);
            }
        }
        return fold(combine, lanes, from + 8L * whole, n - whole);
    }

    private static DoubleVector get(long base, int i) {
        return DoubleVector.fromMemorySegment(SPECIES, Native.ALL, base + 8L * i, ByteOrder.LITTLE_ENDIAN);
    }

    private static void set(long base, int i, DoubleVector value) {
        value.intoMemorySegment(Native.ALL, base + 8L * i, ByteOrder.LITTLE_ENDIAN);
    }

    private static DoubleVector truth(VectorMask<Double> mask) {
        return ZERO.blend(ONE, mask);
    }

    private static void neg(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, x.neg());
        }
    }

    private static void abs(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, x.abs());
        }
    }

    private static void sign(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, ZERO.blend(ONE, x.compare(GT, 0)).blend(ONE.neg(), x.compare(LT, 0)));
        }
    }

    private static void sqrt(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, x.sqrt());
        }
    }

    private static void rsqrt(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, ONE.div(x.sqrt()));
        }
    }

    private static void reciprocal(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, ONE.div(x));
        }
    }

    private static void floor(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, DoubleFunctions.floor(x));
        }
    }

    private static void ceil(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, DoubleFunctions.floor(x.neg()).neg());
        }
    }

    private static void round(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, DoubleFunctions.round(x));
        }
    }

    private static void trunc(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, DoubleFunctions.trunc(x));
        }
    }

    private static void not(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, truth(x.compare(EQ, 0)));
        }
    }

    private static void isNan(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, truth(x.test(IS_NAN)));
        }
    }

    private static void isInf(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, truth(x.test(IS_INFINITE)));
        }
    }

    private static void exp(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, DoubleFunctions.exp(x));
        }
    }

    private static void sigmoid(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(from, i);
            set(to, i, ONE.div(ONE.add(DoubleFunctions.exp(x.neg()))));
        }
    }

    private static void add(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, x.add(y));
        }
    }

    private static void sub(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, x.sub(y));
        }
    }

    private static void mul(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, x.mul(y));
        }
    }

    private static void div(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, x.div(y));
        }
    }

    private static void maximum(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, x.blend(y, x.compare(LT, y).or(y.test(IS_NAN))).blend(x, x.test(IS_NAN)));
        }
    }

    private static void minimum(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, x.blend(y, x.compare(GT, y).or(y.test(IS_NAN))).blend(x, x.test(IS_NAN)));
        }
    }

    private static void eq(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(EQ, y)));
        }
    }

    private static void ne(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(NE, y)));
        }
    }

    private static void lt(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(LT, y)));
        }
    }

    private static void le(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(LE, y)));
        }
    }

    private static void gt(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(GT, y)));
        }
    }

    private static void ge(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(GE, y)));
        }
    }

    private static void and(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(NE, 0).and(y.compare(NE, 0))));
        }
    }

    private static void or(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(NE, 0).or(y.compare(NE, 0))));
        }
    }

    private static void xor(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            DoubleVector x = get(left, i);
            DoubleVector y = get(right, i);
            set(to, i, truth(x.compare(NE, 0).xor(y.compare(NE, 0))));
        }
    }

    /** As Math.max: -0 is less than 0, unlike the pointwise function. */
    private static void max(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            set(to, i, get(left, i).max(get(right, i)));
        }
    }

    /** As Math.min: -0 is less than 0, unlike the pointwise function. */
    private static void min(long to, long left, long right, int n) {
        for (int i = 0; i < n; i += L) {
            set(to, i, get(left, i).min(get(right, i)));
        }
    }

    private static void sums(double[] lanes, int lane, long from, int n) {
        DoubleVector even = DoubleVector.zero(SPECIES);
        DoubleVector odd = even;
        for (int i = lane; i < n; i += FOLD_LANES) {
            even = even.add(get(from, i));
            odd = odd.add(get(from, i + L));
        }
        even.intoArray(lanes, lane);
        odd.intoArray(lanes, lane + L);
    }

    private static void products(double[] lanes, int lane, long from, int n) {
        DoubleVector even = DoubleVector.broadcast(SPECIES, 1);
        DoubleVector odd = even;
        for (int i = lane; i < n; i += FOLD_LANES) {
            even = even.mul(get(from, i));
            odd = odd.mul(get(from, i + L));
        }
        even.intoArray(lanes, lane);
        odd.intoArray(lanes, lane + L);
    }

    private static void greatest(double[] lanes, int lane, long from, int n) {
        DoubleVector even = DoubleVector.broadcast(SPECIES, Double.NEGATIVE_INFINITY);
        DoubleVector odd = even;
        for (int i = lane; i < n; i += FOLD_LANES) {
            even = even.max(get(from, i));
            odd = odd.max(get(from, i + L));
        }
        even.intoArray(lanes, lane);
        odd.intoArray(lanes, lane + L);
    }

    private static void least(double[] lanes, int lane, long from, int n) {
        DoubleVector even = DoubleVector.broadcast(SPECIES, Double.POSITIVE_INFINITY);
        DoubleVector odd = even;
        for (int i = lane; i < n; i += FOLD_LANES) {
            even = even.min(get(from, i));
            odd = odd.min(get(from, i + L));
        }
        even.intoArray(lanes, lane);
        odd.intoArray(lanes, lane + L);
    }

    private static void truths(double[] lanes, int lane, long from, int n) {
        VectorMask<Double> even = SPECIES.maskAll(false);
        VectorMask<Double> odd = even;
        for (int i = lane; i < n; i += FOLD_LANES) {
            even = even.or(get(from, i).compare(NE, 0));
            odd = odd.or(get(from, i + L).compare(NE, 0));
        }
        truth(even).intoArray(lanes, lane);
        truth(odd).intoArray(lanes, lane + L);
    }

    private static void allTruths(double[] lanes, int lane, long from, int n) {
        VectorMask<Double> even = SPECIES.maskAll(true);
        VectorMask<Double> odd = even;
        for (int i = lane; i < n; i += FOLD_LANES) {
            even = even.and(get(from, i).compare(NE, 0));
            odd = odd.and(get(from, i + L).compare(NE, 0));
        }
        truth(even).intoArray(lanes, lane);
        truth(odd).intoArray(lanes, lane + L);
    }
}
