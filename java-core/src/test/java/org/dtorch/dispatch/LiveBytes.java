package org.dtorch.dispatch;

import org.dtorch.api.DTorch;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Session;

/** The bytes that tensors hold on all devices. */
final class LiveBytes {
    private LiveBytes() {}

    static long of(DTorch dt) {
        Session session = dt.dispatcher().session();
        session.sync(session.devices());
        long bytes = 0;
        for (Device device : session.devices()) {
            bytes += session.memoryStats(device).allocatedBytes();
        }
        return bytes;
    }

    /** Fails unless everything that {@code work} made is released when it returns; what it throws passes through. */
    static void unchangedBy(DTorch dt, Runnable work) {
        long before = of(dt);
        try {
            work.run();
        } finally {
            long after = of(dt);
            if (after != before) {
                throw new AssertionError(after - before + " bytes are left");
            }
        }
    }
}
