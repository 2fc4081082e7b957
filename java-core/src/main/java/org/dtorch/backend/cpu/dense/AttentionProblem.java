package org.dtorch.backend.cpu.dense;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;

/**
 * What one launch of attention computes.
 *
 * @param compute float32 or float64
 * @param mask null when absent
 * @param scale the factor of the scores
 * @param keyBlocks the keys in blocks; with positions when causal
 * @param queryPositions null when not causal
 */
record AttentionProblem(
        DType compute,
        Tensor4 q,
        Tensor4 k,
        Tensor4 v,
        Tensor4 mask,
        Tensor4 out,
        Tensor4 lse,
        double scale,
        KeyBlocks keyBlocks,
        long[] queryPositions) {

    /** An operand of up to four dimensions, seen with four: sizes of 1 and missing leading ones repeat. */
    record Tensor4(long address, DType dtype, long[] sizes, long[] strides) {
        static Tensor4 of(Operand operand, long... sizes) {
            int missing = 4 - operand.rank();
            long[] strides = new long[4];
            for (int d = missing; d < 4; d++) {
                strides[d] = operand.sizes()[d - missing] == 1 ? 0 : operand.strides()[d - missing];
            }
            return new Tensor4(Native.address(operand), operand.dtype(), sizes, strides);
        }

        static Tensor4 of(Operand operand) {
            return new Tensor4(Native.address(operand), operand.dtype(), operand.sizes(), operand.strides());
        }

        long at(long n, long head, long row, long col) {
            return address + (n * strides[0] + head * strides[1] + row * strides[2] + col * strides[3]) * dtype.bytes();
        }

        /** Some rows of one head. */
        Matrix rows(long n, long head, long row, long count) {
            return new Matrix(at(n, head, row, 0), dtype, count, sizes[3], strides[2], strides[3]);
        }

        long step() {
            return strides[3] * dtype.bytes();
        }
    }

    /** @throws DTorchError of kind LAYOUT when sizes do not belong together */
    static AttentionProblem of(Launch launch) {
        Operand q = launch.inputs()[0];
        Operand k = launch.inputs()[1];
        Operand v = launch.inputs()[2];
        Operand mask = launch.inputs().length > 3 ? launch.inputs()[3] : null;
        Operand out = launch.outputs()[0];
        Operand lse = launch.outputs()[1];
        double scale = (Double) launch.args()[0];
        boolean causal = (Boolean) launch.args()[1];
        long heads = q.sizes()[1];
        long queries = q.sizes()[2];
        long keys = k.sizes()[2];
        long keyHeads = k.sizes()[1];
        if (keyHeads == 0 ? heads != 0 : heads % keyHeads != 0) {
            throw DTorchError.layout(
                    "attention: %d query heads for %d key and value heads; a multiple is legal", heads, keyHeads);
        }
        long[] queryPositions = causal ? (long[]) launch.args()[2] : null;
        long[] keyPositions = causal ? (long[]) launch.args()[3] : null;
        if (causal && (queryPositions.length != queries || keyPositions.length != keys)) {
            throw DTorchError.layout(
                    "attention: %d query and %d key positions for %d queries and %d keys",
                    queryPositions.length, keyPositions.length, queries, keys);
        }
        DType compute = q.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
        long[] lseSizes = lse.sizes();
        long[] lseStrides = lse.strides();
        Tensor4 lse4 = new Tensor4(
                Native.address(lse), lse.dtype(), new long[] {lseSizes[0], lseSizes[1], lseSizes[2], 1}, new long[] {
                    lseStrides[0], lseStrides[1], lseStrides[2], 0
                });
        return new AttentionProblem(
                compute,
                Tensor4.of(q),
                Tensor4.of(k),
                Tensor4.of(v),
                mask == null ? null : Tensor4.of(mask, q.sizes()[0], heads, queries, keys),
                Tensor4.of(out),
                lse4,
                scale,
                KeyBlocks.of(keys, keyPositions),
                queryPositions);
    }

    long keyHeads() {
        return k.sizes[1];
    }

    /** How many query heads share one key and value head. */
    long headsPerKey() {
        return q.sizes[1] / k.sizes[1];
    }

    long keys() {
        return k.sizes[2];
    }

    int queryWidth() {
        return (int) q.sizes[3];
    }

    int valueWidth() {
        return (int) v.sizes[3];
    }
}
