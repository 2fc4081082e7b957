package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.fixtures.Array;
import org.dtorch.op.CreationOptions;
import org.dtorch.op.Op;
import org.dtorch.op.OpKind;
import org.dtorch.op.Param;
import org.dtorch.op.Sample;
import org.dtorch.placement.Layout;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** A sample of a row with its values drawn: the same ones however the tensors are laid out. */
final class SampleCall {
    private static final long SEED = 1;

    private final Op op;
    private final Sample sample;
    private final List<Input> inputs = new ArrayList<>();

    /** One tensor among the arguments. */
    record Input(Sample.Tensor recipe, Array value) {
        DType dtype() {
            return recipe.dtype();
        }

        int rank() {
            return recipe.shape().rank();
        }
    }

    SampleCall(Op op, Sample sample) {
        this.op = op;
        this.sample = sample;
        Random random = new Random(SEED);
        for (int i = 0; i < sample.args().size(); i++) {
            switch (sample.args().get(i)) {
                case Sample.Tensor t -> inputs.add(draw(t, random));
                case Sample.Tensor[] list -> {
                    for (Sample.Tensor t : list) {
                        inputs.add(t == null ? null : draw(t, random));
                    }
                }
                case null -> addAbsent(i);
                default -> {}
            }
        }
        for (int i = sample.args().size(); i < op.schema().params().size(); i++) {
            addAbsent(i);
        }
    }

    /** An absent tensor counts among the inputs of a rule. */
    private void addAbsent(int param) {
        Param missing = op.schema().params().get(param);
        if (missing.type() == Param.Type.TENSOR && (param < sample.args().size() || missing.fallback() == null)) {
            inputs.add(null);
        }
    }

    private static Input draw(Sample.Tensor t, Random random) {
        Array array = Array.zeros(t.shape());
        MemorySegment one = MemorySegment.ofArray(new byte[8]);
        for (int i = 0; i < array.values().length; i++) {
            double value = t.dtype().isFloating()
                    ? t.low() + (t.high() - t.low()) * random.nextDouble()
                    : Math.floor(t.low() + random.nextInt((int) (t.high() - t.low() + 1)));
            HostElements.set(one, 0, t.dtype(), t.dtype().isFloating() ? Scalar.of(value) : Scalar.of((long) value));
            array.values()[i] = HostElements.get(one, 0, t.dtype()).toDouble();
        }
        return new Input(t, array);
    }

    Op op() {
        return op;
    }

    /** The tensors among the arguments in schema order; an absent one is null. */
    List<Input> inputs() {
        return inputs;
    }

    /** The index among the inputs of the tensor that is written, or -1. */
    int mutatedInput() {
        return op.mutatedParam() < 0 ? -1 : op.mutatedParam();
    }

    /** Whether the values are not defined, so that only shape and dtype can be compared. */
    boolean isUndefined() {
        return op.name().contains("empty");
    }

    /** How far from one device's values those of several may be. */
    double tolerance() {
        double worst = 1e-4;
        for (Input input : inputs) {
            if (input != null) {
                worst = Math.max(
                        worst,
                        switch (input.dtype()) {
                            case FLOAT16 -> 1e-2;
                            case BFLOAT16 -> 8e-2;
                            default -> 0;
                        });
            }
        }
        boolean casts = op.name().equals("half") || op.name().equals("bfloat16");
        return sample.args().contains(DType.FLOAT16) || sample.args().contains(DType.BFLOAT16) || casts ? 8e-2 : worst;
    }

    /**
     * The arguments for a call.
     *
     * @param layouts the layout of each input
     * @param created the layout of tensors made from nothing; null leaves it to the operator
     */
    Object[] args(DTorch dt, Function<Integer, Layout> layouts, Layout created, Random random) {
        Object[] args = sample.args().toArray();
        int n = 0;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case Sample.Tensor t -> args[i] = laidOut(dt, n, layouts.apply(n++), random);
                case Sample.Tensor[] list -> {
                    List<Tensor> tensors = new ArrayList<>();
                    for (Sample.Tensor t : list) {
                        tensors.add(t == null ? null : laidOut(dt, n, layouts.apply(n), random));
                        n++;
                    }
                    args[i] = tensors;
                }
                case Sample.Options o -> args[i] = new CreationOptions(o.dtype(), dt.defaultDType(), created);
                case null -> n += op.schema().params().get(i).type() == Param.Type.TENSOR ? 1 : 0;
                default -> {}
            }
        }
        return args;
    }

    private Tensor laidOut(DTorch dt, int input, Layout layout, Random random) {
        return Parts.laidOut(dt, inputs.get(input).value(), inputs.get(input).dtype(), layout, random);
    }

    boolean isCreation() {
        return inputs.stream().allMatch(i -> i == null)
                && (op.kind() instanceof OpKind.Created
                        || op.kind() instanceof OpKind.Random
                        || op.kind() instanceof OpKind.Composite);
    }

    @Override
    public String toString() {
        List<String> texts = new ArrayList<>();
        for (Object arg : sample.args()) {
            texts.add(
                    switch (arg) {
                        case null -> "None";
                        case long[] list -> java.util.Arrays.toString(list);
                        case Object[] list -> java.util.Arrays.toString(list);
                        case Sample.Tensor t -> t.dtype().torchName() + t.shape();
                        default -> arg.toString();
                    });
        }
        return op.name() + texts;
    }
}
