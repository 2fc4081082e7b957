package org.dtorch.dispatch;

import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.runtime.Device;
import org.dtorch.runtime.Instruction;
import org.dtorch.runtime.LocalShard;

/** Fills one device's part of a tensor that is made from nothing. */
final class CreationInstruction extends Instruction implements Launch.Origins {
    private final Prepared prepared;
    private final Object[] arguments;
    private final LocalShard out;
    private final int position;

    CreationInstruction(
            Device device, CallOrigin origin, Prepared prepared, Object[] arguments, LocalShard out, int position) {
        super(device, origin, new LocalShard[0], new LocalShard[] {out});
        this.prepared = prepared;
        this.arguments = arguments;
        this.out = out;
        this.position = position;
    }

    @Override
    protected void execute() {
        prepared.kernel().run(new Launch(new Operand[0], new Operand[] {out.operand()}, arguments, this));
    }

    @Override
    public long input(int i, int dim) {
        throw new IllegalArgumentException("there is no input");
    }

    @Override
    public long output(int i, int dim) {
        return prepared.outputs()[0].localOffsets(prepared.metas()[0].shape(), position)[dim];
    }

    @Override
    public long inputSize(int i, int dim) {
        throw new IllegalArgumentException("there is no input");
    }

    @Override
    public long outputSize(int i, int dim) {
        return prepared.metas()[0].shape().size(dim);
    }
}
