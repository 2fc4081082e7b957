"""Tensors from nothing and from Python's numbers."""

from array import array as _buffer

from dtorch import _functions
from dtorch._call import bridge, creation, dtype_of, longs
from dtorch._types import DTYPES
from dtorch._tensor import Tensor, wrap

_from_buffer = bridge.tensors().fromBuffer

for _name in (
    "zeros ones empty full arange eye linspace rand randn randint randperm zeros_like ones_like empty_like full_like"
    " rand_like randn_like randint_like"
).split():
    globals()[_name] = _functions.function("FUNCTIONS", _name)


def tensor(data, *, dtype=None, device=None, device_mesh=None, placements=None, graph=None, requires_grad=False):
    """A tensor of a number, nested sequences of numbers, or the copy of a tensor."""
    if requires_grad:
        raise NotImplementedError("tensor(requires_grad=True): gradients")
    if isinstance(data, Tensor):
        return _copied(data, dtype, device, device_mesh, placements)
    flat, shape, kind = _flattened(data)
    if dtype is None:
        dtype = _default_dtype(graph) if kind == "float" else DTYPES[kind]
    from dtorch.distributed_spec import mesh_argument, placements_argument

    options = creation(
        None if graph is None else graph._j,
        dtype_of(dtype),
        mesh_argument(device, device_mesh),
        placements_argument(placements),
    )
    floating = kind == "float"
    try:
        buffer = _buffer("d" if floating else "q", flat)
    except OverflowError:
        raise RuntimeError("Overflow when unpacking long") from None
    return wrap(_from_buffer(buffer, floating, longs(*shape), options))


def _default_dtype(graph):
    if graph is None:
        from dtorch.graph import Graph

        graph = Graph.default_graph()
    return graph.default_dtype


def _copied(data, dtype, device, device_mesh, placements):
    from dtorch.distributed_spec import mesh_argument

    mesh = mesh_argument(device, device_mesh)
    if mesh is None and placements is None:
        return data.clone() if dtype is None or dtype is data.dtype else data.to(dtype)
    moved = data.redistribute(device_mesh or device, placements)
    moved = moved.clone() if dtype is None or dtype is data.dtype else moved.to(dtype)
    return moved


def _flattened(data):
    """(numbers in row-major order, shape, kind): float stands for the graph's default, else the name of a dtype."""
    if isinstance(data, (bool, int, float)):
        return [data], (), _kind_of({type(data)})
    if hasattr(data, "tolist") and not isinstance(data, (list, tuple)):
        flat, shape, kind = _flattened(data.tolist())
        return flat, tuple(getattr(data, "shape", shape)), kind
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    level = data if isinstance(data, (list, tuple)) else _sequence(data)
    shape = [len(level)]
    while level and isinstance(level[0], (list, tuple)):
        size = len(level[0])
        below = []
        for item in level:
            if not isinstance(item, (list, tuple)):
                raise TypeError(f"not a sequence: {item!r}")
            if len(item) != size:
                raise ValueError(f"expected sequence of length {size} at dim {len(shape)} (got {len(item)})")
            below += item
        shape.append(size)
        level = below
    kinds = set(map(type, level))
    if not kinds <= _NUMBERS:
        level, kinds = _plain(level)
    return level, tuple(shape), _kind_of(kinds)


_NUMBERS = {bool, int, float}


def _sequence(data):
    try:
        return list(data)
    except TypeError:
        raise TypeError(f"Could not infer dtype of {type(data).__name__}") from None


def _plain(level):
    """Numbers in place of tensors of one element and other number-like objects."""
    plain = []
    for item in level:
        if isinstance(item, Tensor):
            if item.numel() != 1:
                raise ValueError("only one element tensors can be converted to Python scalars")
            item = item.item()
        elif not isinstance(item, (bool, int, float)):
            if hasattr(item, "item"):
                item = item.item()
            elif hasattr(item, "__index__"):
                item = item.__index__()
            elif hasattr(item, "__float__"):
                item = float(item)
            elif isinstance(item, (list, tuple, range)):
                raise ValueError(f"expected a number in nested sequences, got {item!r}")
            else:
                raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
        plain.append(item)
    return plain, set(map(type, plain))


def _kind_of(kinds):
    if not kinds or float in kinds or any(issubclass(kind, float) for kind in kinds):
        return "float"
    return "bool" if kinds == {bool} else "int64"


def as_tensor(data, dtype=None, device=None):
    """The tensor itself if it fits, else a new one."""
    if isinstance(data, Tensor) and dtype in (None, data.dtype) and device is None:
        return data
    return tensor(data, dtype=dtype, device=device)


def from_torch(tensor, *, device=None, device_mesh=None, placements=None, graph=None):
    """A copy of a tensor under another layout."""
    return globals()["tensor"](tensor, device=device, device_mesh=device_mesh, placements=placements, graph=graph)


def scalar_tensor(s, *, dtype=None, device=None):
    return tensor(float(s), dtype=dtype, device=device)
