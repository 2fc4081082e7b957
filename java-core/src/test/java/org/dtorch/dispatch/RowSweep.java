package org.dtorch.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.dtorch.api.DTorch;
import org.dtorch.api.Tensor;
import org.dtorch.fixtures.Array;
import org.dtorch.placement.Layout;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/** Calls rows on laid-out tensors and holds values, shapes, dtypes and shard sizes against one device's. */
final class RowSweep {
    private final DTorch dt;
    private int cases;
    private int refused;
    private final List<String> faults = new ArrayList<>();

    /** What one device says. */
    private record Expected(Array value, DType dtype) {}

    RowSweep(DTorch dt) {
        this.dt = dt;
    }

    /** Calls that ran, with whatever result. */
    int cases() {
        return cases;
    }

    /** In-place calls that said no. */
    int refused() {
        return refused;
    }

    /** What was wrong, one text each. */
    List<String> faults() {
        return faults;
    }

    /** Holds one sample in some arrangements against one device. */
    void check(SampleCall call, List<Arrangement> arrangements) {
        List<Expected> expected;
        try {
            expected = onOneDevice(call);
        } catch (RuntimeException | AssertionError e) {
            faults.add(call + " on one device: " + brief(e));
            return;
        }
        for (Arrangement arrangement : arrangements) {
            cases++;
            try {
                check(call, arrangement, expected);
            } catch (RuntimeException | AssertionError e) {
                faults.add(call + " with " + arrangement
                        + (dt.dispatcher().session().isIsolated() ? " isolated" : "") + ": " + brief(e));
            }
        }
    }

    private static String brief(Throwable e) {
        String text = e.toString();
        return text.length() > 600 ? text.substring(0, 600) : text;
    }

    private List<Expected> onOneDevice(SampleCall call) {
        Layout one = Layout.replicated(dt.defaultMesh());
        dt.manualSeed(3);
        Object[] args = call.args(dt, i -> one, one, new Random(5));
        Tensor[] results = dt.call(call.op(), args);
        List<Expected> expected = new ArrayList<>();
        for (Tensor result : results) {
            expected.add(
                    new Expected(new Array(result.shape(), Parts.joined(result).values()), result.dtype()));
        }
        close(results, args);
        return expected;
    }

    private void check(SampleCall call, Arrangement arrangement, List<Expected> expected) {
        dt.manualSeed(3);
        Layout created = call.isCreation()
                ? arrangement.of(
                        expected.getFirst().value().shape().rank(),
                        expected.getFirst().dtype())
                : null;
        Object[] args = call.args(
                dt,
                i -> arrangement.of(
                        call.inputs().get(i).rank(), call.inputs().get(i).dtype()),
                created,
                new Random(7));
        Tensor[] results;
        try {
            results = dt.call(call.op(), args);
        } catch (DTorchError e) {
            if (!refusesToWrite(call, e)) {
                throw e;
            }
            refused++;
            compareInputs(call, args, -1);
            close(new Tensor[0], args);
            return;
        }
        if (results.length != expected.size()) {
            throw new AssertionError(results.length + " results, expected " + expected.size());
        }
        for (int i = 0; i < results.length; i++) {
            compare(results[i], expected.get(i), call);
        }
        compareInputs(call, args, call.mutatedInput());
        close(results, args);
    }

    private static boolean refusesToWrite(SampleCall call, DTorchError e) {
        return call.mutatedInput() >= 0
                && (e.getMessage().contains("in place") || e.getMessage().contains("would not reach"));
    }

    private static void compare(Tensor got, Expected expected, SampleCall call) {
        if (!got.shape().equals(expected.value().shape()) || got.dtype() != expected.dtype()) {
            throw new AssertionError("result " + got.dtype() + got.shape() + ", expected " + expected.dtype()
                    + expected.value().shape());
        }
        Array joined = Parts.joined(got);
        if (!call.isUndefined()) {
            joined.assertClose(
                    expected.value().values(),
                    call.tolerance(),
                    "value as " + got.layout().shortName());
            if (!joinsExactly(got)) {
                new Array(got.shape(), got.toDoubles())
                        .assertClose(expected.value().values(), call.tolerance(), "value read");
            }
        }
    }

    private static boolean joinsExactly(Tensor got) {
        return !got.layout().hasPartial();
    }

    /** What was not to be written is as it was. */
    private static void compareInputs(SampleCall call, Object[] args, int written) {
        int n = 0;
        for (Object arg : args) {
            switch (arg) {
                case Tensor t -> {
                    if (n != written) {
                        compareInput(call, t, n);
                    }
                    n++;
                }
                case List<?> list -> {
                    for (Object item : list) {
                        if (item instanceof Tensor t && n != written) {
                            compareInput(call, t, n);
                        }
                        n++;
                    }
                }
                case null -> n = nextPresent(call, n);
                default -> {}
            }
        }
    }

    private static int nextPresent(SampleCall call, int n) {
        return n < call.inputs().size() && call.inputs().get(n) == null ? n + 1 : n;
    }

    private static void compareInput(SampleCall call, Tensor t, int n) {
        Parts.joined(t)
                .assertClose(call.inputs().get(n).value().values(), call.tolerance() / 4, "input " + n + " after");
    }

    static void close(Tensor[] results, Object[] args) {
        for (Tensor result : results) {
            result.close();
        }
        for (Object arg : args) {
            switch (arg) {
                case Tensor t -> t.close();
                case List<?> list -> {
                    for (Object item : list) {
                        if (item instanceof Tensor t) {
                            t.close();
                        }
                    }
                }
                case null, default -> {}
            }
        }
    }
}
