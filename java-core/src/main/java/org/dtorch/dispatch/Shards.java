package org.dtorch.dispatch;

import org.dtorch.mesh.DeviceMesh;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Session;

/** What the makers of instructions share. */
final class Shards {
    /** Elements whose work is about a nanosecond. */
    static final double ELEMENTS_PER_NANO = 2;

    private Shards() {}

    /** For each position that computes, all devices that hold what it computes: its own first; null for the others. */
    static Device[][] sharers(Session session, DeviceMesh mesh, int[] owners) {
        int[] counts = new int[owners.length];
        for (int owner : owners) {
            counts[owner]++;
        }
        Device[][] sharers = new Device[owners.length][];
        int[] filled = new int[owners.length];
        for (int p = 0; p < owners.length; p++) {
            int owner = owners[p];
            if (sharers[owner] == null) {
                sharers[owner] = new Device[counts[owner]];
            }
            sharers[owner][filled[owner]++] = session.device(mesh.deviceType(), mesh.id(p));
        }
        return sharers;
    }

    /** An estimate for work that touches each element of the shards once, in nanoseconds. */
    static long nanos(LocalShard[] shards) {
        double elements = 0;
        for (LocalShard shard : shards) {
            if (shard != null) {
                elements += shard.numel();
            }
        }
        return (long) (elements / ELEMENTS_PER_NANO);
    }
}
