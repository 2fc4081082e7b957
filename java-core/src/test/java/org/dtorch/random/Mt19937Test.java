package org.dtorch.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;

class Mt19937Test {
    /** The C++ standard fixes the ten thousandth draw of {@code std::mt19937} under its default seed. */
    @Test
    void drawsAreThoseOfTheStandard() {
        Mt19937 twister = new Mt19937(5489);
        assertThat(Integer.toUnsignedLong(twister.next32())).isEqualTo(3499211612L);
        for (int i = 2; i < 10_000; i++) {
            twister.next32();
        }
        assertThat(Integer.toUnsignedLong(twister.next32())).isEqualTo(4123659995L);
    }

    @Test
    void aPairOfDrawsPutsTheFirstIntoTheHighHalf() {
        Mt19937 twister = new Mt19937(5489);
        assertThat(twister.next64()).isEqualTo(3499211612L << 32 | 581869302L);
    }

    @Test
    void skippingEqualsDrawing() {
        for (long draws : new long[] {0, 1, 623, 624, 625, 1248, 100_001}) {
            for (int before : new int[] {0, 1, 624}) {
                Mt19937 drawn = new Mt19937(7);
                for (int i = 0; i < before; i++) {
                    drawn.next32();
                }
                Mt19937 skipped = drawn.copy();
                for (long i = 0; i < draws; i++) {
                    drawn.next32();
                }
                skipped.skip(draws);
                assertThat(skipped).as("%d draws after %d", draws, before).isEqualTo(drawn);
                assertThat(skipped.next32()).isEqualTo(drawn.next32());
            }
        }
    }

    @Test
    void onlyTheLowHalfOfTheSeedDecides() {
        assertThat(new Mt19937(1L << 32 | 5).next32()).isEqualTo(new Mt19937(5).next32());
        assertThat(new Mt19937(1L << 32 | 5).initialSeed()).isEqualTo(1L << 32 | 5);
    }

    @Test
    void aBrokenStateIsRefused() {
        assertThatThrownBy(() -> Mt19937.of(1, new int[3], 0))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("3 words");
        assertThatThrownBy(() -> Mt19937.of(1, new int[624], 625)).hasMessageContaining("next 625");
    }
}
