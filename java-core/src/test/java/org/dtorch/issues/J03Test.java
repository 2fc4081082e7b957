package org.dtorch.issues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.op.OpTable;
import org.dtorch.python.PythonErrors;
import org.dtorch.python.PythonHost;
import org.dtorch.python.Rights;
import org.dtorch.python.bridge.Bridge;
import org.dtorch.values.DType;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

/** A number from Python is never taken for one of another kind, and Java's front end does the same. */
class J03Test {
    @Test
    void bothFrontEndsAgree() {
        try (Bridge bridge = new Bridge(DTorch::open, PythonErrors::translate);
                PythonHost host = PythonHost.builder(Rights.SCRIPT)
                        .export("bridge", bridge)
                        .packages(folder("python-shim/src/main/python"))
                        .packages(folder("java-core/target/generated-sources/python"))
                        .build()) {
            host.eval("import pkgutil, dtorch; dtorch.__path__ = pkgutil.extend_path(dtorch.__path__, 'dtorch')");
            Tensor x = bridge.graph().tensor(new long[] {1, 2}, 2);
            agree(host, "dtorch.tensor([1, 2]) + 1", x.add(1), DType.INT64, 2, 3);
            agree(host, "dtorch.tensor([1, 2]) + 1.5", x.add(1.5), DType.FLOAT32, 2.5, 3.5);
            agree(host, "dtorch.tensor([1, 2]) + 2.0", x.add(2.0), DType.FLOAT32, 3, 4);
            agree(
                    host,
                    "dtorch.tensor([1, 2]) + True",
                    bridge.graph().call(OpTable.get("add"), x, true)[0],
                    DType.INT64,
                    2,
                    3);
            for (double value : new double[] {0.15, 0.25}) {
                Tensor filled = bridge.graph().tensor(new float[] {0, 0}, 2).fill_(value);
                agree(host, "dtorch.zeros(2).fill_(" + value + ")", filled, DType.FLOAT32, value, value);
            }
        }
    }

    private static void agree(PythonHost host, String expression, Tensor java, DType dtype, double... values) {
        assertThat(java.dtype()).as(expression).isEqualTo(dtype);
        assertThat(java.toDoubles()).as(expression).containsExactly(values, within(1e-7));
        Value python = host.eval(expression);
        assertThat(python.getMember("dtype").toString()).as(expression).isEqualTo(dtype.toString());
        Value list = python.invokeMember("tolist");
        assertThat(list.getArraySize()).isEqualTo(values.length);
        for (int i = 0; i < values.length; i++) {
            assertThat(list.getArrayElement(i).asDouble()).as(expression).isEqualTo(values[i], within(1e-7));
        }
    }

    private static Path folder(String name) {
        Path here = Path.of(name);
        return Files.isDirectory(here) ? here : Path.of("..").resolve(name);
    }
}
