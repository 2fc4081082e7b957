package org.dtorch.runtime;

import java.lang.foreign.MemorySegment;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Memory;
import org.dtorch.backend.Operand;
import org.dtorch.mesh.DeviceType;
import org.dtorch.recipe.Recipe;

/** A backend whose kernels refuse operands outside the arenas of the devices that the running instruction occupies. */
record IsolatedBackend(Backend inner, Session session) implements Backend {
    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public DeviceType deviceType() {
        return inner.deviceType();
    }

    @Override
    public int deviceCount() {
        return inner.deviceCount();
    }

    @Override
    public String absence() {
        return inner.absence();
    }

    @Override
    public String deviceName(int device) {
        return inner.deviceName(device);
    }

    @Override
    public boolean isComplete() {
        return inner.isComplete();
    }

    @Override
    public Memory allocate(int device, long bytes) {
        return inner.allocate(device, bytes);
    }

    @Override
    public void free(Memory memory) {
        inner.free(memory);
    }

    @Override
    public void copy(Memory from, long fromByte, Memory to, long toByte, long bytes) {
        inner.copy(from, fromByte, to, toByte, bytes);
    }

    @Override
    public void copyFromHost(MemorySegment from, long fromByte, Memory to, long toByte, long bytes) {
        inner.copyFromHost(from, fromByte, to, toByte, bytes);
    }

    @Override
    public void copyToHost(Memory from, long fromByte, MemorySegment to, long toByte, long bytes) {
        inner.copyToHost(from, fromByte, to, toByte, bytes);
    }

    @Override
    public void synchronize(int device) {
        inner.synchronize(device);
    }

    @Override
    public Kernel kernel(Recipe recipe) {
        return new Checked(inner.kernel(recipe), session);
    }

    private record Checked(Kernel kernel, Session session) implements Kernel {
        @Override
        public void run(Launch launch) {
            check(launch.inputs());
            check(launch.outputs());
            kernel.run(launch);
        }

        private void check(Operand[] operands) {
            for (Operand operand : operands) {
                if (operand != null) {
                    session.checkMayTouch(operand);
                }
            }
        }
    }
}
