"""Python objects for tensors and modules that Java made."""

from dtorch import nn
from dtorch.nn import _bridge


def tensor(kind, java_tensor):
    if kind == "parameter":
        return _bridge.adopt(nn.Parameter, java_tensor)
    return _bridge.adopt(nn.Buffer, java_tensor)


def module(name, java_module):
    cls = getattr(nn, name, None)
    if cls is None or not issubclass(cls, nn.Module):
        cls = _foreign(name)
    made = cls.__new__(cls)
    made._build(java_module)
    made._describe()
    return made


def _foreign(name):
    """A class for a module that was written in Java by a user."""
    return type(name, (JavaModule,), {"__module__": "java"})


class JavaModule(nn.Module):
    """A module whose class is written in Java."""

    def forward(self, *args, **kwargs):
        return _bridge.call_any(self._j, args, kwargs)

    def _run(self, args, kwargs):
        return self.forward(*args, **kwargs)

    def extra_repr(self):
        return _bridge.extra_repr(self._j)
