package org.dtorch.backend.cpu.dense;

import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/** Matrix products of all dtypes but bool. */
final class Product {
    private Product() {}

    static void compute(Matrix a, Matrix b, Matrix c, Matrix bias) {
        if (c.dtype().isFloating()) {
            MatrixProduct.compute(a, b, c, bias);
        } else {
            IntegerProduct.compute(a, b, c, bias);
        }
    }

    static void requireNumbers(String kernel, DType dtype) {
        if (dtype == DType.BOOL) {
            throw DTorchError.notImplemented("%s of dtype torch.bool; any other dtype is legal", kernel);
        }
    }
}
