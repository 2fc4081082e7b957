package org.dtorch.op;

import static org.dtorch.op.Rows.composite;
import static org.dtorch.op.Rows.view;

import java.util.Arrays;
import org.dtorch.values.DTorchError;
import org.dtorch.values.Shape;

/** Other looks at the same storage. */
public final class ViewOps {
    private ViewOps() {}

    public static final Op ALIAS = view("alias(Tensor self) -> Tensor")
            .doc("The same elements under another handle.")
            .rearranging(site -> identity(site.shape("self").rank()))
            .internal("Tensor.data and detach are made with it")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op CONTIGUOUS = view("contiguous(Tensor self) -> Tensor")
            .doc("self where it lies dense in row-major order, else a copy that does.")
            .rearranging(site -> identity(site.shape("self").rank()))
            .local((in, sizes, site, output) -> Strides.isDense(in) ? in : null)
            .method("contiguous()")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op VIEW = view("view(Tensor self, int[] size) -> Tensor")
            .doc("The same elements in row-major order with other sizes, one of which may be -1; never a copy.")
            .infer(site -> reshaped(site, site.integers("size")))
            .keeps((site, out) -> Reshape.keeps(site.tensor("self"), out[0].shape()))
            .local((in, sizes, site, output) -> {
                StridedView local = Reshape.local(in, sizes);
                if (local == null) {
                    throw DTorchError.layout(
                            "view size is not compatible with input tensor's size and stride (at least one"
                                    + " dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
                }
                return local;
            })
            .method("view(*size)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 6, 4), new long[] {8, 3}),
                    Sample.of(Sample.tensor(-5, 5, 6, 4), new long[] {2, -1, 4}))
            .build();

    public static final Op RESHAPE = view("reshape(Tensor self, int[] shape) -> Tensor")
            .doc(
                    "The elements in row-major order with other sizes, one of which may be -1; a view where strides allow.")
            .infer(site -> reshaped(site, site.integers("shape")))
            .keeps((site, out) -> Reshape.keeps(site.tensor("self"), out[0].shape()))
            .local((in, sizes, site, output) -> Reshape.local(in, sizes))
            .function("reshape(input, shape)")
            .method("reshape(*shape)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 6, 4), new long[] {8, 3}),
                    Sample.of(Sample.tensor(-5, 5, 6, 4), new long[] {-1}))
            .build();

    public static final Op FLATTEN = view("flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor")
            .doc("Joins the dimensions from start_dim to end_dim into one.")
            .infer(ViewOps::flattened)
            .keeps((site, out) -> Reshape.keeps(site.tensor("self"), out[0].shape()))
            .local((in, sizes, site, output) -> Reshape.local(in, sizes))
            .both("flatten(input, start_dim=0, end_dim=-1)")
            .samples(Sample.of(Sample.tensor(-5, 5, 2, 3, 4)), Sample.of(Sample.tensor(-5, 5, 2, 3, 4), 1L, 2L))
            .build();

    public static final Op UNFLATTEN = view("unflatten(Tensor self, int dim, int[] sizes) -> Tensor")
            .doc("Splits a dimension into several, one of which may be -1.")
            .infer(ViewOps::unflattened)
            .keeps((site, out) -> Reshape.keeps(site.tensor("self"), out[0].shape()))
            .local((in, sizes, site, output) -> Reshape.local(in, sizes))
            .both("unflatten(input, dim, sizes)")
            .samples(Sample.of(Sample.tensor(-5, 5, 2, 12), 1L, new long[] {3, -1}))
            .build();

    public static final Op TRANSPOSE = view("transpose(Tensor self, int dim0, int dim1) -> Tensor")
            .doc("Two dimensions exchanged.")
            .rearranging(site -> {
                int[] source = identity(site.shape("self").rank());
                if (source.length > 0) {
                    source[site.dim("dim0", "self")] = site.dim("dim1", "self");
                    source[site.dim("dim1", "self")] = site.dim("dim0", "self");
                }
                return source;
            })
            .aliases("transpose, swapaxes", "(input, dim0, dim1)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4, 2), 0L, -1L))
            .build();

    public static final Op T = view("t(Tensor self) -> Tensor")
            .doc("The transpose of a matrix; a vector or scalar itself.")
            .rearranging(site -> switch (site.shape("self").rank()) {
                case 0 -> new int[0];
                case 1 -> new int[] {0};
                case 2 -> new int[] {1, 0};
                default ->
                    throw DTorchError.runtime(
                            "t() expects a tensor with <= 2 dimensions, but self is %dD",
                            site.shape("self").rank());
            })
            .both("t(input)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)))
            .build();

    public static final Op PERMUTE = view("permute(Tensor self, int[] dims) -> Tensor")
            .doc("The dimensions in another order.")
            .rearranging(ViewOps::permutation)
            .function("permute(input, dims)")
            .method("permute(*dims)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4, 2), new long[] {2, 0, 1}))
            .build();

    public static final Op MOVEDIM = view("movedim(Tensor self, int[] source, int[] destination) -> Tensor")
            .doc("Dimensions moved to other places, the rest in order.")
            .rearranging(ViewOps::moved)
            .aliases("movedim, moveaxis", "(input, source, destination)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4, 2), new long[] {0}, new long[] {2}))
            .build();

    public static final Op SQUEEZE = view("squeeze(Tensor self, int[]? dim=None) -> Tensor")
            .doc("Without the dimensions of size 1, all or those named.")
            .rearranging(site -> {
                Shape shape = site.shape("self");
                boolean[] gone = new boolean[shape.rank()];
                for (int d : site.dims("dim", "self")) {
                    gone[d] = shape.size(d) == 1;
                }
                return Arrays.stream(identity(shape.rank()))
                        .filter(d -> !gone[d])
                        .toArray();
            })
            .both("squeeze(input, dim=None)")
            .samples(
                    Sample.of(Sample.tensor(-5, 5, 5, 1, 4, 1)),
                    Sample.of(Sample.tensor(-5, 5, 5, 1, 4, 1), new long[] {1}))
            .build();

    public static final Op UNSQUEEZE = view("unsqueeze(Tensor self, int dim) -> Tensor")
            .doc("With a new dimension of size 1.")
            .rearranging(site -> {
                int rank = site.shape("self").rank();
                int dim = Shape.wrapDim(site.integer("dim"), rank + 1);
                int[] source = new int[rank + 1];
                for (int o = 0; o <= rank; o++) {
                    source[o] = o < dim ? o : o == dim ? ViewRow.NEW : o - 1;
                }
                return source;
            })
            .both("unsqueeze(input, dim)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0L), Sample.of(Sample.tensor(-5, 5, 5, 4), -1L))
            .build();

    public static final Op EXPAND = view("expand(Tensor self, int[] size) -> Tensor")
            .doc("Dimensions of size 1 repeated to other sizes without a copy; -1 keeps a size.")
            .infer(ViewOps::expanded)
            .keeps((site, out) -> {
                Shape in = site.shape("self");
                int lead = out[0].shape().rank() - in.rank();
                int[] keeps = new int[in.rank()];
                for (int d = 0; d < keeps.length; d++) {
                    keeps[d] = in.size(d) == out[0].shape().size(d + lead) ? d + lead : -1;
                }
                return keeps;
            })
            .local((in, sizes, site, output) -> {
                int lead = sizes.length - in.sizes().length;
                long[] strides = new long[sizes.length];
                for (int d = lead; d < sizes.length; d++) {
                    strides[d] = in.sizes()[d - lead] == sizes[d] ? in.strides()[d - lead] : 0;
                }
                return new StridedView(in.offset(), sizes, strides);
            })
            .method("expand(*size)")
            .function("broadcast_to(input, size)")
            .method("broadcast_to(size)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 1), new long[] {2, -1, 4}))
            .build();

    public static final Op SLICE =
            view("slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor")
                    .doc("The elements start, start + step, ... before end along dim; limits are clipped as Python's.")
                    .infer(site -> one(
                            site,
                            site.shape("self")
                                    .with(
                                            site.dim("dim", "self"),
                                            Slice.of(site).length())))
                    .keeps((site, out) -> allBut(site, Slice.of(site).isWhole() ? -1 : site.dim("dim", "self")))
                    .local((in, sizes, site, output) -> {
                        Slice slice = Slice.of(site);
                        int dim = site.dim("dim", "self");
                        return slice.isWhole() ? in : Strides.along(in, sizes, dim, slice.start(), slice.step());
                    })
                    .internal("indexing with slices is made of it")
                    .samples(
                            Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, 1L, 4L, 2L),
                            Sample.of(Sample.tensor(-5, 5, 5, 4), 1L, null, -1L))
                    .build();

    public static final Op NARROW = view("narrow(Tensor self, int dim, int start, int length) -> Tensor")
            .doc("length elements from start along dim.")
            .infer(site -> one(site, site.shape("self").with(site.dim("dim", "self"), narrowed(site)[1])))
            .keeps((site, out) -> {
                int dim = site.dim("dim", "self");
                return allBut(site, narrowed(site)[1] == site.shape("self").size(dim) ? -1 : dim);
            })
            .local((in, sizes, site, output) -> {
                int dim = site.dim("dim", "self");
                return narrowed(site)[1] == site.shape("self").size(dim)
                        ? in
                        : Strides.along(in, sizes, dim, narrowed(site)[0], 1);
            })
            .both("narrow(input, dim, start, length)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, 1L, 3L))
            .build();

    public static final Op SELECT = view("select(Tensor self, int dim, int index) -> Tensor")
            .doc("The element at index along dim, without that dimension.")
            .infer(site -> {
                selected(site);
                return one(site, ReductionRow.reduced(site.shape("self"), new int[] {site.dim("dim", "self")}, false));
            })
            .keeps((site, out) -> without(site, site.dim("dim", "self")))
            .local((in, sizes, site, output) -> Strides.without(in, site.dim("dim", "self"), selected(site)))
            .both("select(input, dim, index)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 0L, -1L))
            .build();

    public static final Op UNBIND = view("unbind(Tensor self, int dim=0) -> Tensor[]")
            .doc("The slices along dim, without that dimension.")
            .infer(site -> {
                if (site.shape("self").rank() == 0) {
                    throw DTorchError.index(
                            "Dimension specified as %d but tensor has no dimensions", site.integer("dim"));
                }
                int dim = site.dim("dim", "self");
                TensorMeta[] parts = new TensorMeta[(int) site.shape("self").size(dim)];
                Arrays.fill(parts, one(site, ReductionRow.reduced(site.shape("self"), new int[] {dim}, false))[0]);
                return parts;
            })
            .keeps((site, out) -> without(site, site.dim("dim", "self")))
            .local((in, sizes, site, output) -> Strides.without(in, site.dim("dim", "self"), output))
            .both("unbind(input, dim=0)")
            .samples(Sample.of(Sample.tensor(-5, 5, 3, 4)), Sample.of(Sample.tensor(-5, 5, 3, 2), -1L))
            .build();

    public static final Op SPLIT = view("split(Tensor self, int split_size, int dim=0) -> Tensor[]")
            .doc("Pieces of split_size elements along dim, the last may be smaller.")
            .infer(site -> pieces(site, Pieces.equal(site)))
            .keeps((site, out) -> allBut(site, out.length == 1 ? -1 : site.dim("dim", "self")))
            .local((in, sizes, site, output) -> piece(in, sizes, site, Pieces.equal(site), output))
            .both("split(input, split_size_or_sections|split_size:split_size, dim=0)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 2L), Sample.of(Sample.tensor(-5, 5, 5, 4), 3L, 1L))
            .build();

    public static final Op SPLIT_WITH_SIZES =
            view("split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]")
                    .doc("Pieces of the given sizes along dim.")
                    .infer(site -> pieces(site, Pieces.sizes(site)))
                    .keeps((site, out) -> allBut(site, out.length == 1 ? -1 : site.dim("dim", "self")))
                    .local((in, sizes, site, output) -> piece(in, sizes, site, Pieces.sizes(site), output))
                    .both("split_with_sizes(input, split_sizes, dim=0)")
                    .both("split(input, split_size_or_sections|split_sizes:split_sizes, dim=0)")
                    .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), new long[] {2, 3}))
                    .build();

    public static final Op CHUNK = view("chunk(Tensor self, int chunks, int dim=0) -> Tensor[]")
            .doc("At most that many pieces of equal size along dim, the last may be smaller.")
            .infer(site -> pieces(site, Pieces.chunks(site)))
            .keeps((site, out) -> allBut(site, out.length == 1 ? -1 : site.dim("dim", "self")))
            .local((in, sizes, site, output) -> piece(in, sizes, site, Pieces.chunks(site), output))
            .both("chunk(input, chunks|chunk, dim=0)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4), 2L), Sample.of(Sample.tensor(-5, 5, 5, 4), 3L, 1L))
            .build();

    public static final Op DIAGONAL = view("diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor")
            .doc("The diagonal of two dimensions as the last dimension.")
            .infer(Diagonal::infer)
            .keeps(Diagonal::keeps)
            .local((in, sizes, site, output) -> Diagonal.local(in, sizes, site))
            .both("diagonal(input, offset=0, dim1=0, dim2=1)")
            .samples(Sample.of(Sample.tensor(-5, 5, 5, 4)), Sample.of(Sample.tensor(-5, 5, 2, 4, 3), -1L, 1L, 2L))
            .build();

    public static final Op VIEW_AS = composite("view_as(Tensor self, Tensor other) -> Tensor")
            .doc("self with the sizes of other.")
            .is((k, s) -> k.call(VIEW, s.arg("self"), s.shape("other").toArray()))
            .method("view_as(other)")
            .samples(Sample.of(Sample.tensor(-5, 5, 6, 4), Sample.tensor(0, 1, 8, 3)))
            .build();

    public static final Op RESHAPE_AS = composite("reshape_as(Tensor self, Tensor other) -> Tensor")
            .doc("self with the sizes of other.")
            .is((k, s) -> k.call(RESHAPE, s.arg("self"), s.shape("other").toArray()))
            .method("reshape_as(other)")
            .samples(Sample.of(Sample.tensor(-5, 5, 6, 4), Sample.tensor(0, 1, 8, 3)))
            .build();

    public static final Op EXPAND_AS = composite("expand_as(Tensor self, Tensor other) -> Tensor")
            .doc("self expanded to the sizes of other.")
            .is((k, s) -> k.call(EXPAND, s.arg("self"), s.shape("other").toArray()))
            .method("expand_as(other)")
            .samples(Sample.of(Sample.tensor(-5, 5, 1, 4), Sample.tensor(0, 1, 3, 4)))
            .build();

    public static final Op RAVEL = composite("ravel(Tensor self) -> Tensor")
            .doc("The elements in row-major order as one dimension.")
            .is((k, s) -> k.call(RESHAPE, s.arg("self"), new long[] {-1}))
            .both("ravel(input)")
            .samples(Sample.of(Sample.tensor(-5, 5, 6, 4)))
            .build();

    static int[] identity(int rank) {
        int[] dims = new int[rank];
        Arrays.setAll(dims, d -> d);
        return dims;
    }

    private static TensorMeta[] one(Site site, Shape shape) {
        return new TensorMeta[] {new TensorMeta(shape, site.dtype("self"))};
    }

    private static TensorMeta[] reshaped(Site site, long[] sizes) {
        return one(site, Reshape.resolve(site.shape("self"), sizes));
    }

    private static TensorMeta[] flattened(Site site) {
        Shape in = site.shape("self");
        if (in.rank() == 0) {
            return one(site, Shape.of(1));
        }
        int start = site.dim("start_dim", "self");
        int end = site.dim("end_dim", "self");
        if (start > end) {
            throw DTorchError.runtime("flatten() has invalid args: start_dim cannot come after end_dim");
        }
        long[] out = new long[in.rank() - (end - start)];
        Arrays.fill(out, 1);
        for (int d = 0; d < in.rank(); d++) {
            out[d <= start ? d : d <= end ? start : d - (end - start)] *= in.size(d);
        }
        return one(site, Shape.of(out));
    }

    private static TensorMeta[] unflattened(Site site) {
        Shape in = site.shape("self");
        int dim = site.dim("dim", "self");
        long[] sizes = site.integers("sizes");
        if (sizes.length == 0) {
            throw DTorchError.runtime("unflatten: sizes must be non-empty");
        }
        long[] inner = sizes.clone();
        long known = 1;
        int open = -1;
        for (int i = 0; i < sizes.length; i++) {
            if (sizes[i] == -1) {
                open = i;
            } else {
                known *= sizes[i];
            }
        }
        if (open >= 0 && known != 0) {
            inner[open] = in.size(dim) / known;
        }
        long product = Arrays.stream(inner).reduce(1, (a, b) -> a * b);
        if (product != in.size(dim)) {
            throw DTorchError.layout(
                    "unflatten: Provided sizes %s don't multiply up to the size of dim %d (%d) in the input tensor",
                    Arrays.toString(sizes), dim, in.size(dim));
        }
        long[] out = new long[in.rank() - 1 + inner.length];
        for (int d = 0; d < in.rank(); d++) {
            if (d == dim) {
                System.arraycopy(inner, 0, out, d, inner.length);
            } else {
                out[d < dim ? d : d + inner.length - 1] = in.size(d);
            }
        }
        return one(site, Shape.of(out));
    }

    private static int[] permutation(Site site) {
        int rank = site.shape("self").rank();
        long[] dims = site.integers("dims");
        if (dims.length != rank) {
            throw DTorchError.layout(
                    "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired"
                            + " ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d",
                    rank, dims.length);
        }
        return rank == 0 ? new int[0] : site.dims("dims", "self");
    }

    private static int[] moved(Site site) {
        int rank = site.shape("self").rank();
        int[] from = site.dims("source", "self");
        int[] to = site.dims("destination", "self");
        if (from.length != to.length) {
            throw DTorchError.runtime(
                    "movedim: Invalid source or destination dims: source (%s dims) should contain the same number of dims as"
                            + " destination (%s dims)",
                    from.length, to.length);
        }
        int[] source = new int[rank];
        Arrays.fill(source, -1);
        boolean[] taken = new boolean[rank];
        for (int i = 0; i < from.length; i++) {
            source[to[i]] = from[i];
            taken[from[i]] = true;
        }
        int next = 0;
        for (int o = 0; o < rank; o++) {
            if (source[o] < 0) {
                while (taken[next]) {
                    next++;
                }
                source[o] = next++;
            }
        }
        return source;
    }

    private static TensorMeta[] expanded(Site site) {
        Shape in = site.shape("self");
        long[] size = site.integers("size");
        int lead = size.length - in.rank();
        if (lead < 0) {
            throw DTorchError.layout(
                    "expand(torch.Tensor{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the"
                            + " number of dimensions in the tensor (%d)",
                    in, Arrays.toString(size), size.length, in.rank());
        }
        long[] out = size.clone();
        for (int d = 0; d < size.length; d++) {
            long own = d < lead ? 1 : in.size(d - lead);
            if (size[d] == -1 && d < lead) {
                throw DTorchError.layout(
                        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension %d",
                        d);
            }
            out[d] = size[d] == -1 ? own : size[d];
            if (out[d] != own && own != 1) {
                throw DTorchError.layout(
                        "The expanded size of the tensor (%d) must match the existing size (%d) at non-singleton dimension"
                                + " %d.  Target sizes: %s.  Tensor sizes: %s",
                        out[d], own, d, Arrays.toString(size), in);
            }
        }
        return one(site, Shape.of(out));
    }

    /** Start and length of a narrow. */
    private static long[] narrowed(Site site) {
        if (site.shape("self").rank() == 0) {
            throw DTorchError.runtime("narrow() cannot be applied to a 0-dim tensor.");
        }
        long size = site.shape("self").size(site.dim("dim", "self"));
        long start = site.integer("start");
        long length = site.integer("length");
        if (length < 0) {
            throw DTorchError.runtime("narrow(): length must be non-negative.");
        }
        if (start < -size || start > size) {
            throw DTorchError.index(
                    "start out of range (expected to be in range of [%d, %d], but got %d)", -size, size, start);
        }
        long from = start < 0 ? start + size : start;
        if (from + length > size) {
            throw DTorchError.layout("start (%d) + length (%d) exceeds dimension size (%d).", from, length, size);
        }
        return new long[] {from, length};
    }

    private static long selected(Site site) {
        Shape in = site.shape("self");
        if (in.rank() == 0) {
            throw DTorchError.index("select() cannot be applied to a 0-dim tensor.");
        }
        int dim = site.dim("dim", "self");
        long index = site.integer("index");
        if (index < -in.size(dim) || index >= in.size(dim)) {
            throw DTorchError.index(
                    "select(): index %d out of range for tensor of size %s at dimension %d", index, in, dim);
        }
        return index < 0 ? index + in.size(dim) : index;
    }

    private static int[] allBut(Site site, int dim) {
        int[] keeps = identity(site.shape("self").rank());
        if (dim >= 0) {
            keeps[dim] = -1;
        }
        return keeps;
    }

    private static int[] without(Site site, int dim) {
        int[] keeps = identity(site.shape("self").rank());
        for (int d = dim; d < keeps.length; d++) {
            keeps[d] = d - 1;
        }
        keeps[dim] = -1;
        return keeps;
    }

    private static TensorMeta[] pieces(Site site, long[] sizes) {
        TensorMeta[] parts = new TensorMeta[sizes.length];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = one(site, site.shape("self").with(site.dim("dim", "self"), sizes[i]))[0];
        }
        return parts;
    }

    private static StridedView piece(StridedView in, long[] outSizes, Site site, long[] sizes, int output) {
        if (sizes.length == 1) {
            return in;
        }
        long start = 0;
        for (int i = 0; i < output; i++) {
            start += sizes[i];
        }
        return Strides.along(in, outSizes, site.dim("dim", "self"), start, 1);
    }
}
