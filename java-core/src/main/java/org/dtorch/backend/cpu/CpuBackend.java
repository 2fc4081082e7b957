package org.dtorch.backend.cpu;

import java.util.concurrent.ConcurrentHashMap;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Memory;
import org.dtorch.backend.cpu.memory.Native;
import org.dtorch.backend.cpu.pointwise.PointwiseKernel;
import org.dtorch.backend.cpu.reduce.ReductionKernel;
import org.dtorch.backend.cpu.simd.Simd;
import org.dtorch.ffi.HostMemory;
import org.dtorch.mesh.DeviceType;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DTorchError;

/** The CPU: host memory, and kernels that use vectors and all cores. */
public final class CpuBackend implements Backend {
    private static final long ALIGNMENT = 64;

    /** Recipes are few (rows of the operator table times dtypes); a script that makes up ever new ones empties it. */
    private static final int MAX_COMPILED = 4096;

    private final ConcurrentHashMap<Recipe, Kernel> compiled = new ConcurrentHashMap<>();

    /** How wide the kernels of this process compute, and why. */
    public static Simd simd() {
        return Simd.chosen();
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public DeviceType deviceType() {
        return DeviceType.CPU;
    }

    @Override
    public int deviceCount() {
        return 1;
    }

    @Override
    public String absence() {
        return "";
    }

    @Override
    public Memory allocate(int device, long bytes) {
        var segment = HostMemory.allocate(bytes, ALIGNMENT);
        if (segment == null) {
            throw new DTorchError(DTorchError.Kind.OUT_OF_MEMORY, "cpu: cannot allocate " + bytes + " bytes");
        }
        return new Memory(segment, device);
    }

    @Override
    public void free(Memory memory) {
        HostMemory.free(memory.segment());
    }

    @Override
    public void copy(Memory from, long fromByte, Memory to, long toByte, long bytes) {
        if (fromByte < 0 || toByte < 0 || bytes < 0 || fromByte + bytes > from.bytes() || toByte + bytes > to.bytes()) {
            throw DTorchError.runtime(
                    "copy of %d bytes from position %d of %d to position %d of %d",
                    bytes, fromByte, from.bytes(), toByte, to.bytes());
        }
        Native.copy(from.segment().address() + fromByte, to.segment().address() + toByte, bytes);
    }

    @Override
    public Kernel kernel(Recipe recipe) {
        Kernel known = compiled.get(recipe);
        if (known != null) {
            return known;
        }
        Kernel kernel = switch (recipe) {
            case Recipe.Pointwise pointwise -> new PointwiseKernel(pointwise);
            case Recipe.Reduction reduction -> new ReductionKernel(reduction);
            case Recipe.Named(String name) -> NamedKernels.of(name);
        };
        if (compiled.size() >= MAX_COMPILED) {
            compiled.clear();
        }
        compiled.put(recipe, kernel);
        return kernel;
    }
}
