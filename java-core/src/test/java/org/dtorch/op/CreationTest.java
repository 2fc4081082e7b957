package org.dtorch.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.dtorch.api.DTorch;
import org.dtorch.runtime.Settings;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.Test;

/** Which dtype a creation operator takes where none is asked for; values recorded from PyTorch 2.13. */
final class CreationTest {
    @Test
    void dtypesFollowTheNumbersOrTheDefault() {
        try (DTorch dtorch = DTorch.open(Settings.defaults(), () -> "")) {
            assertThat(dtorch.arange(5).dtype()).isEqualTo(DType.INT64);
            assertThat(dtorch.arange(5).toDoubles()).containsExactly(0, 1, 2, 3, 4);
            assertThat(dtorch.arange(1, 2.5, 0.5).dtype()).isEqualTo(DType.FLOAT32);
            assertThat(dtorch.arange(1, 2.5, 0.5).toDoubles()).containsExactly(1, 1.5, 2);
            assertThat(dtorch.arange(3, 0, -1).toDoubles()).containsExactly(3, 2, 1);
            assertThat(dtorch.randint(0, 9, new long[] {2, 3}).dtype()).isEqualTo(DType.INT64);
            assertThat(dtorch.zeros(2).dtype()).isEqualTo(DType.FLOAT32);
            assertThat(dtorch.linspace(0, 1, 5).toDoubles()).containsExactly(0, 0.25, 0.5, 0.75, 1);
            dtorch.setDefaultDType(DType.FLOAT64);
            assertThat(dtorch.arange(1.5).dtype()).isEqualTo(DType.FLOAT64);
            assertThat(dtorch.ones(2).dtype()).isEqualTo(DType.FLOAT64);
            assertThat(dtorch.ones(2).zerosLike().dtype()).isEqualTo(DType.FLOAT64);
        }
    }

    @Test
    void aStepAwayFromTheEndIsRefused() {
        try (DTorch dtorch = DTorch.open(Settings.defaults(), () -> "")) {
            assertThatThrownBy(() -> dtorch.arange(0, 3, -1))
                    .isInstanceOf(DTorchError.class)
                    .hasMessageContaining("upper bound and lower bound inconsistent with step sign");
        }
    }
}
