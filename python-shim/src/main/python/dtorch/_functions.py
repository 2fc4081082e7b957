"""Makes the functions and methods that _generated describes, when they are first asked for."""

from dtorch import _generated
from dtorch._call import _ops

if _generated.NAMES != _ops.names():
    raise ImportError("dtorch/_generated.py was written for another operator table; build the project again")


def make(entry, name, owner):
    """The function of a table's entry."""
    if type(entry) is list:
        from dtorch._overloads import overloaded

        function = overloaded(name, entry)
    else:
        form, numbers, doc = entry
        function = form(*numbers)
        function.__doc__ = doc
    function.__name__ = name
    function.__qualname__ = f"{owner}.{name}" if owner else name
    function.__module__ = "dtorch"
    return function


def install_methods(cls):
    from dtorch._missing import METHODS as missing
    from dtorch._missing import missing_function

    for name in missing:
        if name not in cls.__dict__:
            setattr(cls, name, missing_function("Tensor." + name))
    for name, entry in _generated.METHODS.items():
        if name not in _OWN_METHODS:
            setattr(cls, name, make(entry, name, "Tensor"))


# Written by hand in dtorch._tensor.
_OWN_METHODS = {"copy_", "to"}


def function(table, name):
    """The function called name of FUNCTIONS, FUNCTIONAL or another table; None where there is none."""
    entry = getattr(_generated, table).get(name)
    return None if entry is None else make(entry, name, "")


def names(table):
    return list(getattr(_generated, table))
