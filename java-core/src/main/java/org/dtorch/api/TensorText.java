package org.dtorch.api;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.dtorch.dispatch.HostElements;
import org.dtorch.values.DType;
import org.dtorch.values.Scalar;
import org.dtorch.values.Shape;

/**
 * The printed form of a tensor's value, as PyTorch prints it: four digits, at most 1,000 elements in full, 80 columns.
 *
 * <p>Source: the rules of {@code torch.set_printoptions} with its defaults.
 */
public final class TensorText {
    private static final int FULL_ELEMENTS = 1000;
    private static final int EDGE = 3;
    private static final int LINE = 80;
    private static final String START = "tensor(";

    private final MemorySegment host;
    private final DType dtype;
    private final Shape shape;
    private final boolean summarised;
    private final long[] strides;
    private final NumberText numbers;

    private TensorText(MemorySegment host, DType dtype, Shape shape) {
        this.host = host;
        this.dtype = dtype;
        this.shape = shape;
        this.summarised = shape.numel() > FULL_ELEMENTS;
        this.strides = shape.contiguousStrides();
        List<Scalar> shown = new ArrayList<>();
        collect(0, 0, shown);
        this.numbers = NumberText.of(shown, dtype);
    }

    /** For example {@code tensor([1., 2.])}; waits for the value. */
    public static String of(Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            return of(tensor.toSegment(arena), tensor.dtype(), tensor.shape());
        }
    }

    /** The text of dense host memory. */
    static String of(MemorySegment host, DType dtype, Shape shape) {
        List<String> suffixes = new ArrayList<>();
        boolean usual = dtype == DType.FLOAT32 || dtype == DType.INT64 || dtype == DType.BOOL;
        String body;
        if (shape.numel() == 0) {
            body = "[]";
            if (shape.rank() != 1) {
                suffixes.add("size=" + tuple(shape));
            }
            usual = dtype == DType.FLOAT32;
        } else {
            TensorText text = new TensorText(host, dtype, shape);
            body = text.block(0, 0, START.length());
        }
        if (!usual) {
            suffixes.add("dtype=" + dtype);
        }
        return withSuffixes(START + body, suffixes) + ")";
    }

    private static String withSuffixes(String text, List<String> suffixes) {
        StringBuilder out = new StringBuilder(text);
        int column = text.length() - text.lastIndexOf('\n') + 1;
        for (String suffix : suffixes) {
            if (column + suffix.length() + 2 > LINE) {
                out.append(",\n").append(" ".repeat(START.length())).append(suffix);
                column = START.length() + suffix.length();
            } else {
                out.append(", ").append(suffix);
                column += suffix.length() + 2;
            }
        }
        return out.toString();
    }

    /** Python's form of a shape, for example {@code (2, 3)} or {@code (4,)}. */
    private static String tuple(Shape shape) {
        String inside = shape.toString().substring(1, shape.toString().length() - 1);
        return shape.rank() == 1 ? "(" + inside + ",)" : "(" + inside + ")";
    }

    /** The indices along a dimension that are shown; -1 stands for the dots. */
    private long[] shown(int dim) {
        long size = shape.size(dim);
        if (!summarised || size <= 2 * EDGE) {
            long[] all = new long[(int) size];
            for (int i = 0; i < all.length; i++) {
                all[i] = i;
            }
            return all;
        }
        long[] some = new long[2 * EDGE + 1];
        for (int i = 0; i < EDGE; i++) {
            some[i] = i;
            some[EDGE + 1 + i] = size - EDGE + i;
        }
        some[EDGE] = -1;
        return some;
    }

    private void collect(int dim, long offset, List<Scalar> into) {
        if (dim == shape.rank()) {
            into.add(HostElements.get(host, offset, dtype));
            return;
        }
        for (long i : shown(dim)) {
            if (i >= 0) {
                collect(dim + 1, offset + i * strides[dim], into);
            }
        }
    }

    private String block(int dim, long offset, int indent) {
        if (dim == shape.rank()) {
            return numbers.format(HostElements.get(host, offset, dtype));
        }
        if (dim == shape.rank() - 1) {
            return row(offset, indent);
        }
        List<String> parts = new ArrayList<>();
        for (long i : shown(dim)) {
            parts.add(i < 0 ? "..." : block(dim + 1, offset + i * strides[dim], indent + 1));
        }
        String separator = "," + "\n".repeat(shape.rank() - 1 - dim) + " ".repeat(indent + 1);
        return "[" + String.join(separator, parts) + "]";
    }

    private String row(long offset, int indent) {
        int perLine = Math.max(1, (LINE - indent) / (numbers.width() + 2));
        List<String> lines = new ArrayList<>();
        List<String> line = new ArrayList<>();
        for (long i : shown(shape.rank() - 1)) {
            if (line.size() == perLine) {
                lines.add(String.join(", ", line));
                line = new ArrayList<>();
            }
            line.add(i < 0 ? " ..." : numbers.format(HostElements.get(host, offset + i, dtype)));
        }
        lines.add(String.join(", ", line));
        return "[" + String.join(",\n" + " ".repeat(indent + 1), lines) + "]";
    }
}
