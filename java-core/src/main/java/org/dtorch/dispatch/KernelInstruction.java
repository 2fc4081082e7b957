package org.dtorch.dispatch;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.op.OpKind;
import org.dtorch.op.Site;
import org.dtorch.placement.Layout;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Instruction;
import org.dtorch.runtime.LocalShard;
import org.dtorch.values.Shape;

/** One kernel of an operator on one device. */
final class KernelInstruction extends Instruction {
    private final Prepared prepared;
    private final OpKind.Computed kind;
    private final Site site;
    private final Object[] arguments;
    private final LocalShard[] in;
    private final LocalShard[] out;
    private final int position;
    private final Origins origins;

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
        this.origins = new Origins(prepared, inputs, position);
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
        Operand[] inputs = new Operand[in.length];
        Operand[] outputs = new Operand[out.length];
        System.arraycopy(operands, 0, inputs, 0, inputs.length);
        System.arraycopy(operands, inputs.length, outputs, 0, outputs.length);
        prepared.kernel().run(new Launch(inputs, outputs, arguments, origins));
    }

    /** Where the local operands lie; worked out only by kernels that ask. */
    static final class Origins implements Launch.Origins {
        private final Prepared prepared;
        private final Shape[] shapes;
        private final Layout[] layouts;
        private final int position;

        Origins(Prepared prepared, TensorData[] inputs, int position) {
            this.prepared = prepared;
            this.position = position;
            this.shapes = new Shape[inputs.length];
            this.layouts = new Layout[inputs.length];
            for (int i = 0; i < inputs.length; i++) {
                if (inputs[i] != null) {
                    shapes[i] = inputs[i].shape();
                    layouts[i] = inputs[i].layout();
                }
            }
        }

        @Override
        public long input(int i, int dim) {
            return layouts[i].localOffsets(shapes[i], position)[dim];
        }

        @Override
        public long output(int i, int dim) {
            return prepared.outputs()[i].localOffsets(prepared.metas()[i].shape(), position)[dim];
        }

        @Override
        public long inputSize(int i, int dim) {
            return shapes[i].size(dim);
        }

        @Override
        public long outputSize(int i, int dim) {
            return prepared.metas()[i].shape().size(dim);
        }
    }
}
