"""Parameter and Buffer: tensors that modules own."""

from dtorch._tensor import Tensor
from dtorch.nn import _bridge


class Parameter(Tensor):
    """A tensor that is a module parameter: assigning it to a module registers it.

    It shares the storage of data. A partial placement is legal: the devices' parts sum to the value.
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _bridge.empty_tensor()
        elif not isinstance(data, Tensor):
            raise TypeError(f"Parameter expects a Tensor, got {type(data).__name__}")
        return _bridge.adopt(cls, _bridge.parameter(data._j, bool(requires_grad)))

    def __init__(self, data=None, requires_grad=True):
        pass

    @property
    def requires_grad(self):
        return _bridge.requires_grad(self._j)

    @requires_grad.setter
    def requires_grad(self, value):
        _bridge.set_requires_grad(self._j, bool(value))

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor that belongs to a module's state without being trained; a persistent one is in the state dict."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _bridge.empty_tensor()
        elif not isinstance(data, Tensor):
            raise TypeError(f"Buffer expects a Tensor, got {type(data).__name__}")
        return _bridge.adopt(cls, _bridge.buffer(data._j, bool(persistent)))

    def __init__(self, data=None, *, persistent=True):
        pass

    @property
    def persistent(self):
        return _bridge.is_persistent(self._j)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.clone(), persistent=self.persistent)
        return memo[id(self)]
