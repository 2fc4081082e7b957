package org.dtorch.cuda;

import java.util.Locale;
import jcuda.driver.CUresult;
import org.dtorch.values.DTorchError;

/** Turns the driver's status codes into errors. */
final class DriverCalls {
    private DriverCalls() {}

    /**
     * Nothing, when {@code status} is success.
     *
     * @param format what was tried, beginning with the device
     * @throws DTorchError of kind OUT_OF_MEMORY when the driver says so, else RUNTIME, with the driver's name of the error
     */
    static void check(int status, String format, Object... args) {
        if (status == CUresult.CUDA_SUCCESS) {
            return;
        }
        DTorchError.Kind kind =
                status == CUresult.CUDA_ERROR_OUT_OF_MEMORY ? DTorchError.Kind.OUT_OF_MEMORY : DTorchError.Kind.RUNTIME;
        throw new DTorchError(kind, String.format(Locale.ROOT, format, args) + ": " + text(status));
    }

    /** The driver's name of a status. */
    static String text(int status) {
        return CUresult.stringFor(status);
    }
}
