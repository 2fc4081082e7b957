package org.dtorch.nn;

import java.util.Map;
import org.dtorch.values.DTorchError;

/** A module whose class is written in a guest language; everything it computes is a callback. */
public final class GuestModule extends Module {
    @Override
    public Object forward(Object[] args, Map<String, Object> kwargs) {
        return callbacks().forward(args, kwargs);
    }

    @Override
    public Inputs redistributeInput(Object[] args, Map<String, Object> kwargs) {
        return callbacks().redistributeInput(args, kwargs);
    }

    @Override
    public Object redistributeOutput(Object output) {
        return callbacks().redistributeOutput(output);
    }

    @Override
    public String extraRepr() {
        return callbacks().extraRepr();
    }

    private GuestCallbacks callbacks() {
        GuestCallbacks guest = guest();
        if (guest == null) {
            throw DTorchError.runtime("this module's class has not been set up: call super().__init__() first");
        }
        return guest;
    }
}
