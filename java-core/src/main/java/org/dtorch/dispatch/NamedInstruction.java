package org.dtorch.dispatch;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Instruction;
import org.dtorch.runtime.LocalShard;
import org.dtorch.runtime.Origin;

/** A kernel on shards that are already in the form it takes, outside of any operator's row. */
final class NamedInstruction extends Instruction {
    private final Kernel kernel;
    private final long costNanos;
    private final LocalShard[] in;
    private final LocalShard[] out;
    private final Object[] arguments;

    NamedInstruction(
            Device device,
            Origin origin,
            Kernel kernel,
            long costNanos,
            LocalShard[] in,
            LocalShard[] out,
            Object... arguments) {
        super(device, origin, in, out);
        this.costNanos = costNanos;
        this.kernel = kernel;
        this.in = in;
        this.out = out;
        this.arguments = arguments;
    }

    @Override
    protected long costNanos() {
        return costNanos;
    }

    @Override
    protected void execute() {
        kernel.run(new Launch(operands(in), operands(out), arguments, null));
    }

    private static Operand[] operands(LocalShard[] shards) {
        Operand[] operands = new Operand[shards.length];
        for (int i = 0; i < operands.length; i++) {
            operands[i] = shards[i] == null ? null : shards[i].operand();
        }
        return operands;
    }
}
