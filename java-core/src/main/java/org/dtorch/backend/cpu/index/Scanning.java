package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.values.DType;

/** Running results along one dimension: cumsum and cumprod, accumulated in float64 or int64. */
final class Scanning {
    private Scanning() {}

    static void cumsum(Launch launch) {
        scan(launch, false);
    }

    static void cumprod(Launch launch) {
        scan(launch, true);
    }

    private static void scan(Launch launch, boolean product) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        if (x.numel() == 0) {
            return;
        }
        int dim = (int) (long) (Long) launch.args()[0];
        Lines from = Lines.of(x, dim);
        Lines to = Lines.of(y, dim);
        DType in = x.dtype();
        DType out = y.dtype();
        Lines.forEach(Lines.count(x, dim), from.size(), line -> {
            long source = from.address(line);
            long target = to.address(line);
            double real = product ? 1 : 0;
            long integer = product ? 1 : 0;
            for (long i = 0; i < from.size(); i++) {
                if (out.isFloating()) {
                    double value = Element.real(in, source + i * from.step());
                    real = product ? real * value : real + value;
                    Element.putReal(out, target + i * to.step(), real);
                } else {
                    long value = Element.integer(in, source + i * from.step());
                    integer = product ? integer * value : integer + value;
                    Element.putInteger(out, target + i * to.step(), integer);
                }
            }
        });
    }
}
