package org.dtorch.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaunchGeometryTest {
    @ParameterizedTest
    @CsvSource({
        "1, 132, 1",
        "256, 132, 1",
        "257, 132, 2",
        "1081344, 132, 4224", // 132 * 32 blocks of 256
        "1081345, 132, 4224",
        "9223372036854775, 132, 4224",
        "100000, 1, 32"
    })
    void oneThreadForAnElementUpToThirtyTwoBlocksForAMultiprocessor(long elements, int multiprocessors, int blocks) {
        assertThat(LaunchGeometry.of(elements, multiprocessors)).isEqualTo(new LaunchGeometry(blocks, 256));
    }
}
