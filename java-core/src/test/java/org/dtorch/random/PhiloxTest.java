package org.dtorch.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PhiloxTest {
    /** The known answers published with the paper's library, Random123. */
    @Test
    void answersAreTheKnownOnes() {
        assertThat(permuted(0, 0, 0, 0, 0, 0)).containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
        assertThat(permuted(-1, -1, -1, -1, -1, -1)).containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
        assertThat(permuted(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0))
                .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
    }

    @Test
    void aPartIsTheSameAsThatPartOfTheWhole() {
        Philox philox = new Philox(42, 3);
        int[] whole = new int[100];
        philox.fill(0, whole);
        for (int start = 0; start < 10; start++) {
            int[] part = new int[37];
            philox.fill(start, part);
            float[] uniform = new float[37];
            philox.uniform(start, uniform);
            for (int i = 0; i < part.length; i++) {
                assertThat(part[i]).isEqualTo(whole[start + i]).isEqualTo(philox.at(start + i));
                assertThat(uniform[i]).isEqualTo(philox.uniform(start + i)).isBetween(0f, Math.nextDown(1f));
            }
        }
    }

    @Test
    void seedCallAndIndexAllMatter() {
        assertThat(new Philox(1, 0).at(5)).isNotEqualTo(new Philox(2, 0).at(5));
        assertThat(new Philox(1L << 40, 0).at(5)).isNotEqualTo(new Philox(0, 0).at(5));
        assertThat(new Philox(1, 0).at(5)).isNotEqualTo(new Philox(1, 1).at(5));
        assertThat(new Philox(1, 0).at(5)).isNotEqualTo(new Philox(1, 1L << 32).at(5));
        assertThat(new Philox(1, 0).at(5)).isNotEqualTo(new Philox(1, 0).at(5 + (1L << 40)));
    }

    @Test
    void valuesAreEvenlySpread() {
        float[] values = new float[100_000];
        new Philox(9, 0).uniform(0, values);
        double sum = 0;
        int low = 0;
        for (float value : values) {
            sum += value;
            low += value < 0.25f ? 1 : 0;
        }
        assertThat(sum / values.length).isBetween(0.495, 0.505);
        assertThat(low).isBetween(24_500, 25_500);
    }

    private static int[] permuted(int c0, int c1, int c2, int c3, int k0, int k1) {
        int[] counter = {c0, c1, c2, c3};
        Philox.permute(counter, k0, k1);
        return counter;
    }
}
