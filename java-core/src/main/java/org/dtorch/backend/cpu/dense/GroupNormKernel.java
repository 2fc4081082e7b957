package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.RowMath;
import org.dtorch.backend.cpu.simd.Rows;
import org.dtorch.values.DType;

/** {@code group_norm}: x[n,c,…], weight[c]?, bias[c]? → y; args: groups, eps. Each group of channels is normalised alone. */
final class GroupNormKernel implements Kernel {
    @Override
    public void run(Launch launch) {
        Operand x = launch.inputs()[0];
        Operand y = launch.outputs()[0];
        int groups = (int) (long) launch.args()[0];
        double eps = (Double) launch.args()[1];
        if (x.numel() == 0) {
            return;
        }
        DType compute = RowKernels.compute(x.dtype(), y.dtype());
        RowSet from = grouped(x, groups);
        RowSet to = grouped(y, groups);
        int channels = (int) (x.sizes()[1] / groups);
        int perChannel = from.length() / channels;
        try (WorkSpace outer = WorkSpace.open()) {
            long weight = NormKernel.dense(launch.inputs()[1], compute, outer);
            long bias = NormKernel.dense(launch.inputs()[2], compute, outer);
            Workers.shared().forRange(from.count(), 1, (first, end) -> {
                RowMath math = Rows.of(compute);
                BlockMath blocks = Blocks.of(compute);
                try (WorkSpace space = WorkSpace.open()) {
                    long buffer = space.take((long) from.length() * compute.bytes());
                    for (long row = first; row < end; row++) {
                        from.load(blocks, row, buffer);
                        double mean = math.sum(buffer, from.length()) / from.length();
                        double variance = math.sumOfSquares(buffer, from.length(), mean) / from.length();
                        double scale = 1 / Math.sqrt(variance + eps);
                        int channel = (int) (row % groups) * channels;
                        for (int c = 0; c < channels; c++) {
                            double factor = weight == 0 ? scale : scale * value(compute, weight, channel + c);
                            double shift = bias == 0 ? 0 : value(compute, bias, channel + c);
                            long part = buffer + (long) c * perChannel * compute.bytes();
                            math.affine(part, part, perChannel, mean, factor, shift);
                        }
                        to.store(blocks, row, buffer);
                    }
                }
            });
        }
    }

    /** Rows of one group of one sample each: the channel dimension is seen as groups times channels. */
    private static RowSet grouped(Operand x, int groups) {
        int rank = x.rank();
        long[] sizes = new long[rank + 1];
        long[] strides = new long[rank + 1];
        sizes[0] = x.sizes()[0];
        strides[0] = x.strides()[0];
        sizes[1] = groups;
        sizes[2] = x.sizes()[1] / groups;
        strides[1] = sizes[2] * x.strides()[1];
        System.arraycopy(x.sizes(), 2, sizes, 3, rank - 2);
        System.arraycopy(x.strides(), 1, strides, 2, rank - 1);
        return RowSet.of(x, sizes, strides, rank - 1);
    }

    private static double value(DType compute, long address, int index) {
        return compute == DType.FLOAT64
                ? Native.getDouble(address + index * 8L)
                : Native.getFloat(address + index * 4L);
    }
}
