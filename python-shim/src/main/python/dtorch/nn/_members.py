"""The registries of a module: dictionaries whose every change also reaches Java and the attributes."""

from collections.abc import MutableMapping

from dtorch.nn import _bridge


class Members(dict):
    """Name to member. The registry that counts is Java's; this one makes reading fast."""

    def __init__(self, owner):
        super().__init__()
        self._owner = owner

    def _register(self, name, value):
        raise NotImplementedError

    def __setitem__(self, name, value):
        self._register(name, value)
        super().__setitem__(name, value)
        self._owner.__dict__[name] = value

    def __delitem__(self, name):
        super().__delitem__(name)
        _bridge.unregister(self._owner._j, name)
        self._owner.__dict__.pop(name, None)

    pop = MutableMapping.pop
    popitem = MutableMapping.popitem
    clear = MutableMapping.clear
    update = MutableMapping.update
    setdefault = MutableMapping.setdefault

    def enter(self, name, value):
        """Notes a member that Java knows already."""
        super().__setitem__(name, value)
        self._owner.__dict__[name] = value

    def replace(self, items):
        """Takes over the items of another mapping, in its order."""
        items = list(items)
        self.clear()
        self.update(items)


class Parameters(Members):
    def _register(self, name, value):
        _bridge.register_parameter(self._owner._j, name, None if value is None else value._j)


class Buffers(Members):
    def __init__(self, owner):
        super().__init__(owner)
        self.non_persistent = set()

    def _register(self, name, value):
        tensor = None
        if value is not None:
            tensor = value._j
            _bridge.set_tensor_peer(tensor, value)
        _bridge.register_buffer(self._owner._j, name, tensor, name not in self.non_persistent)


class Modules(Members):
    def _register(self, name, value):
        _bridge.register_module(self._owner._j, name, None if value is None else value._j)
