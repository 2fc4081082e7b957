package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.junit.jupiter.api.Test;

class PointwiseArgumentsTest {
    @Test
    void anAdditionOfAViewAndANumber() {
        Operand out = operand(0x1000, 0, DType.FLOAT32, new long[] {3, 4}, new long[] {4, 1});
        Operand in = operand(0x2000, 5, DType.FLOAT16, new long[] {3, 4}, new long[] {1, 3});
        ByteBuffer packed = pack(
                Expr.input(0).add(Expr.arg(1)), DType.FLOAT32, new Operand[] {in}, out, Scalar.of(7L), Scalar.of(0.5));
        assertThat(packed.capacity()).isEqualTo(576);
        assertThat(packed.getLong(0)).isEqualTo(12); // numel
        assertThat(longs(packed, 8, 3)).containsExactly(3, 4, 0); // sizes
        assertThat(packed.getInt(136)).isEqualTo(2); // rank
        assertThat(packed.getInt(140)).isEqualTo(1); // ADD
        assertThat(packed.getLong(144)).isEqualTo(0x1000); // out
        assertThat(longs(packed, 152, 3)).containsExactly(16, 4, 0);
        assertThat(packed.getInt(280)).isEqualTo(8); // FLOAT32
        assertThat(packed.getLong(288)).isEqualTo(0x200a); // a: five elements of two bytes further
        assertThat(longs(packed, 296, 3)).containsExactly(2, 6, 0);
        assertThat(packed.getInt(424)).isEqualTo(6); // FLOAT16
        assertThat(packed.getLong(432)).isEqualTo(0x3fe0_0000_0000_0000L); // b: the bits of 0.5
        assertThat(longs(packed, 440, 3)).containsExactly(0, 0, 0);
        assertThat(packed.getInt(568)).isEqualTo(10); // NUMBER
    }

    @Test
    void aFillOfIntegersHoldsAnInteger() {
        Operand out = operand(0x1000, 0, DType.INT32, new long[] {}, new long[] {});
        ByteBuffer packed = pack(Expr.arg(0), DType.INT64, new Operand[0], out, Scalar.of(-3L));
        assertThat(packed.getLong(0)).isEqualTo(1);
        assertThat(packed.getInt(136)).isZero(); // rank
        assertThat(packed.getInt(140)).isZero(); // COPY
        assertThat(packed.getLong(288)).isEqualTo(-3);
        assertThat(packed.getInt(424)).isEqualTo(10);
    }

    @Test
    void oneInputMayStandOnBothSides() {
        Operand out = operand(0x1000, 0, DType.INT64, new long[] {2, 2}, new long[] {2, 1});
        Operand in = operand(0x2000, 0, DType.INT64, new long[] {2, 2}, new long[] {1, 2});
        ByteBuffer packed = pack(Expr.input(0).add(Expr.input(0)), DType.INT64, new Operand[] {in}, out);
        assertThat(longs(packed, 296, 2)).containsExactly(8, 16);
        assertThat(longs(packed, 440, 2)).containsExactly(8, 16);
        assertThat(packed.getLong(432)).isEqualTo(0x2000);
    }

    private static ByteBuffer pack(Expr expr, DType compute, Operand[] in, Operand out, Object... args) {
        PointwiseForm form =
                PointwiseForm.of(new Recipe.Pointwise(expr, compute)).orElseThrow();
        byte[] packed = PointwiseArguments.pack(form, compute, new Launch(in, new Operand[] {out}, args, null));
        return ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long[] longs(ByteBuffer packed, int at, int count) {
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = packed.getLong(at + 8 * i);
        }
        return values;
    }

    private static Operand operand(long address, long offset, DType dtype, long[] sizes, long[] strides) {
        return new Operand(new Memory(MemorySegment.ofAddress(address), 0), offset, dtype, sizes, strides);
    }
}
