package org.dtorch.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;

class DeviceMeshTest {
    private static final DeviceMesh DP_TP = DeviceMesh.init(DeviceType.CUDA, new int[] {2, 2}, List.of("dp", "tp"));
    private static final DeviceMesh CUBE = DeviceMesh.init(DeviceType.CPU, new int[] {2, 3, 2}, List.of("a", "b", "c"));

    @Test
    void printsAsDocumented() {
        assertThat(DP_TP)
                .hasToString("DeviceMesh('cuda', dim_name: ['dp', 'tp'], shape: (2, 2), data: [[0, 1], [2, 3]])");
        assertThat(DeviceMesh.single(DeviceType.CPU, 3))
                .hasToString("DeviceMesh('cpu', dim_name: [], shape: (1,), data: [3])");
    }

    @Test
    void coordinatesAreRowMajor() {
        assertThat(CUBE.size()).isEqualTo(12);
        assertThat(CUBE.position(1, 2, 0)).isEqualTo(10);
        assertThat(new int[] {CUBE.coordinate(10, 0), CUBE.coordinate(10, 1), CUBE.coordinate(10, 2)})
                .containsExactly(1, 2, 0);
        assertThat(CUBE.withCoordinate(10, 1, 0)).isEqualTo(6);
        assertThatThrownBy(() -> CUBE.position(0, 3, 0)).isInstanceOf(DTorchError.class);
        assertThatThrownBy(() -> CUBE.position(0, 0)).isInstanceOf(DTorchError.class);
    }

    @Test
    void groupsDifferAlongOneDimension() {
        assertThat(DP_TP.groups(0)).isDeepEqualTo(new int[][] {{0, 2}, {1, 3}});
        assertThat(DP_TP.groups(1)).isDeepEqualTo(new int[][] {{0, 1}, {2, 3}});
        assertThat(CUBE.groups(1)).isDeepEqualTo(new int[][] {{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}});
        for (int d = 0; d < 3; d++) {
            for (int p = 0; p < CUBE.size(); p++) {
                assertThat(CUBE.groups(d)[CUBE.groupIndex(p, d)]).contains(p);
            }
        }
    }

    @Test
    void idsMayBeAnything() {
        DeviceMesh mesh = DeviceMesh.of(DeviceType.CUDA, new int[] {2, 2}, new int[] {7, 1, 4, 9}, List.of());
        assertThat(mesh.id(2)).isEqualTo(4);
        assertThat(mesh.positionOf(9)).isEqualTo(3);
        assertThat(mesh.positionOf(0)).isEqualTo(-1);
        assertThat(DP_TP.positionOf(3)).isEqualTo(3);
        assertThat(DP_TP.positionOf(4)).isEqualTo(-1);
    }

    @Test
    void unbindSplitsFromTheHighestDimension() {
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, new int[] {2, 2, 2}, List.of("dp", "pp", "tp"));
        List<DeviceMesh> stages = mesh.unbind(List.of("pp"));
        assertThat(stages).extracting(DeviceMesh::ids).containsExactly(new int[] {0, 1, 4, 5}, new int[] {2, 3, 6, 7});
        assertThat(stages.get(0).dimNames()).containsExactly("dp", "tp");
        assertThat(stages.get(0).shape()).containsExactly(2, 2);
        assertThat(mesh.unbind(1, 2))
                .extracting(DeviceMesh::ids)
                .containsExactly(new int[] {0, 4}, new int[] {2, 6}, new int[] {1, 5}, new int[] {3, 7});
        assertThat(mesh.unbind(-1)).isEqualTo(mesh.unbind(List.of("tp")));
        assertThat(mesh.unbind(List.of("cp"))).containsExactly(mesh);
        assertThat(mesh.unbind(List.of("cp", "dp"))).isEqualTo(mesh.unbind(0));
    }

    @Test
    void unbindOfEverythingLeavesSingleDevices() {
        assertThat(DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of("pp")).unbind(List.of("pp")))
                .containsExactly(DeviceMesh.single(DeviceType.CPU, 0), DeviceMesh.single(DeviceType.CPU, 1));
        assertThat(DP_TP.unbind(0, 1)).extracting(m -> m.id(0)).containsExactly(0, 2, 1, 3);
    }

    @Test
    void unbindRefusesWhatItCannotMean() {
        assertThatThrownBy(() -> DP_TP.unbind(2))
                .hasMessageContaining("out of range")
                .hasMessageContaining("dp");
        assertThatThrownBy(() -> DP_TP.unbind(1, -1)).hasMessageContaining("twice");
    }

    @Test
    void slicesByNameAsPyTorch() {
        assertThat(DP_TP.slice(List.of("tp"), 3).ids()).containsExactly(2, 3);
        assertThat(DP_TP.slice(List.of("dp"), 3).ids()).containsExactly(1, 3);
        assertThat(DP_TP.slice(List.of("dp"), 3).dimNames()).containsExactly("dp");
        assertThat(DP_TP.slice(List.of("dp", "tp"), 1)).isEqualTo(DP_TP);
        assertThat(CUBE.slice(List.of("a", "c"), 5).ids()).containsExactly(4, 5, 10, 11);
        assertThat(DP_TP.slices(List.of("dp")))
                .extracting(DeviceMesh::ids)
                .containsExactly(new int[] {0, 2}, new int[] {1, 3});
        assertThat(DP_TP.flatten("dp_tp"))
                .hasToString("DeviceMesh('cuda', dim_name: ['dp_tp'], shape: (4,), data: [0, 1, 2, 3])");
    }

    @Test
    void sliceErrorsAreKeyErrors() {
        for (List<String> names : List.of(List.of("pp"), List.of("tp", "dp"), List.of("tp", "tp"), List.<String>of())) {
            assertThatThrownBy(() -> DP_TP.slice(names, 0))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY));
        }
    }

    @Test
    void refusesWhatIsNotAMesh() {
        assertValueError(() -> DeviceMesh.of(DeviceType.CPU, new int[] {2}, new int[] {1, 1}, List.of()), "unique");
        assertValueError(() -> DeviceMesh.of(DeviceType.CPU, new int[] {2}, new int[] {0, -1}, List.of()), "negative");
        assertValueError(() -> DeviceMesh.of(DeviceType.CPU, new int[] {0}, new int[] {}, List.of()), "at least one");
        assertValueError(() -> DeviceMesh.of(DeviceType.CPU, new int[] {}, new int[] {}, List.of()), "at least one");
        assertValueError(() -> DeviceMesh.of(DeviceType.CPU, new int[] {3}, new int[] {0, 1}, List.of()), "needs 3");
        assertValueError(() -> DeviceMesh.init(DeviceType.CPU, new int[] {2, 2}, List.of("a")), "needs 2");
        assertValueError(() -> DeviceMesh.init(DeviceType.CPU, new int[] {2, 2}, List.of("a", "a")), "unique");
        assertValueError(() -> DeviceMesh.init(DeviceType.CPU, new int[] {1025}, List.of()), "1024");
        assertValueError(() -> DeviceMesh.init(DeviceType.CPU, new int[] {1 << 20, 1 << 20}, List.of()), "1024");
        assertValueError(() -> DeviceType.of("tpu"), "'cuda'");
        assertThatThrownBy(() -> DeviceMesh.init(DeviceType.CPU, new int[] {0}, List.of()))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.ASSERTION));
        assertThat(DeviceMesh.init(DeviceType.CPU, new int[] {32, 32}, List.of())
                        .size())
                .isEqualTo(1024);
    }

    @Test
    void equalsComparesEverything() {
        assertThat(DP_TP)
                .isEqualTo(DeviceMesh.init(DeviceType.CUDA, new int[] {2, 2}, List.of("dp", "tp")))
                .hasSameHashCodeAs(DeviceMesh.init(DeviceType.CUDA, new int[] {2, 2}, List.of("dp", "tp")))
                .isNotEqualTo(DeviceMesh.init(DeviceType.CPU, new int[] {2, 2}, List.of("dp", "tp")))
                .isNotEqualTo(DeviceMesh.init(DeviceType.CUDA, new int[] {2, 2}, List.of()))
                .isNotEqualTo(DP_TP.flatten(""))
                .isNotEqualTo(
                        DeviceMesh.of(DeviceType.CUDA, new int[] {2, 2}, new int[] {0, 2, 1, 3}, List.of("dp", "tp")));
        assertThat(DeviceMesh.init(DeviceType.CPU, new int[] {}, List.of()))
                .isEqualTo(DeviceMesh.single(DeviceType.CPU, 0));
    }

    private static void assertValueError(Runnable call, String part) {
        assertThatThrownBy(call::run)
                .hasMessageContaining(part)
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE));
    }
}
