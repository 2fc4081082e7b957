"""Forward hooks: who is called before and after a module, in PyTorch's order."""

import itertools
from collections import OrderedDict

_numbers = itertools.count()


class RemovableHandle:
    """Takes a hook away again; a second time does nothing."""

    def __init__(self, hooks, owner=None):
        self.id = next(_numbers)
        self._hooks = hooks
        self._owner = owner

    def remove(self):
        if self._hooks is not None:
            self._hooks.pop(self.id, None)
            self._hooks = None
            if self._owner is not None:
                self._owner._hooks_changed()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


class Hook:
    """A registered function and how it wants to be called."""

    __slots__ = ("always_call", "function", "with_kwargs")

    def __init__(self, function, with_kwargs, always_call=False):
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call


def add(module, registry, hook, prepend):
    """Enters a hook into one of the module's dictionaries, in front if asked to."""
    hooks = module.__dict__.setdefault(registry, OrderedDict())
    handle = RemovableHandle(hooks, module)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    module._hooks_changed()
    return handle


def call(module, args, kwargs):
    """The call of a module that has hooks."""
    done = set()
    try:
        for hook in list(module.__dict__.get("_forward_pre_hooks", {}).values()):
            args, kwargs = _before(module, hook, args, kwargs)
        result = module._run(args, kwargs)
        for number, hook in list(module.__dict__.get("_forward_hooks", {}).items()):
            done.add(number)
            result = _after(module, hook, args, kwargs, result)
        return result
    except Exception:
        for number, hook in list(module.__dict__.get("_forward_hooks", {}).items()):
            if hook.always_call and number not in done:
                _after(module, hook, args, kwargs, None)
        raise


def _before(module, hook, args, kwargs):
    if hook.with_kwargs:
        changed = hook.function(module, args, kwargs)
        if changed is None:
            return args, kwargs
        if isinstance(changed, tuple) and len(changed) == 2:
            return changed
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    changed = hook.function(module, args)
    if changed is None:
        return args, kwargs
    return (changed if isinstance(changed, tuple) else (changed,)), kwargs


def _after(module, hook, args, kwargs, result):
    if hook.with_kwargs:
        changed = hook.function(module, args, kwargs, result)
    else:
        changed = hook.function(module, args, result)
    return result if changed is None else changed
