package org.dtorch.dispatch;

import java.util.Arrays;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.op.OpKind;
import org.dtorch.op.Site;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Instruction;
import org.dtorch.runtime.LocalShard;

/** One kernel of an operator on one device; for kernels that ask, it says where the local operands lie. */
final class KernelInstruction extends Instruction implements Launch.Origins {
    private final Prepared prepared;
    private final OpKind.Computed kind;
    private final Site site;
    private final Object[] arguments;
    private final LocalShard[] in;
    private final LocalShard[] out;
    private final int position;
    private final TensorData[] inputs;

    KernelInstruction(
            Device device,
            CallOrigin origin,
            Prepared prepared,
            OpKind.Computed kind,
            Site site,
            Object[] arguments,
            LocalShard[] in,
            LocalShard[] out,
            int position,
            TensorData[] inputs) {
        super(device, origin, in, out);
        this.position = position;
        this.prepared = prepared;
        this.kind = kind;
        this.site = site;
        this.arguments = arguments;
        this.in = in;
        this.out = out;
        this.inputs = inputs;
    }

    @Override
    protected long costNanos() {
        return prepared.costNanos(position, kind.cost(), in, out);
    }

    @Override
    protected void execute() {
        Operand[] operands = new Operand[in.length + out.length];
        for (int i = 0; i < in.length; i++) {
            operands[i] = in[i] == null ? null : in[i].operand();
        }
        for (int o = 0; o < out.length; o++) {
            operands[in.length + o] = out[o].operand();
        }
        kind.fit().apply(operands, in.length, site);
        Operand[] read = Arrays.copyOf(operands, in.length);
        Operand[] written = Arrays.copyOfRange(operands, in.length, operands.length);
        prepared.kernel().run(new Launch(read, written, arguments, this));
    }

    @Override
    public long input(int i, int dim) {
        return inputs[i].layout().localOffsets(inputs[i].shape(), position)[dim];
    }

    @Override
    public long output(int i, int dim) {
        return prepared.outputs()[i].localOffsets(prepared.metas()[i].shape(), position)[dim];
    }

    @Override
    public long inputSize(int i, int dim) {
        return inputs[i].shape().size(dim);
    }

    @Override
    public long outputSize(int i, int dim) {
        return prepared.metas()[i].shape().size(dim);
    }
}
