package org.dtorch.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenBlasLibraryTest {
    private static final String FOLDER = "org/bytedeco/openblas/linux-x86_64/";

    @TempDir
    Path cache;

    @BeforeEach
    void useOwnCache() {
        System.setProperty(BundledLibrary.CACHE_PROPERTY, cache.toString());
    }

    @AfterEach
    void useUsersCache() {
        System.clearProperty(BundledLibrary.CACHE_PROPERTY);
    }

    @Test
    void unpacksOnceIntoAFolderOfItsVersion() throws IOException {
        BundledLibrary library = new BundledLibrary("math", FOLDER, List.of("libquadmath.so.0"));
        List<Path> paths = library.unpack().orElseThrow();
        assertThat(paths)
                .singleElement()
                .satisfies(path -> assertThat(path.getParent().getParent()).isEqualTo(cache));
        Object first = Files.readAttributes(paths.getFirst(), "unix:ino,lastModifiedTime");
        assertThat(library.unpack().orElseThrow()).isEqualTo(paths);
        assertThat((Object) Files.readAttributes(paths.getFirst(), "unix:ino,lastModifiedTime"))
                .isEqualTo(first);
        try (Stream<Path> files = Files.list(paths.getFirst().getParent())) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(".lock", "libquadmath.so.0");
        }
    }

    @Test
    void mendsAFileThatWasCutShort() throws IOException {
        BundledLibrary library = new BundledLibrary("math", FOLDER, List.of("libquadmath.so.0"));
        Path path = library.unpack().orElseThrow().getFirst();
        long bytes = Files.size(path);
        Files.write(path, new byte[3]);
        library.unpack();
        assertThat(Files.size(path)).isEqualTo(bytes);
    }

    @Test
    void absentResourcesAreNoLibrary() {
        assertThat(new BundledLibrary("none", FOLDER, List.of("libnone.so")).unpack())
                .isEmpty();
        assertThat(cache).isEmptyDirectory();
    }

    @Test
    void aSettingThatCannotBeLoadedSaysWhatToInstall() {
        assertThatThrownBy(() -> OpenBlasLibrary.load("/nowhere/libopenblas.so"))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.RUNTIME))
                .hasMessageContaining("'/nowhere/libopenblas.so', which cannot be loaded")
                .hasMessageContaining("org.bytedeco:openblas")
                .hasMessageContaining("DTORCH_OPENBLAS");
    }
}
