"""Functions whose name several rows share: the first whose parameters fit the arguments is called."""

from dtorch._call import MISSING
from dtorch._types import dtype
from dtorch._tensor import Tensor


def _is_number(value):
    return isinstance(value, (int, float))


def _is_ints(value):
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, int) for item in value)
    return isinstance(value, int) and not isinstance(value, bool)


_FITS = {
    "Tensor": lambda value: isinstance(value, Tensor),
    "Operand": lambda value: isinstance(value, Tensor) or _is_number(value),
    "Scalar": _is_number,
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "int[]": _is_ints,
    "float": _is_number,
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "DType": lambda value: isinstance(value, dtype),
    "any": lambda value: True,
}


def _fits(kind, value):
    if kind.endswith("?"):
        return value is None or _fits(kind[:-1], value)
    check = _FITS.get(kind)
    return check is None or check(value)


def overloaded(name, entries):
    candidates = []
    for form, numbers, doc, parameters in entries:
        made = form(*numbers)
        made.__doc__ = doc
        candidates.append((made, parameters))

    def function(*args, **kwargs):
        for made, parameters in candidates:
            if len(args) <= len(parameters) and _bind(parameters, args, kwargs):
                return made(*args, **kwargs)
        got = ", ".join([_name(value) for value in args] + [f"{key}={_name(value)}" for key, value in kwargs.items()])
        forms = "".join(f"\n * ({', '.join(_text(p) for p in parameters)})" for _, parameters in candidates)
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:{forms}"
        )

    function.__doc__ = "\n".join(made.__doc__ for made, _ in candidates)
    return function


def _bind(parameters, args, kwargs):
    seen = 0
    for position, (names, kind, required) in enumerate(parameters):
        value = args[position] if position < len(args) else MISSING
        for other in names:
            if other in kwargs:
                if value is not MISSING:
                    return False
                value = kwargs[other]
                seen += 1
        if value is MISSING:
            if required:
                return False
        elif not _fits(kind, value):
            return False
    return seen == len(kwargs)


def _name(value):
    return "NoneType" if value is None else type(value).__name__


def _text(parameter):
    names, kind, required = parameter
    return f"{kind} {names[0]}" + ("" if required else "=...")
