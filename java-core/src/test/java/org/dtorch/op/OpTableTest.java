package org.dtorch.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.dtorch.rule.Rule;
import org.junit.jupiter.api.Test;

/** Every row says everything that is to be said of an operator. */
final class OpTableTest {
    @Test
    void holdsAllFamilies() {
        assertThat(OpTable.all()).hasSizeGreaterThan(250);
    }

    @Test
    void everyRowHasADocSentenceSamplesAndANameOrAReason() {
        List<String> wanting = new ArrayList<>();
        for (Op op : OpTable.all()) {
            if (op.doc().isEmpty() || !op.doc().endsWith(".")) {
                wanting.add(op + ": doc");
            }
            boolean derived = op.name().endsWith("_") && op.doc().startsWith("In-place form of");
            if (op.samples().isEmpty() && !derived) {
                wanting.add(op + ": samples");
            }
            if (op.spellings().isEmpty() == (op.unspelled() == null)) {
                wanting.add(op + ": a spelling or a reason for none, not both");
            }
            if (op.gradient() == null) {
                wanting.add(op + ": gradient");
            }
        }
        assertThat(wanting).isEmpty();
    }

    @Test
    void spellingsAreToldApartByTheirParameters() {
        Map<String, Op> seen = new HashMap<>();
        for (Op op : OpTable.all()) {
            for (Spelling spelling : op.spellings()) {
                int[] indices = spelling.schemaIndices(op.schema());
                List<String> types = new ArrayList<>();
                for (int i = 0; i < indices.length; i++) {
                    Spelling.Parameter p = spelling.params().get(i);
                    String type = indices[i] < 0
                            ? "bool"
                            : op.schema().params().get(indices[i]).type().spelling();
                    types.add(type + (p.fallback() == null ? " " : " optional ") + p.name());
                }
                Op before = seen.put(spelling.namespace() + "." + spelling.name() + types, op);
                assertThat(before)
                        .as("%s.%s of %s", spelling.namespace(), spelling.name(), op)
                        .isNull();
            }
        }
    }

    @Test
    void everyRequiredParameterCanBeGivenInEverySpelling() {
        for (Op op : OpTable.all()) {
            for (Spelling spelling : op.spellings()) {
                List<Integer> given = new ArrayList<>();
                for (int index : spelling.schemaIndices(op.schema())) {
                    given.add(index);
                }
                if (spelling.isMethod()) {
                    given.add(op.schema().receiver());
                }
                for (int i = 0; i < op.schema().params().size(); i++) {
                    if (op.schema().params().get(i).isRequired()) {
                        assertThat(given)
                                .as("%s as %s", op.schema().text(), spelling)
                                .contains(i);
                    }
                }
            }
        }
    }

    @Test
    void samplesAreLegalAndRulesFitThem() {
        for (Op op : OpTable.all()) {
            for (Sample sample : op.samples()) {
                try {
                    check(op, Fake.site(op, sample));
                } catch (RuntimeException e) {
                    fail("%s with %s".formatted(op, sample), e);
                }
            }
        }
    }

    private static void check(Op op, Site site) {
        switch (op.kind()) {
            case OpKind.Computed kind -> {
                TensorMeta[] metas = kind.infer().apply(site);
                assertThat(metas).as("%s", op).hasSize(op.schema().results().size());
                check(op, site, kind.rule().apply(site, metas), metas);
                assertThat(kind.recipe().apply(site, metas))
                        .isEqualTo(kind.recipe().apply(site, metas));
                kind.arguments().apply(site);
            }
            case OpKind.View kind -> {
                TensorMeta[] metas = kind.infer().apply(site);
                check(op, site, kind.rule().apply(site, metas), metas);
                localViewsAreOfTheInput(site, kind, metas);
            }
            case OpKind.Created kind -> {
                TensorMeta[] metas = kind.infer().apply(site);
                assertThat(kind.recipe().apply(site, metas)).isNotNull();
                kind.arguments().apply(site);
            }
            case OpKind.Random kind -> {
                assertThat(kind.infer().apply(site)).hasSize(1);
                assertThat(kind.draw().apply(site)).isNotNull();
            }
            case OpKind.Composite kind -> assertThat(kind.body()).isNotNull();
        }
    }

    private static void check(Op op, Site site, Rule rule, TensorMeta[] metas) {
        List<Value> inputs = new ArrayList<>();
        for (int i = 0; i < site.args().length; i++) {
            switch (site.args()[i]) {
                case Value v -> inputs.add(v);
                case Value[] list -> inputs.addAll(Arrays.asList(list));
                case null -> {
                    if (op.schema().params().get(i).type() == Param.Type.TENSOR) {
                        inputs.add(null);
                    }
                }
                default -> {}
            }
        }
        assertThat(rule.inputs().length).as("inputs of %s", op).isEqualTo(inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            Value input = inputs.get(i);
            assertThat(rule.inputs()[i] == null).as("%s: input %d", op, i).isEqualTo(input == null);
            if (input != null) {
                assertThat(rule.inputs()[i])
                        .as("%s: input %d", op, i)
                        .hasSize(input.shape().rank());
            }
        }
        assertThat(rule.outputs().length).as("outputs of %s", op).isEqualTo(metas.length);
        for (int o = 0; o < metas.length; o++) {
            assertThat(rule.outputs()[o])
                    .as("%s: output %d", op, o)
                    .hasSize(metas[o].shape().rank());
        }
    }

    private static void localViewsAreOfTheInput(Site site, OpKind.View kind, TensorMeta[] metas) {
        Value self = (Value) site.args()[0];
        StridedView whole =
                new StridedView(0, self.shape().toArray(), self.shape().contiguousStrides());
        for (int o = 0; o < metas.length; o++) {
            StridedView local = kind.local().apply(whole, metas[o].shape().toArray(), site, o);
            assertThat(local).isNotNull();
            assertThat(local.sizes()).containsExactly(metas[o].shape().toArray());
            assertThat(local.strides()).hasSize(metas[o].shape().rank());
            long last = local.offset();
            for (int d = 0; d < local.sizes().length; d++) {
                last += Math.max(local.sizes()[d] - 1, 0) * local.strides()[d];
            }
            assertThat(last).isBetween(0L, Math.max(self.shape().numel() - 1, 0));
        }
    }
}
