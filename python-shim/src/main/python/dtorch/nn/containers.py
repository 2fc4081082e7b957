"""Modules that hold others, and Identity: what they compute is in Python, their structure in Java."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from dtorch._tensor import Tensor
from dtorch.nn import _bridge
from dtorch.nn.module import Module
from dtorch.nn.parameter import Parameter


class Container(Module):
    """A module that is built empty and filled."""

    def __init__(self):
        self._build(_bridge.plain(self._java_class, None, None))
        # Classes that users derive may override what Java would do.
        if type(self).__module__ != __name__:
            _bridge.set_guest(self._j, self)

    def _calls_changed(self):
        _bridge.set_guest(self._j, self)


class Identity(Container):
    """Returns its input, whatever it is built with."""

    _java_class = "Identity"

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class _Numbered(Container):
    """Children called "0", "1", "2", ... unless they were named."""

    def _key(self, index):
        index = operator.index(index)
        size = len(self._modules)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return list(self._modules)[index]

    def _renumber(self):
        self._modules.replace([(str(i), module) for i, module in enumerate(self._modules.values())])

    def __setitem__(self, idx, module):
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx):
        keys = list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]
        for key in keys:
            del self._modules[key]
        self._renumber()

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index, module):
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = list(self._modules.values())
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        modules.insert(index, module)
        self._modules.replace([(str(i), each) for i, each in enumerate(modules)])
        return self

    def pop(self, key):
        module = self[key]
        del self[key]
        return module


class Sequential(_Numbered):
    """Calls its children one after the other, each with what the one before returned."""

    _java_class = "Sequential"

    def __init__(self, *args):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def _others(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return list(other)

    def __add__(self, other):
        return Sequential(*self, *self._others(other))

    def __iadd__(self, other):
        return self.extend(self._others(other))

    def _times(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return list(self) * other

    def __mul__(self, other):
        return Sequential(*self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other):
        return self.extend(self._times(other)[len(self) :])


class ModuleList(_Numbered):
    """A list of modules, which are registered; it cannot be called itself."""

    _java_class = "ModuleList"

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __repr__(self):
        texts = [repr(module) for module in self]
        if not texts:
            return self._get_name() + "()"
        lines = []
        first = 0
        while first < len(texts):
            last = first
            while last + 1 < len(texts) and texts[last + 1] == texts[first]:
                last += 1
            text = texts[first]
            head = f"({first}): {text}" if last == first else f"({first}-{last}): {last - first + 1} x {text}"
            lines.append(head.replace("\n", "\n  "))
            first = last + 1
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Container):
    """Modules by name, in the order in which they were added; it cannot be called itself."""

    _java_class = "ModuleDict"

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        module = self[key]
        del self[key]
        return module

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        pairs = modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules
        for number, pair in enumerate(pairs):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{number} should be Iterable; is {type(pair).__name__}"
                )
            pair = tuple(pair)
            if len(pair) != 2:
                raise ValueError(f"ModuleDict update sequence element #{number} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]


class ParameterList(Container):
    """A list of parameters, which are registered, and of anything else; it cannot be called."""

    _java_class = "ParameterList"

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _key(self, index):
        index = operator.index(index)
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range")
        return str(index % self._size)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)([self[i] for i in range(*idx.indices(self._size))])
        return getattr(self, self._key(idx))

    def __setitem__(self, idx, param):
        if isinstance(param, Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        setattr(self, self._key(idx), param)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(self._size)])

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def append(self, value):
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self):
        lines = []
        for number, value in enumerate(self):
            if isinstance(value, Tensor):
                kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
                size = "x".join(str(length) for length in value.shape)
                device = f" ({value.device})" if value.device.type == "cuda" else ""
                text = f"{kind} containing: [{value.dtype} of size {size}{device}]"
            else:
                text = f"Object of type: {type(value).__name__}"
            lines.append(f"  ({number}): {text}")
        return "\n".join(lines)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")
