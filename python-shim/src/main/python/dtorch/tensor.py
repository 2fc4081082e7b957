"""The module of the class Tensor; called, it is the function dtorch.tensor, whose name it shares."""

import sys
from types import ModuleType

from dtorch._tensor import (  # noqa: F401
    Tensor,
    TensorFuture,
    get_data_type_tensor,
    tensors_redistribute_by_dict,
    wrap,
)
from dtorch.creation import tensor


class _CallableModule(ModuleType):
    def __call__(self, data, **options):
        return tensor(data, **options)


sys.modules[__name__].__class__ = _CallableModule
