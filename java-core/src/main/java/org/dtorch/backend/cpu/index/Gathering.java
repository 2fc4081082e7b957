package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.backend.cpu.pointwise.CopyKernel;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/** Kernels that pick elements along one dimension by an index of the result's sizes: gather and scatter. */
final class Gathering {
    private Gathering() {}

    static void gather(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand index = launch.inputs()[1];
        Operand y = launch.outputs()[0];
        int dim = (int) (long) (Long) launch.args()[0];
        if (index.numel() == 0) {
            return;
        }
        check(index, x.rank() == 0 ? 1 : x.sizes()[dim], dim);
        Lines from = Lines.of(x, dim, index.sizes());
        Lines at = Lines.of(index, dim);
        Lines to = Lines.of(y, dim);
        int bytes = x.dtype().bytes();
        Lines.forEach(Lines.count(index, dim), at.size(), line -> {
            long source = from.address(line);
            long picks = at.address(line);
            long target = to.address(line);
            for (long i = 0; i < at.size(); i++) {
                long pick = Element.integer(index.dtype(), picks + i * at.step());
                move(bytes, source + pick * from.step(), target + i * to.step());
            }
        });
    }

    static void scatter(Launch launch) {
        Operand y = launch.outputs()[0];
        CopyKernel.copy(launch.inputs()[0], y);
        Operand index = launch.inputs()[1];
        Operand src = launch.inputs()[2];
        int dim = (int) (long) (Long) launch.args()[0];
        boolean accumulate = (Boolean) launch.args()[1];
        if (index.numel() == 0) {
            return;
        }
        check(index, y.rank() == 0 ? 1 : y.sizes()[dim], dim);
        Lines from = Lines.of(src, dim, index.sizes());
        Lines at = Lines.of(index, dim);
        Lines to = Lines.of(y, dim, index.sizes());
        DType dtype = y.dtype();
        int bytes = dtype.bytes();
        Lines.forEach(Lines.count(index, dim), at.size(), line -> {
            long source = from.address(line);
            long picks = at.address(line);
            long target = to.address(line);
            for (long i = 0; i < at.size(); i++) {
                long pick = Element.integer(index.dtype(), picks + i * at.step());
                if (accumulate) {
                    Element.add(dtype, target + pick * to.step(), source + i * from.step());
                } else {
                    move(bytes, source + i * from.step(), target + pick * to.step());
                }
            }
        });
    }

    private static void move(int bytes, long from, long to) {
        Element.copy(bytes, from, 0, to, 0, 1);
    }

    /** Refuses an index that is not in [0, size), before anything is written. */
    private static void check(Operand index, long size, int dim) {
        Lines at = Lines.of(index, dim);
        Lines.forEach(Lines.count(index, dim), at.size(), line -> {
            long picks = at.address(line);
            for (long i = 0; i < at.size(); i++) {
                long pick = Element.integer(index.dtype(), picks + i * at.step());
                if (pick < 0 || pick >= size) {
                    throw DTorchError.runtime(
                            "index %d is out of bounds for dimension %d with size %d", pick, dim, size);
                }
            }
        });
    }
}
