package org.dtorch.backend.cpu.index;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Element;
import org.dtorch.values.Scalar;

/** Kernels whose values come from the global index: arange, eye, tril and triu. */
final class Creation {
    private Creation() {}

    static void arange(Launch launch) {
        Operand y = launch.outputs()[0];
        Scalar start = (Scalar) launch.args()[0];
        Scalar step = (Scalar) launch.args()[1];
        long n = y.numel();
        if (n == 0) {
            return;
        }
        Lines line = Lines.of(y, 0);
        long first = launch.origins().output(0, 0);
        for (long i = 0; i < n; i++) {
            long address = line.address(0) + i * line.step();
            if (y.dtype().isFloating()) {
                Element.putReal(y.dtype(), address, start.toDouble() + step.toDouble() * (first + i));
            } else {
                Element.putInteger(y.dtype(), address, start.toLong() + step.toLong() * (first + i));
            }
        }
    }

    static void eye(Launch launch) {
        Operand y = launch.outputs()[0];
        if (y.numel() == 0) {
            return;
        }
        Lines rows = Lines.of(y, 1);
        long firstRow = launch.origins().output(0, 0);
        long firstColumn = launch.origins().output(0, 1);
        for (long row = 0; row < y.sizes()[0]; row++) {
            long address = rows.address(row);
            Element.clear(y.dtype(), address, rows.step(), rows.size());
            long column = firstRow + row - firstColumn;
            if (column >= 0 && column < rows.size()) {
                Element.putInteger(y.dtype(), address + column * rows.step(), 1);
            }
        }
    }

    static void tril(Launch launch) {
        triangle(launch, true);
    }

    static void triu(Launch launch) {
        triangle(launch, false);
    }

    private static void triangle(Launch launch, boolean lower) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        if (y.numel() == 0) {
            return;
        }
        int last = y.rank() - 1;
        Lines from = Lines.of(x, last);
        Lines to = Lines.of(y, last);
        long rows = y.sizes()[last - 1];
        long size = to.size();
        long diagonal = (Long) launch.args()[0]
                + launch.origins().output(0, last - 1)
                - launch.origins().output(0, last);
        int bytes = y.dtype().bytes();
        Lines.forEach(Lines.count(y, last), size, line -> {
            long onDiagonal = line % rows + diagonal;
            long split = Math.clamp(lower ? onDiagonal + 1 : onDiagonal, 0, size);
            long begin = lower ? 0 : split;
            long end = lower ? split : size;
            long source = from.address(line);
            long target = to.address(line);
            Element.clear(y.dtype(), target, to.step(), begin);
            Element.copy(
                    bytes,
                    source + begin * from.step(),
                    from.step(),
                    target + begin * to.step(),
                    to.step(),
                    end - begin);
            Element.clear(y.dtype(), target + end * to.step(), to.step(), size - end);
        });
    }
}
