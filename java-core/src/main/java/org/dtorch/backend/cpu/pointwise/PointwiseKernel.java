package org.dtorch.backend.cpu.pointwise;

import org.dtorch.backend.Kernel;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.backend.cpu.memory.Scratch;
import org.dtorch.backend.cpu.memory.View;
import org.dtorch.backend.cpu.pointwise.Program.ArgSource;
import org.dtorch.backend.cpu.pointwise.Program.BinaryStep;
import org.dtorch.backend.cpu.pointwise.Program.ConstSource;
import org.dtorch.backend.cpu.pointwise.Program.InputSource;
import org.dtorch.backend.cpu.pointwise.Program.SelectStep;
import org.dtorch.backend.cpu.pointwise.Program.Source;
import org.dtorch.backend.cpu.pointwise.Program.Step;
import org.dtorch.backend.cpu.pointwise.Program.UnaryStep;
import org.dtorch.backend.cpu.simd.BlockMath;
import org.dtorch.backend.cpu.simd.Blocks;
import org.dtorch.backend.cpu.simd.Staging;
import org.dtorch.recipe.Expr;
import org.dtorch.recipe.Expr.BinaryFunction;
import org.dtorch.recipe.Expr.UnaryFunction;
import org.dtorch.recipe.Recipe;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Scalar;

/**
 * Evaluates a pointwise recipe, block by block.
 *
 * <p>A register is an address. Where an operand is dense and of the compute dtype the register points into it, so that an
 * addition of two tensors reads and writes them directly; otherwise it points to scratch memory that the block is loaded to
 * or stored from. Elements left over from whole vectors always take the scratch way: no vector loop has a tail, and the
 * value of an element does not depend on its position.
 */
public final class PointwiseKernel implements Kernel {
    private static final int GRAIN = 32 * 1024;

    /** From here on a transposed input is read in strips. */
    private static final int MIN_TRANSPOSED = 16 * 1024;

    private final int copied;
    private final Program program;
    private final BlockMath math;
    private final int block;
    private final long grain;

    public PointwiseKernel(Recipe.Pointwise recipe) {
        this.copied = recipe.expr() instanceof Expr.Input(int index) ? index : -1;
        this.program = Program.compile(recipe.expr(), recipe.compute());
        this.math = Blocks.of(recipe.compute());
        this.block = Scratch.SLOT_BYTES / recipe.compute().bytes();
        this.grain = Math.max(block, GRAIN / (1 + costly(program)) / block * block);
    }

    @Override
    public void run(Launch launch) {
        Operand out = launch.outputs()[0];
        if (copied >= 0 && launch.inputs()[copied].dtype() == out.dtype()) {
            CopyKernel.copy(launch.inputs()[copied], out);
            return;
        }
        long numel = out.numel();
        if (numel == 0) {
            return;
        }
        Run run = new Run(launch, out, numel);
        if (numel <= grain) {
            run.range(0, numel);
            return;
        }
        long blocks = (numel + block - 1) / block;
        Workers.shared()
                .forRange(blocks, grain / block, (from, to) -> run.range(from * block, Math.min(numel, to * block)));
    }

    /** How many functions of the program take much longer than an addition, weighted. */
    private static int costly(Program program) {
        int weight = 0;
        for (Step step : program.steps) {
            weight += switch (step) {
                case UnaryStep u ->
                    switch (u.function()) {
                        case NEG,
                                ABS,
                                SIGN,
                                FLOOR,
                                CEIL,
                                ROUND,
                                TRUNC,
                                LOGICAL_NOT,
                                BITWISE_NOT,
                                ISNAN,
                                ISINF,
                                SQRT,
                                RSQRT,
                                RECIPROCAL -> 0;
                        default -> 3;
                    };
                case BinaryStep b ->
                    switch (b.function()) {
                        case POW, ATAN2, FMOD, REMAINDER, FLOOR_DIV -> 7;
                        default -> 0;
                    };
                case SelectStep s -> 0;
            };
        }
        return weight;
    }

    /** One launch: the operands as views in a common order. */
    private final class Run {
        private final View[] views;
        private final View out;
        private final Object[] args;
        private final boolean outDirect;
        private boolean anyTransposed;

        Run(Launch launch, Operand output, long numel) {
            Source[] sources = program.sources;
            args = launch.args();
            Operand[] inputs = launch.inputs();
            views = new View[sources.length];
            boolean flat = output.isContiguous();
            for (int s = 0; flat && s < sources.length; s++) {
                if (sources[s] instanceof InputSource(int index)) {
                    Operand input = inputs[index];
                    flat = input.isContiguous() || View.isUniform(input);
                }
            }
            if (flat) {
                out = View.flat(output, numel, false);
                for (int s = 0; s < sources.length; s++) {
                    if (sources[s] instanceof InputSource(int index)) {
                        Operand input = inputs[index];
                        views[s] = View.flat(input, numel, View.isUniform(input));
                    }
                }
            } else {
                int[] order = View.memoryOrder(output);
                out = View.of(output, order);
                for (int s = 0; s < sources.length; s++) {
                    if (sources[s] instanceof InputSource(int index)) {
                        views[s] = View.of(inputs[index], order);
                        anyTransposed |= numel >= MIN_TRANSPOSED && TransposedInput.fits(views[s]);
                    }
                }
            }
            outDirect = program.steps.length > 0 && out.isDense() && out.dtype == math.dtype();
        }

        void range(long from, long to) {
            long scratch = Scratch.slots(program.registers);
            long[] registers = new long[program.registers];
            int longest = (int) Math.min(block, to - from);
            int padded = padded(longest);
            for (int s = 0; s < views.length; s++) {
                long slot = scratch + (long) s * Scratch.SLOT_BYTES;
                switch (program.sources[s]) {
                    case InputSource input -> {
                        if (views[s].isUniform()) {
                            math.load(views[s].dtype, slot, views[s].address, 0, padded);
                        }
                    }
                    case ArgSource(int index) -> {
                        Scalar value = (Scalar) args[index];
                        math.fill(slot, value.toDouble(), value.toLong(), padded);
                    }
                    case ConstSource(double value) -> math.fill(slot, value, (long) value, padded);
                }
            }
            TransposedInput[] strips = anyTransposed ? strips() : null;
            try {
                for (long start = from; start < to; start += block) {
                    int n = (int) Math.min(block, to - start);
                    int whole = n - n % math.lanes();
                    if (whole > 0) {
                        block(start, whole, true, scratch, registers, strips);
                    }
                    if (whole < n) {
                        block(start + whole, n - whole, false, scratch, registers, strips);
                    }
                }
            } finally {
                close(strips);
            }
        }

        private TransposedInput[] strips() {
            TransposedInput[] strips = new TransposedInput[views.length];
            for (int s = 0; s < views.length; s++) {
                if (views[s] != null && TransposedInput.fits(views[s])) {
                    strips[s] = new TransposedInput(views[s]);
                }
            }
            return strips;
        }

        private static void close(TransposedInput[] strips) {
            if (strips == null) {
                return;
            }
            for (TransposedInput strip : strips) {
                if (strip != null) {
                    strip.close();
                }
            }
        }

        private int padded(int n) {
            int lanes = math.lanes();
            return (n + lanes - 1) / lanes * lanes;
        }

        /** Computes up to one block; {@code direct} when {@code n} is a multiple of the lanes. */
        private void block(
                long start, int n, boolean direct, long scratch, long[] registers, TransposedInput[] strips) {
            int bytes = math.dtype().bytes();
            for (int r = 0; r < registers.length; r++) {
                registers[r] = scratch + (long) r * Scratch.SLOT_BYTES;
            }
            for (int s = 0; s < views.length; s++) {
                View view = views[s];
                if (view == null || view.isUniform()) {
                    continue;
                }
                if (direct && view.dtype == math.dtype() && view.isDense()) {
                    registers[s] = view.address + start * bytes;
                } else if (strips != null && strips[s] != null) {
                    strips[s].load(math, start, n, registers[s]);
                } else {
                    Staging.load(math, view, start, n, registers[s]);
                }
            }
            int padded = padded(n);
            Step[] steps = program.steps;
            boolean stored = direct && outDirect;
            for (int i = 0; i < steps.length; i++) {
                Step step = steps[i];
                long to = stored && i == steps.length - 1 ? out.address + start * bytes : registers[step.to()];
                switch (step) {
                    case UnaryStep u -> math.unary(u.function(), to, registers[u.a()], padded);
                    case BinaryStep b -> binary(b, to, registers, padded, n);
                    case SelectStep s ->
                        math.select(
                                to,
                                registers[s.condition()],
                                registers[s.whenTrue()],
                                registers[s.whenFalse()],
                                padded);
                }
            }
            if (!stored) {
                Staging.store(math, out, start, n, registers[program.result]);
            }
        }

        private void binary(BinaryStep step, long to, long[] registers, int padded, int n) {
            long a = registers[step.a()];
            if (step.function() == BinaryFunction.POW && step.b() < views.length) {
                switch (program.sources[step.b()]) {
                    case InputSource input -> {}
                    case ArgSource(int index) -> {
                        if (power((Scalar) args[index], to, a, padded)) {
                            return;
                        }
                    }
                    case ConstSource(double value) -> {
                        if (power(Scalar.of(value), to, a, padded)) {
                            return;
                        }
                    }
                }
            }
            math.binary(step.function(), to, a, registers[step.b()], padded, n);
        }

        /** The powers that PyTorch computes without pow; whether {@code exponent} is one of them. */
        private boolean power(Scalar exponent, long to, long base, int n) {
            double value = exponent.toDouble();
            if (!math.dtype().isFloating()) {
                if (value < 0) {
                    throw DTorchError.runtime("Integers to negative integer powers are not allowed.");
                }
                return false;
            }
            if (value == 2) {
                math.binary(BinaryFunction.MUL, to, base, base, n, n);
            } else if (value == 0.5) {
                math.unary(UnaryFunction.SQRT, to, base, n);
            } else if (value == -0.5) {
                math.unary(UnaryFunction.RSQRT, to, base, n);
            } else if (value == -1) {
                math.unary(UnaryFunction.RECIPROCAL, to, base, n);
            } else {
                return false;
            }
            return true;
        }
    }
}
