package org.dtorch.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementTest {
    @ParameterizedTest
    @CsvSource({
        "R, R, Replicate()",
        "Replicate(), R, Replicate()",
        "S0, S(0), Shard(0)",
        "S(17), S(17), Shard(17)",
        "S-1, S(-1), Shard(-1)",
        "Shard(dim=2), S(2), Shard(2)",
        "P, P(sum), Partial(sum)",
        "Partial(), P(sum), Partial(sum)",
        "P(avg), P(avg), Partial(avg)",
        "P(product), P(product), Partial(product)",
        "P(max), P(max), Partial(max)",
        "Partial(min), P(min), Partial(min)",
    })
    void readsAndPrints(String text, String shortName, String longName) {
        Placement placement = Placement.parse(text);
        assertThat(placement.shortName()).isEqualTo(shortName);
        assertThat(placement).hasToString(longName).isEqualTo(Placement.parse(longName));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "S", "S()", "S(x)", "P(mean)", "R()", "Replicate", "S(0", "S99999999999"})
    void refusesOtherTexts(String text) {
        assertThatThrownBy(() -> Placement.parse(text))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE));
    }

    @Test
    void comparesByValue() {
        assertThat(Placement.shard(3)).isEqualTo(new Shard(3)).isSameAs(Placement.shard(3));
        assertThat(Placement.shard(3)).isNotEqualTo(Placement.shard(2));
        assertThat(Placement.partial())
                .isEqualTo(new Partial(ReduceOp.SUM))
                .isNotEqualTo(Placement.partial(ReduceOp.AVG));
        assertThat(Placement.replicate()).isSameAs(Replicate.INSTANCE);
    }
}
