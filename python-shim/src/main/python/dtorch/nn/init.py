"""Initial values, written into a tensor that is returned: torch.nn.init over Java's.

Random ones are PyTorch's for the seed, drawn for the global shape, so that they are the same on every mesh.
"""

import math
import warnings

from dtorch.nn import _bridge


def _drawn(name, tensor, first, second, generator):
    _bridge.init(name, tensor._j, float(first), float(second), _bridge.java(generator))
    return tensor


def calculate_gain(nonlinearity, param=None):
    if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
        raise ValueError(f"negative_slope {param} not a valid number")
    return _bridge.gain(nonlinearity, 0.01 if param is None else float(param))


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    return _drawn("uniform_", tensor, a, b, generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    return _drawn("normal_", tensor, mean, std, generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    _bridge.trunc_normal(tensor._j, float(mean), float(std), float(a), float(b), _bridge.java(generator))
    return tensor


def constant_(tensor, val):
    return _drawn("constant_", tensor, val, 0, None)


def ones_(tensor):
    return constant_(tensor, 1)


def zeros_(tensor):
    return constant_(tensor, 0)


def eye_(tensor):
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    import dtorch

    rows, columns = tensor.shape
    return tensor.copy_(dtorch.eye(rows, columns, dtype=tensor.dtype))


def xavier_uniform_(tensor, gain=1.0, generator=None):
    return _drawn("xavier_uniform_", tensor, gain, 0, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    return _drawn("xavier_normal_", tensor, gain, 0, generator)


def _kaiming(uniform, tensor, a, mode, nonlinearity, generator):
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return tensor
    _bridge.kaiming(uniform, tensor._j, float(a), mode.lower(), nonlinearity, _bridge.java(generator))
    return tensor


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _kaiming(True, tensor, a, mode, nonlinearity, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _kaiming(False, tensor, a, mode, nonlinearity, generator)


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def __getattr__(name):
    if name in ("dirac_", "orthogonal_", "sparse_"):

        def missing(*args, **kwargs):
            raise NotImplementedError(f"dtorch.nn.init.{name} is not implemented")

        return missing
    raise AttributeError(f"module 'dtorch.nn.init' has no attribute '{name}'")
