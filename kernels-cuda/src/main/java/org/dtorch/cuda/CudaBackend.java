package org.dtorch.cuda;

import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Memory;
import org.dtorch.mesh.DeviceType;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DTorchError;

/**
 * NVIDIA GPUs by the CUDA driver: discovery, memory, copies, and the pointwise kernels copy, fill and add.
 *
 * <p>It loads on any machine; where there is no driver or no GPU, {@link #deviceCount} is 0 and {@link #absence} says what
 * to install. What it lacks is written in {@code docs/decisions/0020-device-memory.md}.
 */
public final class CudaBackend implements Backend {
    /*
     * All work of a device goes to the default stream of its primary context, in the order in which the runtime gives it;
     * kernels and copies inside a device return before they are done, copies to the host wait. A failed kernel is reported
     * by a later call on its device.
     */

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public DeviceType deviceType() {
        return DeviceType.CUDA;
    }

    @Override
    public int deviceCount() {
        return Discovery.ofThisMachine().devices().size();
    }

    @Override
    public String absence() {
        return Discovery.ofThisMachine().absence();
    }

    @Override
    public String deviceName(int device) {
        return Discovery.ofThisMachine().device(device).text();
    }

    @Override
    public boolean isComplete() {
        return false;
    }

    @Override
    public Memory allocate(int device, long bytes) {
        return Discovery.ofThisMachine().device(device).allocate(bytes);
    }

    @Override
    public void free(Memory memory) {
        owner(memory).free(memory);
    }

    @Override
    public void copy(Memory from, long fromByte, Memory to, long toByte, long bytes) {
        checkRange("source", from.bytes(), fromByte, bytes);
        checkRange("target", to.bytes(), toByte, bytes);
        if (bytes > 0) {
            owner(from).copyTo(owner(to), address(from) + fromByte, address(to) + toByte, bytes);
        }
    }

    @Override
    public void copyFromHost(MemorySegment from, long fromByte, Memory to, long toByte, long bytes) {
        checkRange("source", from.byteSize(), fromByte, bytes);
        checkRange("target", to.bytes(), toByte, bytes);
        owner(to).copyFromHost(from.asSlice(fromByte, bytes), address(to) + toByte);
    }

    @Override
    public void copyToHost(Memory from, long fromByte, MemorySegment to, long toByte, long bytes) {
        checkRange("source", from.bytes(), fromByte, bytes);
        checkRange("target", to.byteSize(), toByte, bytes);
        owner(from).copyToHost(address(from) + fromByte, to.asSlice(toByte, bytes));
    }

    @Override
    public void synchronize(int device) {
        Discovery.ofThisMachine().device(device).synchronize();
    }

    @Override
    public Kernel kernel(Recipe recipe) {
        return switch (recipe) {
            case Recipe.Pointwise pointwise ->
                new PointwiseKernel(
                        PointwiseForm.of(pointwise).orElseThrow(() -> missing(recipe)), pointwise.compute());
            case Recipe.Reduction reduction -> throw missing(recipe);
            case Recipe.Named(String name) -> throw DTorchError.notImplemented("kernel '%s' on the cuda backend", name);
        };
    }

    private static DTorchError missing(Recipe recipe) {
        return DTorchError.notImplemented(
                "kernel for %s on the cuda backend, which has the pointwise copy, fill and add", recipe);
    }

    private static CudaDevice owner(Memory memory) {
        return Discovery.ofThisMachine().device(memory.device());
    }

    private static long address(Memory memory) {
        return memory.segment().address();
    }

    private static void checkRange(String which, long size, long at, long bytes) {
        if (at < 0 || bytes < 0 || at > size - bytes) {
            throw DTorchError.runtime(String.format(
                    Locale.ROOT, "cuda: copy of %d bytes at position %d of a %s of %d bytes", bytes, at, which, size));
        }
    }
}
