package org.dtorch.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.dtorch.op.Calls;
import org.dtorch.op.Op;
import org.dtorch.op.Value;

/** The calls inside one composite: what it makes and does not return is released at its end. */
final class Frame implements Calls {
    private final Dispatcher dispatcher;
    private final List<TensorData> made = new ArrayList<>();

    Frame(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public Value[] all(Op op, Object... args) {
        TensorData[] results = dispatcher.run(op, dispatcher.complete(op, args));
        for (TensorData result : results) {
            if (!isArgument(result, args)) {
                made.add(result);
            }
        }
        return results;
    }

    @Override
    public long readLong(Value value) {
        return dispatcher.readLong((TensorData) value);
    }

    @Override
    public long[] drawKey() {
        return dispatcher.random().nextKey();
    }

    /** An operator may return what it was given: then it is not this frame's to release. */
    private static boolean isArgument(TensorData result, Object[] args) {
        for (Object arg : args) {
            if (arg == result) {
                return true;
            }
            if (arg instanceof Value[] list) {
                for (Value v : list) {
                    if (v == result) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Releases everything but {@code kept}. */
    void release(Value[] kept) {
        for (TensorData value : made) {
            boolean escapes = false;
            for (Value k : kept) {
                escapes |= k == value;
            }
            if (!escapes) {
                value.release();
            }
        }
    }
}
