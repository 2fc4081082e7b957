"""State dicts and copies of modules."""

import copy
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from dtorch.nn import _bridge
from dtorch.nn._hooks import RemovableHandle

_EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    """What did not match when a state dict was loaded."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateDictMethods:
    """Saving and loading; one module's own part is Java's, the walk over children may be overridden on the way."""

    def get_extra_state(self):
        raise RuntimeError("get_extra_state was called on a module that does not define it")

    def set_extra_state(self, state):
        raise RuntimeError("set_extra_state was called on a module that does not define it")

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Parameters and persistent buffers by path. They share storage with the module; a partial one is summed."""
        if args:
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self.__dict__.get("_state_dict_pre_hooks", {}).values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self.__dict__.get("_state_dict_hooks", {}).values():
            changed = hook(self, destination, prefix, local_metadata)
            destination = destination if changed is None else changed
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, tensor in _bridge.own_state(self._j, keep_vars):
            destination[prefix + name] = tensor
        if type(self).get_extra_state is not StateDictMethods.get_extra_state:
            destination[prefix + _EXTRA_STATE] = self.get_extra_state()

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies values into parameters and persistent buffers; a sharded one takes only its parts.

        Values are tensors of any layout, tensors of a checkpoint file, or torch tensors.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        copied = OrderedDict(state_dict)
        copied._metadata = metadata

        def load(module, part, prefix=""):
            local_metadata = dict((metadata or {}).get(prefix[:-1], {}))
            if assign:
                local_metadata["assign_to_params_buffers"] = assign
            module._load_from_state_dict(part, prefix, local_metadata, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    path = f"{prefix}{name}."
                    load(child, {key: value for key, value in part.items() if key.startswith(path)}, path)
            result = _IncompatibleKeys(missing, unexpected)
            for hook in module.__dict__.get("_load_state_dict_post_hooks", {}).values():
                hook(module, result)

        load(self, copied)
        if strict and unexpected:
            errors.insert(0, "Unexpected key(s) in state_dict: " + ", ".join(f'"{key}"' for key in unexpected) + ". ")
        if strict and missing:
            errors.insert(0, "Missing key(s) in state_dict: " + ", ".join(f'"{key}"' for key in missing) + ". ")
        if errors:
            name = type(self).__name__
            raise RuntimeError("Error(s) in loading state_dict for {}:\n\t{}".format(name, "\n\t".join(errors)))
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        for hook in self.__dict__.get("_load_state_dict_pre_hooks", {}).values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        extra = prefix + _EXTRA_STATE
        has_extra = type(self).set_extra_state is not StateDictMethods.set_extra_state
        if has_extra and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        assign = bool(local_metadata.get("assign_to_params_buffers", False))
        values = {key: value for key, value in state_dict.items() if not (has_extra and key == extra)}
        missing, unexpected, errors = _bridge.load_own(self._j, prefix, values, assign)
        error_msgs.extend(errors)
        if strict:
            missing_keys.extend(missing)
            if has_extra and extra not in state_dict:
                missing_keys.append(extra)
            unexpected_keys.extend(unexpected)

    def _add_state_hook(self, registry, hook):
        hooks = self.__dict__.setdefault(registry, OrderedDict())
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle

    def register_state_dict_pre_hook(self, hook):
        """Calls hook(module, prefix, keep_vars) before the module is saved."""
        return self._add_state_hook("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook):
        """Calls hook(module, state_dict, prefix, local_metadata) after the module was saved."""
        return self._add_state_hook("_state_dict_hooks", hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook):
        """Calls hook(module, state_dict, prefix, ...) before the module's own values are loaded."""
        return self._add_state_hook("_load_state_dict_pre_hooks", lambda *args: hook(self, *args))

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return self._add_state_hook(
            "_load_state_dict_pre_hooks", (lambda *args: hook(self, *args)) if with_module else hook
        )

    def register_load_state_dict_post_hook(self, hook):
        """Calls hook(module, incompatible_keys) after the module and those below it were loaded."""
        return self._add_state_hook("_load_state_dict_post_hooks", hook)


def deepcopy(module, memo):
    """A module with copies of everything: members, attributes, and what its Java object is set to."""
    twin = type(module).__new__(type(module))
    memo[id(module)] = twin
    members = {"_j", "_parameters", "_buffers", "_modules"}
    names = members | set(module._parameters) | set(module._buffers) | set(module._modules)
    twin._build(_bridge.bare_copy(module._j))
    twin._buffers.non_persistent.update(module._buffers.non_persistent)
    for registry in ("_parameters", "_buffers", "_modules"):
        for name, value in getattr(module, registry).items():
            getattr(twin, registry)[name] = copy.deepcopy(value, memo)
    for name, value in module.__dict__.items():
        if name not in names:
            twin.__dict__[name] = copy.deepcopy(value, memo)
    if _bridge.has_guest(module._j):
        _bridge.set_guest(twin._j, twin)
    return twin
