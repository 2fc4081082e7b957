package org.dtorch.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.dtorch.values.DTorchError;

/**
 * The GPUs that the driver of this machine shows, or why there are none.
 *
 * @param devices the devices in the driver's order
 * @param absence what is missing and what to install; empty when there is a device
 */
record Discovery(List<CudaDevice> devices, String absence) {
    /*
     * JCuda's library names libcuda.so.1 as a dependency, so that without a driver loading it fails with a long text about
     * paths. The dynamic linker is therefore asked for the driver first; nothing of JCuda is touched where it is missing.
     */
    private static final String LIBRARY = "libcuda.so.1";

    private static final class Once {
        static final Discovery FOUND = run();
    }

    Discovery {
        devices = List.copyOf(devices);
    }

    /** Found once per process, at the first call. */
    static Discovery ofThisMachine() {
        return Once.FOUND;
    }

    /** @throws DTorchError of kind RUNTIME when there is no such device */
    CudaDevice device(int id) {
        if (id < 0 || id >= devices.size()) {
            throw devices.isEmpty()
                    ? DTorchError.runtime("device cuda:%d does not exist: %s", id, absence)
                    : DTorchError.runtime(
                            "device cuda:%d does not exist: there are %d, ids 0 to %d",
                            id, devices.size(), devices.size() - 1);
        }
        return devices.get(id);
    }

    private static Discovery run() {
        try {
            SymbolLookup.libraryLookup(LIBRARY, Arena.global());
        } catch (IllegalArgumentException e) {
            return absent(
                    "the NVIDIA driver's library " + LIBRARY + " was not found; install the NVIDIA driver 525 or later,"
                            + " or put the folder that holds the library on LD_LIBRARY_PATH");
        }
        try {
            return ask();
        } catch (DTorchError e) {
            return absent("the NVIDIA driver is there, but does not tell about its devices: " + e.getMessage());
        } catch (LinkageError e) {
            return absent("the NVIDIA driver is there, but JCuda's own library cannot be loaded ("
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("")
                    + "); put org.jcuda:jcuda-natives 12.6.0 with classifier linux-x86_64 on the class path");
        }
    }

    private static Discovery ask() {
        int started = JCudaDriver.cuInit(0);
        if (started == CUresult.CUDA_ERROR_NO_DEVICE) {
            return absent("the NVIDIA driver is there, but it shows no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES");
        }
        if (started != CUresult.CUDA_SUCCESS) {
            return absent("the NVIDIA driver is there, but does not start (" + DriverCalls.text(started)
                    + "); check nvidia-smi, and that its kernel module and " + LIBRARY + " are of one version");
        }
        int[] count = new int[1];
        DriverCalls.check(JCudaDriver.cuDeviceGetCount(count), "cuda: counting devices");
        List<CudaDevice> devices = new ArrayList<>();
        for (int id = 0; id < count[0]; id++) {
            devices.add(describe(id));
        }
        return devices.isEmpty()
                ? absent("the NVIDIA driver is there, but it shows no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES")
                : new Discovery(devices, "");
    }

    private static CudaDevice describe(int id) {
        CUdevice handle = new CUdevice();
        DriverCalls.check(JCudaDriver.cuDeviceGet(handle, id), "cuda:%d: asking for the device", id);
        byte[] name = new byte[256];
        DriverCalls.check(JCudaDriver.cuDeviceGetName(name, name.length, handle), "cuda:%d: asking for its name", id);
        long[] bytes = new long[1];
        DriverCalls.check(JCudaDriver.cuDeviceTotalMem(bytes, handle), "cuda:%d: asking for its memory", id);
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return new CudaDevice(
                id,
                handle,
                new String(name, 0, length, StandardCharsets.UTF_8),
                bytes[0],
                attribute(handle, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                attribute(handle, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                attribute(handle, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    }

    private static int attribute(CUdevice handle, int which) {
        int[] value = new int[1];
        DriverCalls.check(JCudaDriver.cuDeviceGetAttribute(value, which, handle), "cuda: attribute %d", which);
        return value[0];
    }

    private static Discovery absent(String why) {
        return new Discovery(List.of(), why);
    }
}
