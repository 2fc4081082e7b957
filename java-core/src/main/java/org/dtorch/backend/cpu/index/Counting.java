package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.memory.View;

/** Where the elements that are not 0 are: count_nonzero and nonzero. */
final class Counting {
    private Counting() {}

    static void countNonzero(Launch launch) {
        Operand x = launch.inputs()[0];
        long n = x.numel();
        long count = 0;
        if (n > 0) {
            View view = rowMajor(x);
            for (long i = 0; i < n; i++) {
                if (Element.isNonZero(x.dtype(), view.elementAddress(i))) {
                    count++;
                }
            }
        }
        Operand y = launch.outputs()[0];
        Element.putInteger(y.dtype(), Native.address(y), count);
    }

    static void nonzero(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        long n = x.numel();
        if (n == 0 || y.numel() == 0) {
            return;
        }
        int rank = x.rank();
        View view = rowMajor(x);
        long row = Native.address(y);
        long rowStep = y.strides()[0] * y.dtype().bytes();
        long columnStep = y.strides()[1] * y.dtype().bytes();
        for (long i = 0; i < n; i++) {
            if (!Element.isNonZero(x.dtype(), view.elementAddress(i))) {
                continue;
            }
            long rest = i;
            for (int d = rank - 1; d >= 0; d--) {
                long index = rest % x.sizes()[d] + launch.origins().input(0, d);
                Element.putInteger(y.dtype(), row + d * columnStep, index);
                rest /= x.sizes()[d];
            }
            row += rowStep;
        }
    }

    private static View rowMajor(Operand x) {
        int[] order = new int[x.rank()];
        for (int d = 0; d < order.length; d++) {
            order[d] = d;
        }
        return View.of(x, order);
    }
}
