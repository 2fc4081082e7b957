package org.dtorch.backend;

/**
 * One execution of a kernel on one device.
 *
 * @param inputs the tensor inputs; null where an optional one is absent
 * @param outputs the results, allocated
 * @param args the non-tensor arguments that the kernel takes, in its documented order
 * @param origins where the local operands lie in their global tensors
 */
public record Launch(Operand[] inputs, Operand[] outputs, Object[] args, Origins origins) {

    /** Where local operands lie in their global tensors, for kernels whose result depends on the global index. */
    public interface Origins {
        /** The global index of the first local element of input {@code i} along {@code dim}. */
        long input(int i, int dim);

        /** The global index of the first local element of output {@code i} along {@code dim}. */
        long output(int i, int dim);

        /** The global size of input {@code i} along {@code dim}. */
        long inputSize(int i, int dim);

        /** The global size of output {@code i} along {@code dim}. */
        long outputSize(int i, int dim);
    }
}
