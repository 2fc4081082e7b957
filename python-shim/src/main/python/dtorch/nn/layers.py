"""The layers: thin faces of Java's, one crossing per call."""

from dtorch._call import dtype_of, new, same
from dtorch._tensor import Tensor
from dtorch.distributed_spec import Replicate
from dtorch.nn import _bridge
from dtorch.nn.module import Module

_call = _bridge.call
_STEPS = ("__call__", "_run", "forward", "redistribute_input", "redistribute_output")


def _tensor(value, layer):
    if not isinstance(value, Tensor):
        raise TypeError(f"{type(layer).__name__}(): argument 'input' must be Tensor, not {type(value).__name__}")
    return value._j


class Layer(Module):
    """A layer of one tensor to one tensor whose computation is Java's.

    While neither class nor instance override a step and no hooks are registered, Java makes the whole call.
    """

    _direct = True

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own = next(base for base in cls.__mro__ if base.__module__ == __name__)
        cls._overridden = any(getattr(cls, step) is not getattr(own, step) for step in _STEPS)

    _overridden = False
    _returns_input = False  # whether the output may be the input itself

    def _build(self, java_module):
        super()._build(java_module)
        if self._overridden:
            self._calls_changed()

    def _calls_changed(self):
        state = self.__dict__
        direct = not (self._overridden or self._hooked or any(step in state for step in _STEPS))
        if direct != self._direct:
            state["_direct"] = direct
            _bridge.set_guest(self._j, None if direct else self)

    def __call__(self, *args, **kwargs):
        if self._direct and len(args) == 1 and not kwargs:
            input = args[0]
            if isinstance(input, Tensor):
                if self._returns_input:
                    return same(_call(self._j, input._j), input)
                output = new(Tensor)
                output._j = _call(self._j, input._j)
                return output
        return Module.__call__(self, *args, **kwargs)

    def forward(self, input):
        return same(_bridge.forward(self._j, _tensor(input, self)), input)

    def extra_repr(self):
        return _bridge.extra_repr(self._j)


class Linear(Layer):
    """input @ weight.T + bias, split over the tensor-parallel mesh dimension by tp_shard_type "row" or "col"."""

    def __init__(
        self,
        in_features,
        out_features,
        bias=True,
        device=None,
        dtype=None,
        device_mesh=None,
        *,
        tp_dim="tp",
        tp_shard_type=None,
    ):
        self._linear("Linear", in_features, out_features, bias, device, dtype, device_mesh, tp_dim, tp_shard_type)

    def _linear(self, kind, in_features, out_features, bias, device, dtype, device_mesh, tp_dim, tp_shard_type):
        java_mesh = _bridge.mesh(device, device_mesh)
        java_layer = _bridge.linear(
            kind,
            dtype_of(dtype),
            java_mesh,
            in_features,
            out_features,
            bool(bias),
            tp_dim,
            tp_shard_type,
        )
        self._build(java_layer)
        self._describe()

    def _describe(self):
        self.out_features, self.in_features = self.weight.shape
        found = _bridge.tp_dim(self._j)
        self.tp_dim = None if found < 0 else found
        self.tp_shard_type = _bridge.tp_shard_type(self._j)

    @property
    def device_mesh(self):
        return self.weight.device_mesh

    def redistribute_input(self, input, input_placement=None):
        """Gives the input input_placement on tp_dim, if not None, and checks that the weight fits it."""
        return [_moved(_bridge.linear_redistribute_input, self, input, input_placement)], {}

    def redistribute_output(self, output, output_placement=None):
        """Gives the output output_placement on tp_dim, if not None."""
        if output_placement is None or self.tp_dim is None:
            return output
        return _moved(_bridge.linear_redistribute_output, self, output, output_placement)


def _moved(step, layer, tensor, placement):
    moved = step(layer._j, _tensor(tensor, layer), _bridge.java(placement))
    return same(moved, tensor)


class ColumnParallelLinear(Linear):
    """Split by output features: a replicated input gives an output sharded on its last dim."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, tp_dim="tp"):
        self._linear("ColumnParallelLinear", in_features, out_features, bias, device, dtype, device_mesh, tp_dim, "col")


class ColumnParallelLinearWithReplicateOutput(Linear):
    """Split by output features; the output is gathered."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, tp_dim="tp"):
        self._linear(
            "ColumnParallelLinearWithReplicateOutput",
            in_features,
            out_features,
            bias,
            device,
            dtype,
            device_mesh,
            tp_dim,
            "col",
        )

    def redistribute_output(self, output):
        return super().redistribute_output(output, Replicate())


class ColumnParallelLinearWithReplicateInputOutput(Linear):
    """Split by output features; input and output are replicated."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, tp_dim="tp"):
        self._linear(
            "ColumnParallelLinearWithReplicateInputOutput",
            in_features,
            out_features,
            bias,
            device,
            dtype,
            device_mesh,
            tp_dim,
            "col",
        )

    def redistribute_input(self, input):
        return super().redistribute_input(input, Replicate())

    def redistribute_output(self, output):
        return super().redistribute_output(output, Replicate())


class RowParallelLinear(Linear):
    """Split by input features: an input sharded on its last dim gives partial sums."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, tp_dim="tp"):
        self._linear("RowParallelLinear", in_features, out_features, bias, device, dtype, device_mesh, tp_dim, "row")


class RowParallelLinearWithReplicateOutput(Linear):
    """Split by input features; the partial sums are added."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, tp_dim="tp"):
        self._linear(
            "RowParallelLinearWithReplicateOutput",
            in_features,
            out_features,
            bias,
            device,
            dtype,
            device_mesh,
            tp_dim,
            "row",
        )

    def redistribute_output(self, output):
        return super().redistribute_output(output, Replicate())


class ReplicateParallelLinear(Linear):
    """Never split."""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None):
        self._linear("ReplicateParallelLinear", in_features, out_features, bias, device, dtype, device_mesh, None, None)


class Embedding(Layer):
    """Rows of a table by their numbers; on the tensor-parallel mesh dimension the table is split by embedding_dim."""

    def __init__(self, num_embeddings, embedding_dim, device=None, dtype=None, device_mesh=None, tp_dim="tp"):
        self._embedding(False, num_embeddings, embedding_dim, device, dtype, device_mesh, tp_dim)

    def _embedding(self, replicate_output, num_embeddings, embedding_dim, device, dtype, device_mesh, tp_dim):
        java_layer = _bridge.embedding(
            replicate_output,
            dtype_of(dtype),
            _bridge.mesh(device, device_mesh),
            num_embeddings,
            embedding_dim,
            tp_dim,
        )
        self._build(java_layer)
        self._describe()

    def _describe(self):
        self.num_embeddings, self.embedding_dim = self.weight.shape
        found = _bridge.tp_dim(self._j)
        self.tp_dim = None if found < 0 else found

    @property
    def device_mesh(self):
        return self.weight.device_mesh

    def redistribute_input(self, input):
        """Checks that the input is replicated on tp_dim."""
        _bridge.redistribute_input(self._j, _tensor(input, self))
        return [input], {}

    def redistribute_output(self, output):
        moved = _bridge.redistribute_output(self._j, _tensor(output, self))
        return same(moved, output)


class EmbeddingWithReplicateOutput(Embedding):
    """An embedding whose output is gathered on the tensor-parallel mesh dimension."""

    def __init__(self, num_embeddings, embedding_dim, device=None, dtype=None, device_mesh=None, tp_dim="tp"):
        self._embedding(True, num_embeddings, embedding_dim, device, dtype, device_mesh, tp_dim)


class LayerNorm(Layer):
    """Normalises the trailing dims to mean 0 and variance 1, then scales and shifts elementwise."""

    def __init__(
        self,
        normalized_shape,
        eps=1e-5,
        elementwise_affine=True,
        bias=True,
        device=None,
        dtype=None,
        device_mesh=None,
    ):
        sizes = _bridge.sizes(normalized_shape)
        self._build(
            _bridge.layer_norm(
                dtype_of(dtype),
                _bridge.mesh(device, device_mesh),
                sizes,
                eps,
                bool(elementwise_affine),
                bool(bias),
            )
        )
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.elementwise_affine = elementwise_affine


class RMSNorm(Layer):
    """Divides the trailing dims by their root mean square, then scales elementwise; eps None is the dtype's epsilon."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None, device_mesh=None):
        sizes = _bridge.sizes(normalized_shape)
        self._build(
            _bridge.rms_norm(
                dtype_of(dtype),
                _bridge.mesh(device, device_mesh),
                sizes,
                eps,
                bool(elementwise_affine),
            )
        )
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.elementwise_affine = elementwise_affine


class GroupNorm(Layer):
    """Normalises groups of channels of [N, C, ...], then scales and shifts every channel."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, device_mesh=None):
        self._build(
            _bridge.group_norm(
                dtype_of(dtype),
                _bridge.mesh(device, device_mesh),
                num_groups,
                num_channels,
                eps,
                bool(affine),
            )
        )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine


class ReLU(Layer):
    """max(input, 0), elementwise."""

    def __init__(self, inplace=False):
        self._returns_input = bool(inplace)
        self._build(_bridge.plain("ReLU", bool(inplace), None))
        self.inplace = inplace


class Sigmoid(Layer):
    """1 / (1 + exp(-input)), elementwise."""

    def __init__(self):
        self._build(_bridge.plain("Sigmoid", None, None))


class Tanh(Layer):
    """The hyperbolic tangent, elementwise."""

    def __init__(self):
        self._build(_bridge.plain("Tanh", None, None))


class LeakyReLU(Layer):
    """input where positive, else negative_slope * input."""

    def __init__(self, negative_slope=0.01, inplace=False):
        self._returns_input = bool(inplace)
        self._build(_bridge.plain("LeakyReLU", negative_slope, bool(inplace)))
        self.negative_slope = negative_slope
        self.inplace = inplace


class ELU(Layer):
    """input where positive, else alpha * (exp(input) - 1)."""

    def __init__(self, alpha=1.0, inplace=False):
        self._returns_input = bool(inplace)
        self._build(_bridge.plain("ELU", alpha, bool(inplace)))
        self.alpha = alpha
        self.inplace = inplace


class SiLU(Layer):
    """input * sigmoid(input), elementwise."""

    def __init__(self, inplace=False):
        self._returns_input = bool(inplace)
        self._build(_bridge.plain("SiLU", bool(inplace), None))
        self.inplace = inplace


class GELU(Layer):
    """input times the normal distribution function of it, exactly or by a hyperbolic tangent ("tanh")."""

    def __init__(self, approximate="none"):
        self._build(_bridge.plain("GELU", approximate, None))
        self.approximate = approximate


class Softmax(Layer):
    """Exponentials that sum to 1 along dim."""

    def __init__(self, dim=None):
        self._build(_bridge.plain("Softmax", dim, None))
        self.dim = dim


class LogSoftmax(Layer):
    """The logarithm of Softmax."""

    def __init__(self, dim=None):
        self._build(_bridge.plain("LogSoftmax", dim, None))
        self.dim = dim


class Dropout(Layer):
    """In training, zeroes elements with probability p and scales the others by 1 / (1 - p)."""

    _returns_input = True

    def __init__(self, p=0.5, inplace=False):
        self._build(_bridge.plain("Dropout", p, bool(inplace)))
        self.p = p
        self.inplace = inplace


class Flatten(Layer):
    """Joins the dims from start_dim to end_dim into one."""

    def __init__(self, start_dim=1, end_dim=-1):
        self._build(_bridge.plain("Flatten", start_dim, end_dim))
        self.start_dim = start_dim
        self.end_dim = end_dim
