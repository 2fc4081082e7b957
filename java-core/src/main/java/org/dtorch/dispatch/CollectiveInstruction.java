package org.dtorch.dispatch;

import org.dtorch.backend.Operand;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Instruction;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;

/** One collective over the devices of a group; it occupies the queues of all of them. */
final class CollectiveInstruction extends Instruction {
    private final LocalShard[] in;
    private final LocalShard[] out;
    private final Body body;

    /** What the communicator is asked to do, with one operand per member; null where a member has none here. */
    @FunctionalInterface
    interface Body {
        void run(Operand[] in, Operand[] out);
    }

    CollectiveInstruction(Device[] devices, Origin origin, LocalShard[] in, LocalShard[] out, Body body) {
        super(devices, origin, in, out);
        this.in = in;
        this.out = out;
        this.body = body;
    }

    @Override
    protected void execute() {
        body.run(operands(in), operands(out));
    }

    /** Members that share a shard get the very same operand. */
    private static Operand[] operands(LocalShard[] shards) {
        Operand[] operands = new Operand[shards.length];
        for (int i = 0; i < operands.length; i++) {
            if (shards[i] != null) {
                operands[i] = i > 0 && shards[i] == shards[i - 1] ? operands[i - 1] : shards[i].operand();
            }
        }
        return operands;
    }
}
