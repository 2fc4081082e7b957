package org.dtorch.examples;

import java.util.List;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.nn.Linear;
import org.dtorch.nn.Module;
import org.dtorch.nn.ReLU;
import org.dtorch.nn.Sequential;
import org.dtorch.python.PythonHost;
import org.dtorch.python.Rights;

/**
 * A module whose class is written in Python, called from Java and nested in a module of Java.
 *
 * <pre>{@code java @.dtorch/java.args examples/java/src/main/java/org/dtorch/examples/PythonModuleFromJava.java}</pre>
 */
public final class PythonModuleFromJava {
    private static final String RESIDUAL = """
        from dtorch import nn

        class Residual(nn.Module):
            def __init__(self, features):
                super().__init__()
                self.up = nn.Linear(features, 4 * features)
                self.act = nn.SiLU()
                self.down = nn.Linear(4 * features, features)

            def forward(self, x):
                return x + self.down(self.act(self.up(x)))
        """;

    private PythonModuleFromJava() {}

    /** Two layers of Java around {@code features} wide layers of Python; all of them live in {@code host}'s graph. */
    static Sequential model(PythonHost host, int features) {
        host.eval(RESIDUAL);
        Module residual = host.module("Residual(%d)".formatted(features));
        DTorch dt = host.graph();
        return new Sequential(new Linear(dt, 2, features), residual, new ReLU());
    }

    public static void main(String[] args) {
        // Rights.EMBEDDED: the Python code can compute and import dtorch; it has no files, processes or environment.
        try (PythonHost host = PythonHost.builder(Rights.EMBEDDED).build()) {
            Sequential model = model(host, 8);
            Tensor x = host.graph().tensor(new float[] {1, -2, 0.5f, 3}, 2, 2);
            System.out.println(model);
            System.out.println(List.copyOf(model.stateDict().keySet()));
            System.out.println(model.call(x));
        }
    }
}
