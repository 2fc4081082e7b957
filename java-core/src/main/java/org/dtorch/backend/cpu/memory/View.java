package org.dtorch.backend.cpu.memory;

import java.util.Arrays;
import org.dtorch.backend.Operand;
import org.dtorch.values.DType;

/**
 * An operand as a kernel walks it: an address and as few dimensions as its strides allow, in an order that is common to
 * all operands of the launch, so that one linear position means the same element in each.
 */
public final class View {
    private static final long[] NONE = {};

    /** The address of the element at position 0. */
    public final long address;

    public final DType dtype;

    /** Sizes of the joined dimensions, outermost first; none for a single element. */
    public final long[] sizes;

    /** Distances in bytes, parallel to {@link #sizes}. */
    public final long[] steps;

    private View(long address, DType dtype, long[] sizes, long[] steps) {
        this.address = address;
        this.dtype = dtype;
        this.sizes = sizes;
        this.steps = steps;
    }

    /** Whether the elements lie one behind the other. */
    public boolean isDense() {
        return sizes.length == 0 || (sizes.length == 1 && steps[0] == dtype.bytes());
    }

    /** Whether all positions are the same element. */
    public boolean isUniform() {
        return sizes.length == 0 || (sizes.length == 1 && steps[0] == 0);
    }

    /** How many elements follow each other at one distance. */
    public long innerSize() {
        return sizes.length == 0 ? 1 : sizes[sizes.length - 1];
    }

    /** The distance of the innermost dimension in bytes. */
    public long innerStep() {
        return sizes.length == 0 ? 0 : steps[steps.length - 1];
    }

    /** The address of the element at {@code position}. */
    public long elementAddress(long position) {
        if (sizes.length <= 1) {
            return address + position * innerStep();
        }
        long inner = innerSize();
        long row = position / inner;
        return rowAddress(row) + (position - row * inner) * innerStep();
    }

    /** The address of the first element of inner row {@code row}. */
    public long rowAddress(long row) {
        long result = address;
        long rest = row;
        for (int d = sizes.length - 2; d > 0; d--) {
            long next = rest / sizes[d];
            result += (rest - next * sizes[d]) * steps[d];
            rest = next;
        }
        return sizes.length > 1 ? result + rest * steps[0] : result;
    }

    /** The view of one operand whose dimensions are walked in the given order, outermost first. */
    public static View of(Operand operand, int[] order) {
        long address = Native.address(operand);
        int bytes = operand.dtype().bytes();
        long[] sizes = operand.sizes();
        long[] strides = operand.strides();
        int rank = 0;
        long[] joinedSizes = new long[order.length];
        long[] steps = new long[order.length];
        for (int dim : order) {
            long size = sizes[dim];
            if (size == 1) {
                continue;
            }
            long step = strides[dim] * bytes;
            if (rank > 0 && steps[rank - 1] == step * size) {
                joinedSizes[rank - 1] *= size;
                steps[rank - 1] = step;
            } else {
                joinedSizes[rank] = size;
                steps[rank++] = step;
            }
        }
        if (rank != order.length) {
            joinedSizes = Arrays.copyOf(joinedSizes, rank);
            steps = Arrays.copyOf(steps, rank);
        }
        return new View(address, operand.dtype(), joinedSizes, steps);
    }

    /** The view of an operand that is dense in row-major order, or the same element everywhere. */
    public static View flat(Operand operand, long numel, boolean uniform) {
        long address = Native.address(operand);
        if (numel == 1) {
            return new View(address, operand.dtype(), NONE, NONE);
        }
        long step = uniform ? 0 : operand.dtype().bytes();
        return new View(address, operand.dtype(), new long[] {numel}, new long[] {step});
    }

    /** Whether every position of an operand is its first element. */
    public static boolean isUniform(Operand operand) {
        long[] sizes = operand.sizes();
        long[] strides = operand.strides();
        for (int d = 0; d < sizes.length; d++) {
            if (sizes[d] != 1 && strides[d] != 0) {
                return false;
            }
        }
        return true;
    }

    /** The dimensions of an operand from the largest stride to the smallest: the order in which its memory lies. */
    public static int[] memoryOrder(Operand operand) {
        long[] strides = operand.strides();
        long[] sizes = operand.sizes();
        int[] order = new int[strides.length];
        int count = 0;
        for (int dim = 0; dim < strides.length; dim++) {
            if (sizes[dim] == 1) {
                continue;
            }
            int at = count++;
            while (at > 0 && Math.abs(strides[order[at - 1]]) < Math.abs(strides[dim])) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = dim;
        }
        return count == order.length ? order : Arrays.copyOf(order, count);
    }
}
