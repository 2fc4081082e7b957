package org.dtorch.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.dtorch.backend.Memory;
import org.dtorch.values.DTorchError;

/** One GPU: its primary context, its memory and the kernels loaded on it; thread-safe. */
final class CudaDevice {
    /*
     * The context is the primary one, which other libraries of the process share, and is retained at the first use: that
     * takes some hundred MB of the GPU, too much for a mere look at what there is. The process keeps it to its end. A
     * driver call works on the calling thread's current context, so each call below makes it current first.
     */
    private static final String PTX = "pointwise.ptx";
    private static final long MOST_BYTES_AT_ONCE = 1L << 30;
    private static final long STAGE_BYTES = 1L << 20;
    private static final double GIB = 1L << 30;

    private final int id;
    private final CUdevice handle;
    private final String name;
    private final long bytes;
    private final int major;
    private final int minor;
    private final int multiprocessors;
    private final Map<String, CUfunction> functions = new HashMap<>();
    private CUcontext context;
    private CUmodule module;

    CudaDevice(int id, CUdevice handle, String name, long bytes, int major, int minor, int multiprocessors) {
        this.id = id;
        this.handle = handle;
        this.name = name;
        this.bytes = bytes;
        this.major = major;
        this.minor = minor;
        this.multiprocessors = multiprocessors;
    }

    /** For example {@code NVIDIA H200, 139.8 GiB, compute capability 9.0}. */
    String text() {
        return String.format(Locale.ROOT, "%s, %.1f GiB, compute capability %d.%d", name, bytes / GIB, major, minor);
    }

    int multiprocessors() {
        return multiprocessors;
    }

    /** @throws DTorchError of kind OUT_OF_MEMORY naming the size */
    Memory allocate(long size) {
        makeCurrent();
        DeviceAddress block = new DeviceAddress();
        DriverCalls.check(
                JCudaDriver.cuMemAlloc(block, Math.max(size, 1)), "cuda:%d: cannot allocate %d bytes", id, size);
        return new Memory(unreadable(block.value(), size), id);
    }

    void free(Memory memory) {
        makeCurrent();
        long address = memory.segment().address();
        DriverCalls.check(JCudaDriver.cuMemFree(at(address)), "cuda:%d: freeing %d bytes", id, memory.bytes());
    }

    /** Copies from this device to {@code target}, which may be this device. */
    void copyTo(CudaDevice target, long from, long to, long size) {
        makeCurrent();
        int status = target == this
                ? JCudaDriver.cuMemcpyDtoD(at(to), at(from), size)
                : JCudaDriver.cuMemcpyPeer(at(to), target.context(), at(from), context(), size);
        DriverCalls.check(status, "cuda:%d: copying %d bytes to cuda:%d", id, size, target.id);
    }

    void copyFromHost(MemorySegment from, long to) {
        makeCurrent();
        staged(from.isNative(), from.byteSize(), (at, size, stage) -> {
            MemorySegment host = stage == null ? from.asSlice(at, size) : stage.copyFrom(from.asSlice(at, size));
            DriverCalls.check(
                    JCudaDriver.cuMemcpyHtoD(at(to + at), pointer(host), size),
                    "cuda:%d: copying %d bytes from the host",
                    id,
                    size);
        });
    }

    void copyToHost(long from, MemorySegment to) {
        makeCurrent();
        staged(to.isNative(), to.byteSize(), (at, size, stage) -> {
            MemorySegment host = stage == null ? to.asSlice(at, size) : stage;
            DriverCalls.check(
                    JCudaDriver.cuMemcpyDtoH(pointer(host), at(from + at), size),
                    "cuda:%d: copying %d bytes to the host",
                    id,
                    size);
            if (stage != null) {
                to.asSlice(at, size).copyFrom(stage);
            }
        });
    }

    /** A piece of a copy between device and host; {@code stage} is null where the driver can reach the host's bytes. */
    private interface Piece {
        void copy(long at, long size, MemorySegment stage);
    }

    /** Pieces of a size that JCuda takes; arrays of the Java heap go through native memory. */
    private static void staged(boolean isNative, long size, Piece piece) {
        if (isNative) {
            for (long at = 0; at < size; at += MOST_BYTES_AT_ONCE) {
                piece.copy(at, Math.min(size - at, MOST_BYTES_AT_ONCE), null);
            }
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment stage = arena.allocate(Math.min(size, STAGE_BYTES));
            for (long at = 0; at < size; at += STAGE_BYTES) {
                long part = Math.min(size - at, STAGE_BYTES);
                piece.copy(at, part, stage.asSlice(0, part));
            }
        }
    }

    private static Pointer pointer(MemorySegment host) {
        return Pointer.toBuffer(host.asByteBuffer());
    }

    void synchronize() {
        makeCurrent();
        DriverCalls.check(JCudaDriver.cuCtxSynchronize(), "cuda:%d: waiting for its work", id);
    }

    /** Starts a kernel whose one parameter is {@code arguments}, which may change on return. */
    void launch(String kernel, LaunchGeometry geometry, byte[] arguments) {
        makeCurrent();
        int status = JCudaDriver.cuLaunchKernel(
                function(kernel),
                geometry.blocks(),
                1,
                1,
                geometry.threads(),
                1,
                1,
                0,
                null,
                Pointer.to(Pointer.to(arguments)),
                null);
        DriverCalls.check(
                status,
                "cuda:%d: starting %s with %d blocks of %d threads",
                id,
                kernel,
                geometry.blocks(),
                geometry.threads());
    }

    private void makeCurrent() {
        DriverCalls.check(JCudaDriver.cuCtxSetCurrent(context()), "cuda:%d: making its context current", id);
    }

    private synchronized CUcontext context() {
        if (context == null) {
            CUcontext primary = new CUcontext();
            DriverCalls.check(
                    JCudaDriver.cuDevicePrimaryCtxRetain(primary, handle), "cuda:%d: opening its context", id);
            context = primary;
        }
        return context;
    }

    private synchronized CUfunction function(String kernel) {
        CUfunction known = functions.get(kernel);
        if (known != null) {
            return known;
        }
        if (module == null) {
            module = load();
        }
        CUfunction function = new CUfunction();
        DriverCalls.check(JCudaDriver.cuModuleGetFunction(function, module, kernel), "cuda:%d: finding %s", id, kernel);
        functions.put(kernel, function);
        return function;
    }

    private CUmodule load() {
        CUmodule loaded = new CUmodule();
        int status = JCudaDriver.cuModuleLoadData(loaded, ptx());
        if (status == CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION || status == CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU) {
            throw DTorchError.runtime(
                    "cuda:%d (%s): the kernels need compute capability 7.5 and an NVIDIA driver 525 or later: %s",
                    id, text(), DriverCalls.text(status));
        }
        DriverCalls.check(status, "cuda:%d: loading %s", id, PTX);
        return loaded;
    }

    /** The text of the kernels as it ships in the jar. */
    static String ptx() {
        try (InputStream in = CudaDevice.class.getResourceAsStream(PTX)) {
            if (in == null) {
                throw DTorchError.runtime("cuda: %s is missing from the jar", PTX);
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + PTX, e);
        }
    }

    /** A segment that carries an address: reading or writing it from the host is an IllegalStateException, not a crash. */
    private static MemorySegment unreadable(long address, long size) {
        try (Arena closed = Arena.ofConfined()) {
            return MemorySegment.ofAddress(address).reinterpret(size, closed, null);
        }
    }

    private static CUdeviceptr at(long address) {
        return new CUdeviceptr().withByteOffset(address);
    }

    /** A device pointer whose value can be read. */
    private static final class DeviceAddress extends CUdeviceptr {
        long value() {
            return getNativePointer();
        }
    }
}
