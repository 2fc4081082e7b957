package org.dtorch.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.dtorch.random.Distribution.Normal;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;

class GeneratorTest {
    @Test
    void seedsAreReportedAsTheyWereGiven() {
        assertThat(new Generator().initialSeed()).isEqualTo(67280421310721L);
        assertThat(Long.toUnsignedString(new Generator(-5).initialSeed())).isEqualTo("18446744073709551611");
    }

    /** Recorded: {@code struct.unpack('<qiiq', state[:24])} of a generator seeded 1, fresh and after ten draws. */
    @Test
    void theStateHasPytorchsLayout() {
        Generator generator = new Generator(1);
        assertThat(head(generator)).containsExactly(1, 0, 1, 1, 0, 0);
        generator.twister().skip(10);
        assertThat(head(generator)).containsExactly(1, 0, 615, 1, 10, 0);
        assertThat(generator.state()).hasSize(5056);
    }

    @Test
    void aStateCarriesTheCachedNormalAndThePhiloxCalls() {
        Generator generator = new Generator(5);
        draw(generator, 3); // an odd number leaves one value over
        generator.nextPhilox();
        byte[] state = generator.state();
        Generator restored = new Generator().setState(state);
        Generator copy = generator.copy();
        assertThat(restored.state()).isEqualTo(state);
        double[] expected = draw(generator, 5);
        assertThat(draw(restored, 5)).isEqualTo(expected);
        assertThat(draw(copy, 5)).isEqualTo(expected);
        assertThat(restored.nextPhilox()).isEqualTo(new Philox(5, 1));
    }

    @Test
    void everyPositionOfTheTwisterSurvives() {
        Generator generator = new Generator(8);
        for (int i = 0; i < 1300; i++) {
            Generator restored = new Generator().setState(generator.state());
            assertThat(restored.twister().next32())
                    .isEqualTo(generator.twister().next32());
        }
    }

    @Test
    void seedingStartsAgain() {
        Generator generator = new Generator(5);
        draw(generator, 3);
        generator.nextPhilox();
        assertThat(generator.manualSeed(5).state()).isEqualTo(new Generator(5).state());
    }

    @Test
    void aBrokenStateIsRefused() {
        assertThatThrownBy(() -> new Generator().setState(new byte[10]))
                .isInstanceOf(DTorchError.class)
                .hasMessageContaining("size 5056 but found the input RNG state size to be 10");
        assertThatThrownBy(() -> new Generator().setState(new byte[5056]))
                .hasMessageContaining("Invalid mt19937 state");
    }

    private static double[] draw(Generator generator, int numel) {
        double[] values = new double[numel];
        TorchRandom.draw(new Normal(0, 1), DType.FLOAT64, numel, generator, (start, block) -> {
            for (int i = 0; i < numel; i++) {
                values[i] = block.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
            }
        });
        return values;
    }

    /** The first 24 bytes as little-endian 32-bit words. */
    private static int[] head(Generator generator) {
        byte[] state = Arrays.copyOf(generator.state(), 24);
        int[] words = new int[6];
        for (int i = 0; i < 24; i++) {
            words[i / 4] |= (state[i] & 0xff) << (8 * (i % 4));
        }
        return words;
    }
}
