"""Functions of neural networks, from the operator table; the others of dtorch with an underscore before their names."""

from importlib import import_module

from dtorch._functions import function as _function
from dtorch._functions import names as _names

_ATTENTION = ("SdpaOption", "scaled_dot_product_attention")
_OTHER_NAMES = {"_concat": "cat", "_get_item": "index"}


def __getattr__(name):
    value = _found(name)
    globals()[name] = value
    return value


def _found(name):
    if name in _ATTENTION:
        return getattr(import_module("dtorch._attention"), name)
    if not name.startswith("__"):
        found = _function("FUNCTIONAL", name)
        if found is None and name.startswith("_"):
            found = _function("FUNCTIONS", _OTHER_NAMES.get(name, name[1:]))
        if found is not None:
            return found
        missing = import_module("dtorch._missing")
        if name in missing.FUNCTIONAL:
            return missing.missing_function("dtorch.nn.functional." + name)
    raise AttributeError(f"module 'dtorch.nn.functional' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_ATTENTION, *_names("FUNCTIONAL")})
