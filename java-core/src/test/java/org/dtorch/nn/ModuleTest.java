package org.dtorch.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModuleTest {
    private final DTorch dt = DTorch.open();

    @AfterEach
    void close() {
        dt.close();
    }

    /** Two linear layers of which the second occurs twice, and a buffer of each kind. */
    private final class Net extends Module {
        final Linear first = child("first", new Linear(dt, 2, 3));
        final Sequential body = child("body", new Sequential(new ReLU(), new Linear(dt, 3, 3)));
        final Module again = child("again", body.get(1));

        Net() {
            registerParameter("scale", new Parameter(dt.tensor(new float[] {1, 2}, 2)));
            registerParameter("none", null);
            registerBuffer("kept", dt.tensor(new float[] {3}, 1), true);
            registerBuffer("lost", dt.tensor(new long[] {4}, 1), false);
        }

        @Override
        public Object forward(Object[] args, Map<String, Object> kwargs) {
            return again.call(body.call(first.call((Tensor) args[0])));
        }
    }

    private static List<String> names(List<? extends Named<?>> named) {
        return named.stream().map(Named::name).toList();
    }

    @Test
    void traversal() {
        Net net = new Net();
        assertThat(names(net.namedParameters()))
                .containsExactly("scale", "first.weight", "first.bias", "body.1.weight", "body.1.bias");
        assertThat(names(net.namedParameters("net", true, false)))
                .containsExactly(
                        "net.scale",
                        "net.first.weight",
                        "net.first.bias",
                        "net.body.1.weight",
                        "net.body.1.bias",
                        "net.again.weight",
                        "net.again.bias");
        assertThat(names(net.namedParameters("", false, true))).containsExactly("scale");
        assertThat(names(net.namedBuffers("", true, true))).containsExactly("kept", "lost");
        assertThat(names(net.namedModules("", true))).containsExactly("", "first", "body", "body.0", "body.1");
        assertThat(names(net.namedModules("m", false)))
                .containsExactly("m", "m.first", "m.body", "m.body.0", "m.body.1", "m.again");
        assertThat(names(net.namedChildren())).containsExactly("first", "body", "again");
        List<Module> seen = new ArrayList<>();
        net.apply(seen::add);
        assertThat(seen).containsExactly(net.first, net.body.get(0), net.body.get(1), net.body, net.again, net);
        assertThat(net.getSubmodule("body.1")).isSameAs(net.again);
        assertThat(net.getSubmodule("")).isSameAs(net);
        assertThat(net.getParameter("again.weight")).isSameAs(net.getParameter("body.1.weight"));
        assertThat(net.getBuffer("kept").toDoubles()).containsExactly(3);
        assertThat(net.firstParamDeviceMesh()).isEqualTo(dt.defaultMesh());
    }

    @Test
    void missingMembers() {
        Net net = new Net();
        assertThatThrownBy(() -> net.getSubmodule("body.7"))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.ATTRIBUTE))
                .hasMessage("Sequential has no attribute `7`");
        assertThatThrownBy(() -> net.getParameter("first.x")).hasMessage("Linear has no attribute `x`");
        assertThatThrownBy(() -> net.getParameter("kept")).hasMessage("`kept` is not a parameter");
        assertThatThrownBy(() -> net.getBuffer("scale")).hasMessage("`scale` is not a buffer");
    }

    @Test
    void refusedNames() {
        Net net = new Net();
        Parameter p = new Parameter(dt.tensor(new float[] {1}, 1));
        assertThatThrownBy(() -> net.registerParameter("a.b", p)).hasMessage("parameter name can't contain \".\"");
        assertThatThrownBy(() -> net.registerParameter("", p)).hasMessage("parameter name can't be empty string \"\"");
        assertThatThrownBy(() -> net.registerBuffer("first", p, true)).hasMessage("attribute 'first' already exists");
        assertThatThrownBy(() -> net.registerModule("x.y", net.first))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY))
                .hasMessage("module name can't contain \".\", got: x.y");
        net.registerParameter("scale", p);
        assertThat(net.getParameter("scale")).isSameAs(p);
        assertThat(net.unregister("scale")).isTrue();
        assertThat(net.unregister("scale")).isFalse();
        net.registerBuffer("scale", p, true);
    }

    @Test
    void callOrderWithHooks() {
        List<String> order = new ArrayList<>();
        Module module = new Module() {
            @Override
            public Inputs redistributeInput(Object[] args, Map<String, Object> kwargs) {
                order.add("input " + args[0] + kwargs);
                return new Inputs(new Object[] {(int) args[0] + 1}, Map.of("scale", 2));
            }

            @Override
            public Object forward(Object[] args, Map<String, Object> kwargs) {
                order.add("forward " + args[0] + kwargs);
                return (int) args[0] * (int) kwargs.get("scale");
            }

            @Override
            public Object redistributeOutput(Object output) {
                order.add("output " + output);
                return (int) output + 1;
            }
        };
        assertThat(module.call(new Object[] {3}, Map.of("scale", 5))).isEqualTo(9);
        assertThat(order).containsExactly("input 3{scale=5}", "forward 4{scale=2}", "output 8");
        order.clear();
        HookHandle before = module.registerForwardPreHook((m, inputs) -> {
            order.add("before " + inputs.args()[0]);
            return Inputs.of((int) inputs.args()[0] + 10);
        });
        HookHandle after = module.registerForwardHook((m, inputs, output) -> {
            order.add("after " + inputs.args()[0] + " " + output);
            return -(int) output;
        });
        module.registerForwardHook((m, inputs, output) -> null);
        assertThat(module.call(3)).isEqualTo(-29);
        assertThat(order).containsExactly("before 3", "input 13{}", "forward 14{scale=2}", "output 28", "after 13 29");
        before.remove();
        before.remove();
        after.close();
        assertThat(module.call(3)).isEqualTo(9);
    }

    @Test
    void hooksOfLayers() {
        Linear linear = new Linear(dt, 2, 2);
        Tensor x = dt.tensor(new float[] {1, 2}, 1, 2);
        double[] plain = linear.call(x).toDoubles();
        try (HookHandle twice = linear.registerForwardHook((m, inputs, output) -> inputs.args()[0])) {
            assertThat(linear.call(x)).isSameAs(x);
        }
        assertThat(linear.call(x).toDoubles()).containsExactly(plain);
    }

    @Test
    void aReplacedParameterIsUsed() {
        Linear a = new Linear(dt, 2, 2);
        Linear b = new Linear(dt, 2, 2);
        b.registerParameter("weight", a.weight());
        b.registerParameter("bias", a.bias());
        Tensor x = dt.tensor(new float[] {1, 2}, 1, 2);
        assertThat(b.call(x).toDoubles()).containsExactly(a.call(x).toDoubles());
    }

    @Test
    void trainingFlag() {
        Net net = new Net();
        assertThat(net.isTraining() && net.body.isTraining()).isTrue();
        net.eval();
        assertThat(net.isTraining() || net.body.get(1).isTraining()).isFalse();
        net.train(true);
        assertThat(net.body.get(0).isTraining()).isTrue();
    }

    @Test
    void conversionKeepsTheObjects() {
        Net net = new Net();
        Parameter weight = net.first.weight();
        double[] values = weight.toDoubles();
        Tensor lost = net.getBuffer("lost");
        net.to(DType.FLOAT64);
        assertThat(net.first.weight()).isSameAs(weight);
        assertThat(weight.dtype()).isEqualTo(DType.FLOAT64);
        assertThat(weight.toDoubles()).containsExactly(values);
        assertThat(net.getBuffer("kept").dtype()).isEqualTo(DType.FLOAT64);
        assertThat(lost.dtype()).isEqualTo(DType.INT64);
        DeviceMesh other = DeviceMesh.single(dt.defaultMesh().deviceType(), 1);
        net.to(other);
        assertThat(weight.deviceMesh()).isEqualTo(other);
        assertThat(weight.toDoubles()).containsExactly(values);
        assertThatThrownBy(() -> net.to(Goldens.mesh("tp", 2)))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY))
                .hasMessageContaining("use redistribute");
    }

    @Test
    void copies() {
        Net net = new Net();
        net.registerForwardHook((m, inputs, output) -> null);
        Sequential copy = (Sequential) net.body.copy();
        assertThat(copy).isNotSameAs(net.body);
        assertThat(copy.toString()).isEqualTo(net.body.toString());
        Parameter weight = ((Linear) copy.get(1)).weight();
        double[] before = net.getParameter("body.1.weight").toDoubles();
        assertThat(weight.toDoubles()).containsExactly(before);
        Init.zeros(weight);
        assertThat(net.getParameter("body.1.weight").toDoubles()).containsExactly(before);
        Sequential shared = new Sequential(net.first, net.first);
        Sequential sharedCopy = (Sequential) shared.copy();
        assertThat(sharedCopy.get(0)).isSameAs(sharedCopy.get(1)).isNotSameAs(net.first);
    }

    @Test
    void guestsCarryOutCalls() {
        Linear linear = new Linear(dt, 2, 2);
        List<String> asked = new ArrayList<>();
        linear.setGuest(new GuestCallbacks() {
            @Override
            public Object call(Object[] args, Map<String, Object> kwargs) {
                asked.add("call");
                return linear.forward((Tensor) args[0]);
            }

            @Override
            public Object forward(Object[] args, Map<String, Object> kwargs) {
                throw new AssertionError();
            }

            @Override
            public Inputs redistributeInput(Object[] args, Map<String, Object> kwargs) {
                throw new AssertionError();
            }

            @Override
            public Object redistributeOutput(Object output) {
                throw new AssertionError();
            }

            @Override
            public HookHandle addForwardPreHook(ForwardPreHook hook) {
                asked.add("pre hook");
                return HookHandle.of(() -> asked.add("removed"));
            }

            @Override
            public HookHandle addForwardHook(ForwardHook hook) {
                throw new AssertionError();
            }

            @Override
            public String className() {
                return "Mine";
            }

            @Override
            public String extraRepr() {
                throw new AssertionError();
            }
        });
        Tensor x = dt.tensor(new float[] {1, 2}, 1, 2);
        Tensor output = new Sequential(linear).call(x);
        assertThat(output.toDoubles()).containsExactly(linear.forward(x).toDoubles());
        linear.registerForwardPreHook((m, inputs) -> null).remove();
        assertThat(asked).containsExactly("call", "pre hook", "removed");
        assertThat(linear.toString()).startsWith("Mine(in_features=2");
        linear.setGuest(null);
        linear.call(x);
        assertThat(asked).hasSize(3);
    }

    @Test
    void aGuestModuleWithoutGuest() {
        assertThatThrownBy(() -> new GuestModule().call(1)).hasMessageContaining("super().__init__()");
    }
}
