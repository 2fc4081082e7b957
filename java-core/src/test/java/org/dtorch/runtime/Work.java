package org.dtorch.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.dtorch.mesh.DeviceType;
import org.dtorch.values.DType;

/** An instruction made of a lambda. */
final class Work extends Instruction {
    static final long LARGE = Long.MAX_VALUE;

    /** What a {@link Work} does. */
    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }

    private final long costNanos;
    private final Body body;

    Work(Device[] devices, String name, LocalShard[] in, LocalShard[] out, long costNanos, Body body) {
        super(devices, Origin.of(name), in, out);
        this.costNanos = costNanos;
        this.body = body;
    }

    @Override
    protected void execute() throws Exception {
        body.run();
    }

    @Override
    protected long costNanos() {
        return costNanos;
    }

    static Device cpu(Session session, int id) {
        return session.device(DeviceType.CPU, id);
    }

    static LocalShard number(Device device) {
        return LocalShard.allocate(device, DType.INT64, 1);
    }

    static long get(LocalShard shard) {
        return shard.operand().memory().segment().get(JAVA_LONG, 0);
    }

    static void set(LocalShard shard, long value) {
        shard.operand().memory().segment().set(JAVA_LONG, 0, value);
    }

    static LocalShard[] shards(LocalShard... shards) {
        return shards;
    }

    /** Submits {@code body} on the device of {@code out}. */
    static void submit(Session session, LocalShard[] in, LocalShard out, long costNanos, Body body) {
        session.submit(new Work(new Device[] {out.device()}, "work", in, shards(out), costNanos, body));
    }
}
