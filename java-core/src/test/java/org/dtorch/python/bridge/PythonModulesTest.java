package org.dtorch.python.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.nn.HookHandle;
import org.dtorch.nn.Inputs;
import org.dtorch.nn.Linear;
import org.dtorch.nn.Module;
import org.dtorch.nn.Named;
import org.dtorch.nn.ReLU;
import org.dtorch.nn.Sequential;
import org.dtorch.python.PythonErrors;
import org.dtorch.python.PythonHost;
import org.dtorch.python.Rights;
import org.dtorch.values.DTorchError;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Modules of Python and of Java in each other, called from Java. */
class PythonModulesTest {
    private static final int THREADS = 8;
    private static final int CALLS = 10;

    private static final String MODULES = """
        from dtorch import nn

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.up = nn.Linear(2, 4)
                self.act = nn.SiLU()
                self.down = nn.Linear(4, 2)

            def redistribute_input(self, x, times=1):
                return [x], {"times": times}

            def forward(self, x, times):
                for _ in range(times):
                    x = x + self.down(self.act(self.up(x)))
                return x

            def extra_repr(self):
                return "two layers"

        class Failing(nn.Module):
            def forward(self, x):
                raise ValueError("no such thing")
        """;

    private static Bridge bridge;
    private static PythonHost host;

    @BeforeAll
    static void open() {
        bridge = new Bridge(DTorch::open, PythonErrors::translate);
        host = PythonHost.builder(Rights.SCRIPT)
                .export("bridge", bridge)
                .packages(folder("python-shim/src/main/python"))
                .packages(folder("java-core/target/generated-sources/python"))
                .build();
        host.eval("import pkgutil, dtorch; dtorch.__path__ = pkgutil.extend_path(dtorch.__path__, 'dtorch')");
        host.eval(MODULES);
    }

    private static Path folder(String name) {
        Path here = Path.of(name);
        return Files.isDirectory(here) ? here : Path.of("..").resolve(name);
    }

    @AfterAll
    static void close() {
        bridge.close();
        host.close();
    }

    private static Tensor input() {
        return bridge.graph().tensor(new float[] {1, -2, 0.5f, 3}, 2, 2);
    }

    @Test
    void aPythonModuleIsAJavaModule() {
        Module block = Bridge.module(host.eval("Block()"));
        assertThat(block.namedParameters().stream().map(Named::name))
                .containsExactly("up.weight", "up.bias", "down.weight", "down.bias");
        assertThat(block.toString()).isEqualTo("""
            Block(
              two layers
              (up): Linear(in_features=2, out_features=4, bias=True)
              (act): SiLU()
              (down): Linear(in_features=4, out_features=2, bias=True)
            )\
            """);
        Tensor x = input();
        Tensor once = block.call(x);
        Tensor twice = (Tensor) block.call(new Object[] {x}, Map.of("times", 2));
        assertThat(twice.toDoubles()).containsExactly(block.call(once).toDoubles());
        Inputs inputs = block.redistributeInput(new Object[] {x}, Map.of());
        assertThat(inputs.args()).containsExactly(x);
        assertThat(inputs.kwargs()).containsEntry("times", 1L);
        assertThat(new Sequential(block, new ReLU()).call(x).toDoubles())
                .containsExactly(new ReLU().call(once).toDoubles());
    }

    @Test
    void javaHooksRunInCallsFromBothLanguages() {
        Value python = host.eval("Block()");
        Module block = Bridge.module(python);
        List<String> seen = new ArrayList<>();
        HookHandle before = block.registerForwardPreHook((module, inputs) -> {
            seen.add("before " + (module == block));
            return new Inputs(inputs.args(), Map.of("times", 2));
        });
        HookHandle after = block.registerForwardHook((module, inputs, output) -> {
            seen.add("after " + inputs.kwargs().get("times"));
            return null;
        });
        Tensor x = input();
        Tensor y = block.call(x);
        python.execute(host.eval("__import__('dtorch').ones(2, 2)"));
        assertThat(seen).containsExactly("before true", "after 2", "before true", "after 2");
        before.remove();
        after.remove();
        assertThat(block.call(block.call(x)).toDoubles()).containsExactly(y.toDoubles());
        assertThat(seen).hasSize(4);
    }

    @Test
    void pythonErrorsReachJavaAsTheirKind() {
        Module failing = new Sequential(Bridge.module(host.eval("Failing()")));
        assertThatThrownBy(() -> failing.call(input()))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.VALUE))
                .hasMessageContaining("no such thing");
        assertThatThrownBy(() -> Bridge.module(host.eval("3")))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.TYPE));
    }

    /** A module that only Java knows. */
    public static final class Scale extends Module {
        @Override
        public Object forward(Object[] args, Map<String, Object> kwargs) {
            return ((Tensor) args[0]).mul(((Number) kwargs.getOrDefault("by", 3)).doubleValue());
        }

        @Override
        public String extraRepr() {
            return "scales";
        }
    }

    @Test
    void javaModulesWorkInPython() {
        Value scale = bridge.python(new Scale());
        Value linear = bridge.python(new Linear(bridge.graph(), 2, 3));
        Value results = host.eval("""
            lambda scale, linear: (
                repr(nn.Sequential(scale, linear)),
                scale(nn.Parameter(linear.bias), by=4).tolist() == (linear.bias * 4).tolist(),
                isinstance(linear, nn.Linear) and linear.in_features == 2 and linear.weight is linear.weight,
                nn.Sequential(scale, linear)(dtorch.ones(1, 2)).tolist() == linear(dtorch.ones(1, 2) * 3).tolist(),
            )
            """).execute(scale, linear);
        assertThat(results.getArrayElement(0).asString()).isEqualTo("""
            Sequential(
              (0): Scale(scales)
              (1): Linear(in_features=2, out_features=3, bias=True)
            )\
            """);
        for (int i = 1; i < 4; i++) {
            assertThat(results.getArrayElement(i).asBoolean())
                    .as("result %d", i)
                    .isTrue();
        }
    }

    @Test
    void manyThreadsCallAPythonModule() throws Exception {
        Module block = new Sequential(Bridge.module(host.eval("Block()")), new ReLU());
        double[] expected = block.call(input()).toDoubles();
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                results.add(pool.submit(() -> {
                    for (int i = 0; i < CALLS; i++) {
                        assertThat(block.call(input()).toDoubles()).containsExactly(expected);
                    }
                    return true;
                }));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get()).isTrue();
            }
        }
    }
}
