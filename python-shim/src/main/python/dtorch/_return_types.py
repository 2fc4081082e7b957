"""Named results of operators, as torch.return_types."""

from collections import namedtuple

_TYPES = {}


def result_type(function, names):
    """The tuple class of a function's results; it prints as PyTorch's."""
    known = _TYPES.get(function)
    if known is None:
        known = namedtuple(function, names)
        known.__module__ = "torch.return_types"
        known.__repr__ = _text
        _TYPES[function] = known
    return known


def _text(result):
    parts = ",\n".join(f"{name}={value!r}" for name, value in zip(result._fields, result))
    return f"torch.return_types.{type(result).__name__}(\n{parts})"
