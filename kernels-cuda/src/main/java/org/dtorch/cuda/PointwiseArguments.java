package org.dtorch.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.dtorch.backend.Launch;
import org.dtorch.backend.Operand;
import org.dtorch.recipe.Expr;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;

/** The one parameter of the pointwise kernels: {@code struct Arguments} of {@code pointwise.cu}, byte for byte. */
final class PointwiseArguments {
    /*
     * byte   0  long  numel
     *        8  long  sizes[16]
     *      136  int   rank, int function
     *      144  Term  out
     *      288  Term  a
     *      432  Term  b
     * Term   0  long  address, or the bits of a number
     *        8  long  strides[16], in bytes
     *      136  int   dtype, int unused
     */
    static final int BYTES = 576;
    static final int OUT = 144;
    static final int A = 288;
    static final int B = 432;
    static final int STRIDES = 8;
    static final int DTYPE = 136;

    private static final int SIZES = 8;
    private static final int RANK = 136;
    private static final int FUNCTION = 140;
    private static final int COPY = 0;
    private static final int ADD = 1;
    /** One past the last dtype. */
    private static final int NUMBER = DType.values().length;

    private final ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final DType compute;

    private PointwiseArguments(DType compute) {
        this.compute = compute;
    }

    /** The parameter of one launch; {@code compute} is the recipe's. */
    static byte[] pack(PointwiseForm form, DType compute, Launch launch) {
        Operand out = launch.outputs()[0];
        List<Operand> tensors = new ArrayList<>(List.of(out));
        int[] positions = {0, 0};
        Expr[] terms = {form.a(), form.b()};
        for (int t = 0; t < terms.length; t++) {
            if (terms[t] instanceof Expr.Input(int index)) {
                positions[t] = tensors.size();
                tensors.add(launch.inputs()[index]);
            }
        }
        LoopNest nest = LoopNest.of(tensors.toArray(Operand[]::new));
        PointwiseArguments packed = new PointwiseArguments(compute);
        packed.bytes.putLong(0, out.numel());
        packed.longs(SIZES, nest.sizes());
        packed.bytes.putInt(RANK, nest.sizes().length);
        packed.bytes.putInt(FUNCTION, form.b() == null ? COPY : ADD);
        packed.tensor(OUT, out, nest.steps()[0]);
        packed.term(A, form.a(), launch, nest.steps()[positions[0]]);
        if (form.b() != null) {
            packed.term(B, form.b(), launch, nest.steps()[positions[1]]);
        }
        return packed.bytes.array();
    }

    private void term(int at, Expr expr, Launch launch, long[] steps) {
        switch (expr) {
            case Expr.Input(int index) -> tensor(at, launch.inputs()[index], steps);
            case Expr.Arg(int index) -> number(at, (Scalar) launch.args()[index]);
            case Expr.Const(double value) -> number(at, Scalar.of(value));
            case Expr.Unary other -> throw new IllegalArgumentException(other.toString());
            case Expr.Binary other -> throw new IllegalArgumentException(other.toString());
            case Expr.Select other -> throw new IllegalArgumentException(other.toString());
        }
    }

    private void tensor(int at, Operand operand, long[] steps) {
        bytes.putLong(at, operand.memory().segment().address() + operand.byteOffset());
        longs(at + STRIDES, steps);
        bytes.putInt(at + DTYPE, operand.dtype().ordinal());
    }

    private void number(int at, Scalar value) {
        bytes.putLong(at, compute.isFloating() ? Double.doubleToRawLongBits(value.toDouble()) : value.toLong());
        bytes.putInt(at + DTYPE, NUMBER);
    }

    private void longs(int at, long[] values) {
        for (int i = 0; i < values.length; i++) {
            bytes.putLong(at + i * Long.BYTES, values[i]);
        }
    }
}
