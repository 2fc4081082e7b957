"""Functions of linear algebra, from the operator table."""

from dtorch import _functions


def __getattr__(name):
    found = None if name.startswith("__") else _functions.function("LINALG", name)
    if found is None:
        raise AttributeError(f"module 'dtorch.linalg' has no attribute '{name}'")
    globals()[name] = found
    return found
