package org.dtorch.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.dtorch.mesh.DeviceType;

/**
 * What one backend found on this machine, for people.
 *
 * @param name the backend's name
 * @param type the kind of its devices
 * @param devices what each device is; empty where there is none
 * @param absence why there is none and what to install; empty where there is one
 * @param complete whether sessions use it, or simulate its devices because it cannot run every operator yet
 */
public record BackendReport(String name, DeviceType type, List<String> devices, String absence, boolean complete) {
    public BackendReport {
        devices = List.copyOf(devices);
    }

    /** A report for every backend on the class path. */
    public static List<BackendReport> all() {
        return ServiceLoader.load(Backend.class).stream()
                .map(ServiceLoader.Provider::get)
                .map(BackendReport::of)
                .toList();
    }

    public static BackendReport of(Backend backend) {
        List<String> devices = new ArrayList<>();
        for (int i = 0; i < backend.deviceCount(); i++) {
            devices.add(backend.deviceName(i));
        }
        return new BackendReport(
                backend.name(), backend.deviceType(), devices, backend.absence(), backend.isComplete());
    }

    /** One line, for example {@code 1 device: NVIDIA H200, 139.8 GiB}. */
    public String text() {
        if (devices.isEmpty()) {
            return "no device: " + absence;
        }
        return devices.size()
                + (devices.size() == 1 ? " device: " : " devices: ")
                + String.join("; ", devices)
                + (complete ? "" : " (not used yet: the backend lacks kernels, sessions simulate the devices)");
    }
}
