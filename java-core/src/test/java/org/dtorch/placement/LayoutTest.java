package org.dtorch.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;

class LayoutTest {
    private static Layout layout(int[] mesh, String... placements) {
        return Layout.of(
                DeviceMesh.init(DeviceType.CPU, mesh, List.of()),
                Arrays.stream(placements).map(Placement::parse).toList());
    }

    private static int[] mesh(int... shape) {
        return shape;
    }

    @Test
    void shardsAsPyTorch() throws IOException {
        int rows = 0;
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(LayoutTest.class.getResourceAsStream("shards.csv"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    String[] cells = line.split(";");
                    Layout layout = layout(
                            Arrays.stream(numbers(cells[1]))
                                    .mapToInt(n -> (int) n)
                                    .toArray(),
                            cells[2].split(" "));
                    Shape global = Shape.of(numbers(cells[0]));
                    int position = Integer.parseInt(cells[3]);
                    assertThat(layout.localShape(global, position)).as(line).isEqualTo(Shape.of(numbers(cells[4])));
                    assertThat(layout.localOffsets(global, position)).as(line).containsExactly(numbers(cells[5]));
                    rows++;
                }
            }
        }
        assertThat(rows).isGreaterThan(200);
    }

    private static long[] numbers(String text) {
        return Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    @Test
    void chunksAreCeilSizedAndNest() {
        assertThat(sizes(layout(mesh(4), "S0"), 11)).containsExactly(3, 3, 3, 2);
        assertThat(sizes(layout(mesh(4), "S0"), 5)).containsExactly(2, 2, 1, 0);
        assertThat(sizes(layout(mesh(4), "S0"), 0)).containsExactly(0, 0, 0, 0);
        // 7 over 2 is 4 and 3; then over 3: 2, 2, 0 and 1, 1, 1
        assertThat(sizes(layout(mesh(2, 3), "S0", "S0"), 7)).containsExactly(2, 2, 0, 1, 1, 1);
    }

    private static long[] sizes(Layout layout, long size) {
        return LongStream.range(0, layout.mesh().size())
                .map(p -> layout.localShape(Shape.of(size), (int) p).size(0))
                .toArray();
    }

    @Test
    void anEmptyShardStartsAtTheEnd() {
        assertThat(layout(mesh(4), "S0").localOffsets(Shape.of(5), 3)).containsExactly(5);
        assertThat(layout(mesh(2, 3), "S0", "S0").localOffsets(Shape.of(7), 2)).containsExactly(7);
    }

    @Test
    void normalizedWrapsAndDropsDimsOfOneDevice() {
        assertThat(layout(mesh(2, 1, 1), "S(-1)", "S0", "P").normalized(3).shortName())
                .isEqualTo("[S(2), R, R]");
        Layout same = layout(mesh(2), "S0");
        assertThat(same.normalized(1)).isSameAs(same);
        assertThatThrownBy(() -> layout(mesh(1), "S2").normalized(2)).hasMessageContaining("Shard(2)");
    }

    @Test
    void checkFitsNamesShapeMeshAndPlacements() {
        layout(mesh(2), "S(-2)").checkFits(Shape.of(4, 1));
        for (String wrong : List.of("S2", "S(-3)")) {
            assertThatThrownBy(() -> layout(mesh(2), wrong).checkFits(Shape.of(4, 1)))
                    .hasMessageContaining("[4, 1]")
                    .hasMessageContaining("DeviceMesh('cpu'")
                    .hasMessageContaining("[Shard(")
                    .hasMessageContaining("[-2, 1]")
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.LAYOUT));
        }
        assertThatThrownBy(() -> layout(mesh(2), "S0").checkFits(Shape.SCALAR)).hasMessageContaining("none");
        assertThatThrownBy(() -> layout(mesh(2, 2), "S0")).hasMessageContaining("one placement for each of the 2");
    }

    @Test
    void answersQuestions() {
        Layout layout = layout(mesh(2, 1, 3), "S0", "P", "S0");
        assertThat(layout.hasPartial()).isFalse();
        assertThat(layout.isReplicated()).isFalse();
        assertThat(layout.shardFactor(0)).isEqualTo(6);
        assertThat(layout.isShardedOn(0)).isTrue();
        assertThat(layout.isShardedOn(1)).isFalse();
        assertThat(layout.meshDimsSharding(0)).containsExactly(0, 2);
        assertThat(layout(mesh(1, 1), "S0", "P").isReplicated()).isTrue();
        assertThat(layout(mesh(2), "P(max)").hasPartial()).isTrue();
        assertThat(layout.with(0, Placement.replicate()).shortName()).isEqualTo("[R, P(sum), S(0)]");
        assertThat(layout.with(0, Placement.shard(0))).isSameAs(layout);
    }

    @Test
    void replicaOwnersCollapseReplicatedDimsOnly() {
        int[] owners = new int[8];
        Arrays.setAll(owners, layout(mesh(2, 2, 2), "R", "S0", "P")::replicaOwner);
        assertThat(owners).containsExactly(0, 1, 2, 3, 0, 1, 2, 3);
        assertThat(Layout.replicated(DeviceMesh.init(DeviceType.CPU, mesh(2, 2), List.of()))
                        .replicaOwner(3))
                .isZero();
    }

    @Test
    void equalsComparesMeshAndPlacements() {
        assertThat(layout(mesh(2, 2), "S0", "R"))
                .isEqualTo(layout(mesh(2, 2), "S0", "R"))
                .hasSameHashCodeAs(layout(mesh(2, 2), "S0", "R"))
                .isNotEqualTo(layout(mesh(2, 2), "R", "S0"))
                .isNotEqualTo(layout(mesh(2, 3), "S0", "R"));
    }
}
