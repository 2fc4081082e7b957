package org.dtorch.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.values.DTorchError;
import org.junit.jupiter.api.Test;

class ContainersTest {
    @Test
    void theTreeIsPrintedAsInPytorch() {
        try (DTorch dt = DTorch.open()) {
            Map<String, Module> parts = new LinkedHashMap<>();
            parts.put("body", new ModuleList(new Linear(dt, 2, 2), new Linear(dt, 2, 2), new ReLU(true)));
            Map<String, Module> heads = new LinkedHashMap<>();
            heads.put("a", new Sequential(new GELU()));
            heads.put("b", new Identity());
            parts.put("heads", new ModuleDict(heads));
            parts.put("drop", new Dropout(0.1, true));
            parts.put(
                    "weights",
                    new ParameterList(
                            new Parameter(dt.tensor(new float[6], 2, 3)), new Parameter(dt.tensor(new float[4], 4))));
            parts.put("none", new ModuleList());
            assertThat(new Sequential(parts).toString()).isEqualTo(Goldens.text("tree"));
        }
    }

    @Test
    void sequentialChains() {
        try (DTorch dt = DTorch.open()) {
            Linear a = new Linear(dt, 2, 3);
            Linear b = new Linear(dt, 3, 4);
            Sequential chain = new Sequential(a, new ReLU(), b);
            Tensor x = dt.tensor(new float[] {1, -2}, 1, 2);
            assertThat(chain.call(x).toDoubles())
                    .containsExactly(b.call(new ReLU().call(a.call(x))).toDoubles());
            assertThat(chain.slice(1, 3).ownModules()).containsOnlyKeys("1", "2");
            assertThat(chain.get(-1)).isSameAs(b);
            assertThatThrownBy(() -> chain.get(3))
                    .isInstanceOfSatisfying(
                            DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.INDEX))
                    .hasMessage("index 3 is out of range");
            assertThatThrownBy(() -> chain.call(x, x)).hasMessageContaining("takes one argument, input");
            assertThat(new Sequential().call(x)).isSameAs(x);
        }
    }

    @Test
    void listsRenumber() {
        Module a = new ReLU();
        Module b = new Tanh();
        Module c = new SiLU();
        ModuleList list = new ModuleList(a, b);
        list.add(c);
        list.insert(0, c);
        assertThat(list).containsExactly(c, a, b, c);
        assertThat(list.ownModules()).containsOnlyKeys("0", "1", "2", "3");
        list.remove(0, -1);
        assertThat(list).containsExactly(a, b);
        list.set(-1, c);
        assertThat(list.list()).isEqualTo(List.of(a, c));
        assertThatThrownBy(() -> list.call(1))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.NOT_IMPLEMENTED));
        assertThatThrownBy(() -> list.insert(9, a)).hasMessageContaining("9");
    }

    @Test
    void dictionariesAndParameters() {
        ModuleDict dict = new ModuleDict(Map.of("x", new ReLU()));
        dict.put("y", new Tanh());
        assertThat(dict.get("y")).isInstanceOf(Tanh.class);
        assertThatThrownBy(() -> dict.get("z"))
                .isInstanceOfSatisfying(
                        DTorchError.class, e -> assertThat(e.kind()).isEqualTo(DTorchError.Kind.KEY));
        try (DTorch dt = DTorch.open()) {
            Parameter p = new Parameter(dt.tensor(new float[] {1}, 1));
            ParameterList list = new ParameterList(p);
            list.add(p);
            assertThat(list.get(-1)).isSameAs(p);
            assertThat(list.parameters()).containsExactly(p);
            assertThat(list.stateDict()).containsOnlyKeys("0", "1");
            assertThatThrownBy(() -> list.get(2)).hasMessage("index 2 is out of range");
        }
    }
}
