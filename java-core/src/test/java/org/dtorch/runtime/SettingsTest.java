package org.dtorch.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    @Test
    void anEmptyEnvironmentGivesDefaults() {
        Settings settings = Settings.defaults();
        assertThat(settings.isolate()).isFalse();
        assertThat(settings.simulatedDevices()).isEqualTo(1024);
        assertThat(settings.communicationTimeout()).isEqualTo(Duration.ofSeconds(600));
        assertThat(settings.placementMode()).isEqualTo("implicit");
        assertThat(settings.memoryLimitBytes()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "1GiB, 1073741824",
        "512MiB, 536870912",
        "64 kib, 65536",
        "2GB, 2000000000",
        "2000000000, 2000000000",
        "1g, 1000000000",
        "10b, 10"
    })
    void sizes(String text, long bytes) {
        assertThat(Settings.fromEnvironment(Map.of("DTORCH_MEMORY_LIMIT", text)).memoryLimitBytes())
                .isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "DTORCH_MEMORY_LIMIT, lots, 1GiB",
        "DTORCH_MEMORY_LIMIT, 0, 1GiB",
        "DTORCH_MEMORY_LIMIT, -1, 1GiB",
        "DTORCH_ISOLATE, maybe, expected 0 or 1",
        "DTORCH_DEBUG, 2, expected 0 or 1",
        "DTORCH_COMM_TIMEOUT_SECOND, 0, from 1 to",
        "DTORCH_COMM_TIMEOUT_SECOND, 1.5, whole number",
        "DTORCH_NUM_GPU_WHEN_ENABLE_DTENSOR_IN_SAME_DEVICE, 1025, from 1 to 1024",
        "DTORCH_PLACEMENT_MODE, loose, implicit or strict",
        "DTORCH_INLINE_NANOS, -3, from 0 to"
    })
    void malformedValuesNameVariableAndForm(String name, String value, String form) {
        assertThatThrownBy(() -> Settings.fromEnvironment(Map.of(name, value)))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE))
                .hasMessageContaining(name + "='" + value + "'")
                .hasMessageContaining(form);
    }

    @Test
    void readsEverything() {
        Settings settings = Settings.fromEnvironment(Map.of(
                "DTORCH_ISOLATE", "1",
                "DTORCH_NUM_GPU_WHEN_ENABLE_DTENSOR_IN_SAME_DEVICE", "8",
                "DTORCH_COMM_TIMEOUT_SECOND", "7",
                "DTORCH_DEBUG", "true",
                "DTORCH_PLACEMENT_MODE", "strict",
                "DTORCH_INLINE_NANOS", "123"));
        assertThat(settings)
                .isEqualTo(
                        new Settings(true, settings.memoryLimitBytes(), 8, Duration.ofSeconds(7), true, "strict", 123));
    }
}
