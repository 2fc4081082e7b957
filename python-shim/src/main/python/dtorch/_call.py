"""How Python reaches Java: bound methods, each looked up once, and what turns arguments and results into each other."""

from _dtorch import LayoutError, OutOfMemoryError, bridge  # noqa: F401

_ops = bridge.ops()
call1 = _ops.call1
call2 = _ops.call2
call3 = _ops.call3
call4 = _ops.call4
call5 = _ops.call5
call6 = _ops.call6
call7 = _ops.call7
call8 = _ops.call8
calln = _ops.calln
call_ints = _ops.callInts
longs = _ops.longs
array = _ops.array

new = object.__new__


class _Missing:
    def __repr__(self):
        return "<required>"


MISSING = _Missing()

__all__ = [
    "call1",
    "call2",
    "call3",
    "call4",
    "call5",
    "call6",
    "call7",
    "call8",
    "calln",
    "call_ints",
    "dtype_of",
    "generator_of",
    "given",
    "ints",
    "listed",
    "MISSING",
    "named",
    "new",
    "options",
    "same",
    "sizes",
    "tensor_array",
    "unwrapped",
]


def ints(value):
    """Integers as one argument; a single one and None go as they are."""
    if value is None or type(value) is int:
        return value
    return longs(*value)


def sizes(args, named):
    """The integers of f(2, 3), f((2, 3)) or f(size=(2, 3)), where there are not several arguments."""
    if named is not None:
        args = (named,)
    if not args:
        raise TypeError("expected integers, one by one or as one sequence, but got no arguments")
    return args if isinstance(args[0], int) or hasattr(args[0], "__index__") else args[0]


def tensor_array(values):
    """A sequence of tensors as one argument."""
    if not isinstance(values, (list, tuple)):
        if hasattr(values, "_j"):
            raise TypeError("expected a list or tuple of tensors, not Tensor")
        values = list(values)
    return array(*[getattr(value, "_j", value) for value in values])


def listed(args, named):
    """The tensors of f(a, b) or f([a, b])."""
    if named is not None:
        args = (named,)
    return args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args


def dtype_of(value):
    """The Java dtype of a dtype or one of Python's number classes."""
    if value is None:
        return None
    j = getattr(value, "_j", None)
    if j is None:
        from dtorch._types import dtype_of_class

        return dtype_of_class(value)
    return j


def generator_of(value):
    return None if value is None else value._j


def given(function, name, value):
    """The value of a parameter under its other name."""
    if value is MISSING:
        raise TypeError(f"{function}() missing 1 required positional argument: '{name}'")
    return value


def options(dtype, device, device_mesh, placements, graph, requires_grad=False):
    """What a creation function says about the tensor; None where it leaves all to the defaults."""
    if requires_grad:
        raise NotImplementedError("requires_grad=True: gradients")
    if dtype is None and device is None and device_mesh is None and placements is None and graph is None:
        return None
    from dtorch.distributed_spec import mesh_argument, placements_argument

    return creation(
        None if graph is None else graph._j,
        dtype_of(dtype),
        mesh_argument(device, device_mesh),
        placements_argument(placements),
    )


creation = bridge.tensors().creation


def same(j, tensor):
    """The tensor itself where Java returns its argument, else a new one."""
    if j is tensor._j:
        return tensor
    return wrap(j)


def wrap(j):
    raise RuntimeError("dtorch._tensor is not imported")


def unwrapped(results):
    return [wrap(j) for j in results]


def named(function, names, results):
    from dtorch._return_types import result_type

    return result_type(function, names)(*[wrap(j) for j in results])


def _mesh(j):
    from dtorch.distributed_spec import mesh_of

    return mesh_of(j)


def _placements(*forms):
    from dtorch.distributed_spec import placements_of

    return placements_of(forms)


def _graph(j):
    from dtorch.graph import graph_of

    return graph_of(j)


# Java makes each of these once for a value and keeps it.
bridge.attach("mesh", _mesh)
bridge.attach("placements", _placements)
bridge.attach("graph", _graph)
