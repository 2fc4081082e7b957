package org.dtorch.backend.cpu.vector;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.IS_NAN;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_S2I;

import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;
import org.dtorch.backend.cpu.memory.Native;

/**
 * Dense runs of 16-bit floats and bools to float32 and back, whole vectors only.
 *
 * <p>The float16 conversions are done on the bits: to float32 by moving the fraction and multiplying by 2^112, which also
 * makes subnormals right; back by adding the rounding to the bits, and for subnormals by adding 0.5, which aligns them.
 */
final class FloatConversions {
    private static final VectorSpecies<Float> FLOATS = VectorWidth.shape().withLanes(float.class);
    private static final VectorSpecies<Integer> INTS = VectorWidth.shape().withLanes(int.class);
    private static final VectorSpecies<Short> SHORTS =
            VectorShape.forBitSize(VectorWidth.shape().vectorBitSize() / 2).withLanes(short.class);
    private static final int L = FLOATS.length();
    private static final int FLOAT_INFINITY = 0x7F800000;

    private FloatConversions() {}

    static void fromBfloat16(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            set(to, i, shorts(from, i).lanewise(LSHL, 16).reinterpretAsFloats());
        }
    }

    static void toBfloat16(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            FloatVector x = get(from, i);
            IntVector bits = x.reinterpretAsInts();
            IntVector rounded =
                    bits.add(0x7FFF).add(bits.lanewise(LSHR, 16).and(1)).lanewise(LSHR, 16);
            setShorts(to, i, rounded.blend(0x7FC0, x.test(IS_NAN).cast(INTS)));
        }
    }

    static void fromFloat16(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            IntVector half = shorts(from, i);
            IntVector magnitude = half.and(0x7FFF).lanewise(LSHL, 13);
            IntVector finite = magnitude.reinterpretAsFloats().mul(0x1p112f).reinterpretAsInts();
            IntVector result = finite.blend(magnitude.or(FLOAT_INFINITY), magnitude.compare(GE, 0x7C00 << 13));
            set(to, i, result.or(half.and(0x8000).lanewise(LSHL, 16)).reinterpretAsFloats());
        }
    }

    static void toFloat16(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            IntVector bits = get(from, i).reinterpretAsInts();
            IntVector magnitude = bits.and(Integer.MAX_VALUE);
            IntVector odd = magnitude.lanewise(LSHR, 13).and(1);
            IntVector normal =
                    magnitude.add(odd).add(((15 - 127) << 23) + 0xFFF).lanewise(LSHR, 13);
            IntVector subnormal = magnitude
                    .reinterpretAsFloats()
                    .add(0.5f)
                    .reinterpretAsInts()
                    .sub(0x3F000000);
            IntVector result = normal.blend(subnormal, magnitude.compare(LT, (127 - 14) << 23));
            result = result.blend(0x7C00, magnitude.compare(GE, (127 + 16) << 23));
            IntVector nan = magnitude.lanewise(LSHR, 13).and(0x3FF).or(0x7E00);
            result = result.blend(nan, magnitude.compare(GE, FLOAT_INFINITY + 1));
            setShorts(to, i, result.or(bits.lanewise(ASHR, 16).and(0x8000)));
        }
    }

    /** Each truth becomes a byte: the mask's bits are spread over the bytes of a word. */
    static void toBool(long to, long from, int n) {
        for (int i = 0; i < n; i += L) {
            long bits = get(from, i).compare(NE, 0).toLong();
            if (L == 4) {
                Native.putInt(to + i, (int) Long.expand(bits, 0x01010101L));
            } else {
                Native.putLong(to + i, Long.expand(bits & 0xFF, 0x0101010101010101L));
                if (L == 16) {
                    Native.putLong(to + i + 8, Long.expand(bits >>> 8, 0x0101010101010101L));
                }
            }
        }
    }

    private static FloatVector get(long base, int i) {
        return FloatVector.fromMemorySegment(FLOATS, Native.ALL, base + 4L * i, ByteOrder.LITTLE_ENDIAN);
    }

    private static void set(long base, int i, FloatVector value) {
        value.intoMemorySegment(Native.ALL, base + 4L * i, ByteOrder.LITTLE_ENDIAN);
    }

    private static IntVector shorts(long base, int i) {
        ShortVector bits = ShortVector.fromMemorySegment(SHORTS, Native.ALL, base + 2L * i, ByteOrder.LITTLE_ENDIAN);
        return (IntVector) bits.convertShape(ZERO_EXTEND_S2I, INTS, 0);
    }

    private static void setShorts(long base, int i, IntVector value) {
        ShortVector bits = (ShortVector) value.convertShape(I2S, SHORTS, 0);
        bits.intoMemorySegment(Native.ALL, base + 2L * i, ByteOrder.LITTLE_ENDIAN);
    }
}
