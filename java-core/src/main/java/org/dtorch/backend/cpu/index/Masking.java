package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.random.Philox;
import org.dtorch.values.DType;

/** Masks made from the global index: dropout. */
final class Masking {
    private Masking() {}

    static void dropout(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        if (x.numel() == 0) {
            return;
        }
        double p = (Double) launch.args()[0];
        Philox stream = new Philox((Long) launch.args()[1], (Long) launch.args()[2]);
        double scale = p == 1 ? 0 : 1 / (1 - p);
        int last = Math.max(0, x.rank() - 1);
        Lines from = Lines.of(x, last);
        Lines to = Lines.of(y, last);
        int n = Math.toIntExact(from.size());
        DType dtype = x.dtype();
        Lines.forEach(Lines.count(x, last), 8L * n, line -> {
            float[] uniform = new float[n];
            stream.uniform(globalIndex(launch, x, line * n), uniform);
            long source = from.address(line);
            long target = to.address(line);
            for (int i = 0; i < n; i++) {
                double value = Element.real(dtype, source + i * from.step());
                Element.putReal(dtype, target + i * to.step(), uniform[i] < p ? 0 : value * scale);
            }
        });
    }

    /** The position in the global tensor, in row-major order, of the local position {@code local}. */
    private static long globalIndex(Launch launch, Operand x, long local) {
        long index = 0;
        long step = 1;
        long rest = local;
        for (int d = x.rank() - 1; d >= 0; d--) {
            index += (rest % x.sizes()[d] + launch.origins().input(0, d)) * step;
            rest /= x.sizes()[d];
            step *= launch.origins().inputSize(0, d);
        }
        return index;
    }
}
