package org.dtorch.cuda;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the module's sources lie when its tests run. */
final class Sources {
    private Sources() {}

    /** The folder of the module, from itself or from the root of the project. */
    static Path folder() {
        Path here = Path.of("").toAbsolutePath();
        return Files.exists(here.resolve("src/main/cuda")) ? here : here.resolve("kernels-cuda");
    }
}
