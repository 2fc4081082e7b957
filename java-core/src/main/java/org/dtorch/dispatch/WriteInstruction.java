package org.dtorch.dispatch;

import java.lang.foreign.MemorySegment;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Instruction;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;

/** Writes a few values from the host into a dense shard; they must not change until it has run. */
final class WriteInstruction extends Instruction {
    private final Device device;
    private final LocalShard out;
    private final MemorySegment values;

    WriteInstruction(Device device, Origin origin, LocalShard out, MemorySegment values) {
        super(device, origin, new LocalShard[0], new LocalShard[] {out});
        this.device = device;
        this.out = out;
        this.values = values;
    }

    @Override
    protected void execute() {
        var to = out.operand();
        device.backend().copyFromHost(values, 0, to.memory(), to.byteOffset(), values.byteSize());
    }
}
