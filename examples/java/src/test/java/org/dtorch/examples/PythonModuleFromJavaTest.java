package org.dtorch.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.nn.Init;
import org.dtorch.nn.Sequential;
import org.dtorch.python.PythonHost;
import org.dtorch.python.Rights;
import org.graalvm.polyglot.PolyglotException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonModuleFromJavaTest {
    @Test
    void aPythonModuleComputesWithinAJavaOne() {
        try (PythonHost host = PythonHost.builder(Rights.EMBEDDED).build()) {
            Sequential model = PythonModuleFromJava.model(host, 1);
            assertThat(model.stateDict().keySet())
                    .containsExactly("0.weight", "0.bias", "1.up.weight", "1.up.bias", "1.down.weight", "1.down.bias");
            model.parameters().forEach(Init::ones);
            DTorch dt = host.graph();
            Tensor y = model.call(dt.tensor(new float[] {1, -2, 3, -9}, 2, 2));
            // The first layer gives 0 and -5; with z = x + 1 the module of Python gives x + 4 z / (1 + exp(-z)) + 1.
            assertThat(y.shape().toArray()).containsExactly(2, 1);
            assertThat(y.toDoubles()[0]).isCloseTo(1 + 4 / (1 + Math.exp(-1)), within(1e-5));
            assertThat(y.toDoubles()[1]).isZero();
        }
    }

    @Test
    void thePythonCodeHasNoFiles(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("secret.txt"), "secret");
        try (PythonHost host = PythonHost.builder(Rights.EMBEDDED).build()) {
            assertThatThrownBy(() -> host.eval("open('%s')".formatted(file)))
                    .isInstanceOf(PolyglotException.class)
                    .hasMessageContaining("PermissionError");
        }
    }
}
