"""Modules: layers, containers, parameters and initial values."""

from dtorch.nn.parameter import Buffer, Parameter  # noqa: F401, I001
from dtorch.nn.module import Module  # noqa: F401
from dtorch.nn.containers import Identity, ModuleDict, ModuleList, ParameterList, Sequential  # noqa: F401
from dtorch.nn.layers import (  # noqa: F401
    ELU,
    GELU,
    ColumnParallelLinear,
    ColumnParallelLinearWithReplicateInputOutput,
    ColumnParallelLinearWithReplicateOutput,
    Dropout,
    Embedding,
    EmbeddingWithReplicateOutput,
    Flatten,
    GroupNorm,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSoftmax,
    ReLU,
    ReplicateParallelLinear,
    RMSNorm,
    RowParallelLinear,
    RowParallelLinearWithReplicateOutput,
    Sigmoid,
    SiLU,
    Softmax,
    Tanh,
)

_SUBMODULES = ("functional", "init")
_MISSING = (
    "AdaptivePool AvgPool2d BatchNorm2d Conv1d Conv2d Conv3d CrossEntropyLoss GlobalAvgPool2d GlobalMaxPool2d MaxPool2d"
    " MSELoss MultiheadAttention ParameterDict Pooling2d Upsample"
).split()


def __getattr__(name):
    if name in _SUBMODULES:
        from importlib import import_module

        return import_module(f"dtorch.nn.{name}")
    if name in _MISSING:
        return _missing_class(name)
    raise AttributeError(f"module 'dtorch.nn' has no attribute '{name}'")


def _missing_class(name):
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"dtorch.nn.{name} is not implemented")

    made = type(name, (Module,), {"__init__": __init__, "__module__": "dtorch.nn", "__doc__": "Not implemented."})
    globals()[name] = made
    return made
