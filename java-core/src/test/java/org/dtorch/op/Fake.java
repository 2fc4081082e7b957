package org.dtorch.op;

import java.util.List;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.mesh.DeviceType;
import org.dtorch.placement.Layout;
import org.dtorch.placement.Placement;
import org.dtorch.values.DType;
import org.dtorch.values.Shape;

/** A tensor of which rows see all they may see: shape, dtype and layout. */
record Fake(Shape shape, DType dtype, Layout layout) implements Value {
    static final DeviceMesh TWO = DeviceMesh.init(DeviceType.CPU, new int[] {2}, List.of());

    static Fake of(long... shape) {
        return of(DType.FLOAT32, shape);
    }

    static Fake of(DType dtype, long... shape) {
        return new Fake(Shape.of(shape), dtype, Layout.replicated(TWO));
    }

    Fake on(Placement... placements) {
        int[] sizes = new int[placements.length];
        java.util.Arrays.fill(sizes, 2);
        DeviceMesh mesh = DeviceMesh.init(DeviceType.CPU, sizes, List.of());
        return new Fake(shape, dtype, Layout.of(mesh, placements));
    }

    /** The arguments of a sample as a call would have them, defaults filled in. */
    static Site site(Op op, Sample sample) {
        List<Param> params = op.schema().params();
        Object[] args = new Object[params.size()];
        for (int i = 0; i < args.length; i++) {
            Object given = i < sample.args().size()
                    ? sample.args().get(i)
                    : params.get(i).fallback();
            args[i] = switch (given) {
                case Sample.Tensor t -> new Fake(t.shape(), t.dtype(), Layout.replicated(TWO));
                case Sample.Tensor[] list ->
                    java.util.Arrays.stream(list)
                            .map(t -> t == null ? null : (Value) new Fake(t.shape(), t.dtype(), Layout.replicated(TWO)))
                            .toArray(Value[]::new);
                case Sample.Options o -> new CreationOptions(o.dtype(), DType.FLOAT32, Layout.replicated(TWO));
                case null -> null;
                default -> given;
            };
        }
        return new Site(op, args);
    }

    static Site site(Op op, Object... args) {
        Object[] complete = java.util.Arrays.copyOf(args, op.schema().params().size());
        for (int i = args.length; i < complete.length; i++) {
            complete[i] = op.schema().params().get(i).fallback();
        }
        return new Site(op, complete);
    }

    /** What the row says of the results. */
    static TensorMeta[] infer(Op op, Object... args) {
        Site site = site(op, args);
        return switch (op.kind()) {
            case OpKind.Computed kind -> kind.infer().apply(site);
            case OpKind.View kind -> kind.infer().apply(site);
            case OpKind.Created kind -> kind.infer().apply(site);
            case OpKind.Random kind -> kind.infer().apply(site);
            case OpKind.Composite kind -> throw new IllegalArgumentException(op + " is a composite");
        };
    }
}
