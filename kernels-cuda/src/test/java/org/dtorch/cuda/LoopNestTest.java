package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;

class LoopNestTest {
    @Test
    void denseOperandsAreOneLoop() {
        LoopNest nest = LoopNest.of(
                operand(DType.FLOAT32, sizes(2, 3, 4), sizes(12, 4, 1)),
                operand(DType.INT8, sizes(2, 3, 4), sizes(12, 4, 1)));
        assertThat(nest.sizes()).containsExactly(24);
        assertThat(nest.steps()).isDeepEqualTo(new long[][] {{4}, {1}});
    }

    @Test
    void aTransposedOperandKeepsTheLoopsApart() {
        LoopNest nest = LoopNest.of(
                operand(DType.FLOAT32, sizes(3, 4), sizes(4, 1)), operand(DType.FLOAT32, sizes(3, 4), sizes(1, 3)));
        assertThat(nest.sizes()).containsExactly(3, 4);
        assertThat(nest.steps()).isDeepEqualTo(new long[][] {{16, 4}, {4, 12}});
    }

    @Test
    void aBroadcastDimensionJoinsOnlyAnotherOne() {
        LoopNest nest = LoopNest.of(
                operand(DType.FLOAT32, sizes(2, 3, 4), sizes(12, 4, 1)),
                operand(DType.FLOAT32, sizes(2, 3, 4), sizes(0, 0, 1)));
        assertThat(nest.sizes()).containsExactly(6, 4);
        assertThat(nest.steps()).isDeepEqualTo(new long[][] {{16, 4}, {0, 4}});
    }

    @Test
    void dimensionsOfOneElementAreLeftOut() {
        LoopNest nest = LoopNest.of(operand(DType.INT64, sizes(1, 5, 1), sizes(77, 2, -3)));
        assertThat(nest.sizes()).containsExactly(5);
        assertThat(nest.steps()).isDeepEqualTo(new long[][] {{16}});
        assertThat(LoopNest.of(operand(DType.INT64, sizes(), sizes())).sizes()).isEmpty();
        assertThat(LoopNest.of(operand(DType.INT64, sizes(1, 1), sizes(1, 1))).sizes())
                .isEmpty();
    }

    @Test
    void moreThanSixteenLoopsAreRefused() {
        long[] sizes = new long[17];
        long[] strides = new long[17];
        Arrays.fill(sizes, 2);
        for (int d = 0; d < 17; d++) {
            strides[d] = 1L << d; // the reverse of row-major order: nothing joins
        }
        assertThatThrownBy(() -> LoopNest.of(operand(DType.FLOAT32, sizes, strides)))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.NOT_IMPLEMENTED))
                .hasMessageContaining("here 17 of sizes [2, 2,");
    }

    private static long[] sizes(long... values) {
        return values;
    }

    private static Operand operand(DType dtype, long[] sizes, long[] strides) {
        return new Operand(new Memory(MemorySegment.NULL, 0), 0, dtype, sizes, strides);
    }
}
