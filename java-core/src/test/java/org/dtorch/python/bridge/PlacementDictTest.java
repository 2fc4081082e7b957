package org.dtorch.python.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Placement;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;
import org.junit.jupiter.api.Test;

class PlacementDictTest {
    private static final DeviceMesh MESH = DeviceMesh.init(DeviceType.CPU, new int[] {2, 2}, List.of("dp", "tp"));
    private static final Placement R = Placement.replicate();

    private static Placement s(int dim) {
        return Placement.shard(dim);
    }

    private static List<Placement> placements(String mode, List<Placement> originals, Object... pairs) {
        return PlacementDict.placements(MESH, pairs, originals, mode);
    }

    @Test
    void modesFillWhatIsNotNamed() {
        assertThat(placements("replicate", null, "tp", s(1))).containsExactly(R, s(1));
        assertThat(placements("keep", List.of(s(0), R), "tp", s(1))).containsExactly(s(0), s(1));
        assertThat(placements("raise_error", null, 0, s(0), 1, R)).containsExactly(s(0), R);
    }

    @Test
    void namesThatTheMeshLacksAreIgnored() {
        assertThat(placements("replicate", null, "cp", s(0))).containsExactly(R, R);
    }

    @Test
    void faultsNameWhatIsWrong() {
        assertThatThrownBy(() -> placements("raise_error", null, "tp", s(0)))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY))
                .hasMessageContaining("'dp'");
        assertThatThrownBy(() -> placements("guess", null)).hasMessageContaining("guess");
        assertThatThrownBy(() -> placements("keep", List.of(R))).hasMessageContaining("needs 2");
        assertThatThrownBy(() -> placements("replicate", null, "dp", R, 0, R)).hasMessageContaining("all names or all");
        assertThatThrownBy(() -> placements("replicate", null, "dp", "x")).hasMessageContaining("not str");
    }

    @Test
    void dimensionsOfSizeOneAreNotSharded() {
        assertThat(PlacementDict.withoutSizeOne(List.of(s(0), s(-1)), Shape.of(4, 1)))
                .containsExactly(s(0), R);
    }
}
