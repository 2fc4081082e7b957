package org.dtorch.mesh;

import java.util.Locale;
import org.dtorch.values.DTorchError;

/** The kind of a device, named as in PyTorch. */
public enum DeviceType {
    CPU("cpu"),
    CUDA("cuda");

    private final String torchName;

    DeviceType(String torchName) {
        this.torchName = torchName;
    }

    /** The name that users write and see: {@code cpu} or {@code cuda}. */
    public String torchName() {
        return torchName;
    }

    /** The type for {@code cpu}, {@code cuda} or {@code gpu} in any case; otherwise an error of kind VALUE. */
    public static DeviceType of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cpu" -> CPU;
            case "cuda", "gpu" -> CUDA;
            default -> throw DTorchError.value("unknown device type '%s', expected one of 'cpu', 'cuda', 'gpu'", name);
        };
    }

    @Override
    public String toString() {
        return torchName;
    }
}
