"""What a golden case says, and how to make its inputs: pure Python, shared by recorder and replay.

A tensor is described, not stored:

    {"t": [2, 3], "d": "float32", "z": 7}                        hashed dyadic values, exact in every dtype
    {"t": [5], "d": "float32", "k": "distinct", "z": 1}          the same without two equal values
    {"t": [3], "d": "float32", "l": [1.5, "nan", "-inf"]}     a list
    {..., "v": [["transpose", 0, 1]]}                            then view methods

The default values are lo + k * step for a hashed k, with lo, step, n in "a". Steps are powers of two and k is small,
so that no side rounds when it builds the input. Other arguments are JSON; what JSON lacks is written as an object with
one key (`dtype`, `slice`, `ellipsis`, `float`, `tuple`).
"""

import math
import operator

FLOATS = ("float32", "float64", "float16", "bfloat16")
SIGNED = ("int64", "int32", "int16", "int8")
INTEGERS = SIGNED + ("uint8",)
DTYPES = FLOATS + INTEGERS + ("bool",)

DEFAULT_VALUES = {
    **{name: (-3.0, 0.0625, 97) for name in FLOATS},
    **{name: (-4, 1, 9) for name in SIGNED},
    "uint8": (0, 1, 9),
    "bool": (0, 1, 2),
}
MASK = 0xFFFFFFFF
WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "-0.0": -0.0}


def hashed(index: int, seed: int) -> int:
    """A 32-bit mix of index and seed."""
    x = (index * 0x9E3779B1 + seed * 0x85EBCA77 + 0x27D4EB2F) & MASK
    x ^= x >> 15
    x = (x * 0x2C1B3C6D) & MASK
    x ^= x >> 12
    x = (x * 0x297A2D39) & MASK
    return x ^ (x >> 15)


def numel(shape) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def flat_values(spec: dict) -> list:
    """The values of a tensor description in row-major order."""
    if "l" in spec:
        return [WORDS.get(value, value) if isinstance(value, str) else value for value in spec["l"]]
    dtype = spec["d"]
    lo, step, n = spec.get("a", DEFAULT_VALUES[dtype])
    seed = spec.get("z", 0)
    count = numel(spec["t"])
    if spec.get("k") == "distinct":
        if count > 101:
            raise ValueError("a distinct recipe holds at most 101 values")
        ks = [((index + seed) * 37) % 101 for index in range(count)]
        lo = 0 if dtype == "uint8" else -50 * step
    elif spec.get("k") == "arange":
        ks = list(range(count))
    else:
        ks = [hashed(index, seed) % n for index in range(count)]
    if dtype == "bool":
        return [k != 0 for k in ks]
    return [lo + k * step for k in ks]


def nested(values: list, shape):
    """A flat list as nested lists of the given shape; a number for shape ()."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return list(values)
    block = numel(shape[1:])
    return [nested(values[i * block : (i + 1) * block], shape[1:]) for i in range(shape[0])]


def is_tensor(arg) -> bool:
    return isinstance(arg, dict) and "t" in arg


def build(library, spec: dict, **options):
    """Makes the described tensor with a library that has `tensor`, `zeros` and PyTorch's view methods."""
    dtype = getattr(library, spec["d"])
    shape = spec["t"]
    if numel(shape) == 0:
        tensor = library.zeros(tuple(shape), dtype=dtype, **options)
    else:
        tensor = library.tensor(nested(flat_values(spec), shape), dtype=dtype, **options)
    base = tensor
    for name, *args in spec.get("v", ()):
        if name == "index":
            tensor = tensor[plain(library, args[0])]
        else:
            tensor = getattr(tensor, name)(*args)
    return base, tensor


def plain(library, arg):
    """The Python value of an argument that holds no tensor."""
    if isinstance(arg, list):
        return [plain(library, item) for item in arg]
    if not isinstance(arg, dict):
        return arg
    ((kind, value),) = arg.items()
    if kind == "dtype":
        return getattr(library, value)
    if kind == "slice":
        return slice(*value)
    if kind == "ellipsis":
        return Ellipsis
    if kind == "float":
        return WORDS[value]
    if kind == "tuple":
        return tuple(plain(library, item) for item in value)
    raise ValueError(f"unknown argument {arg!r}")


def materialise(library, arg, make):
    """The Python value of an argument; `make` turns tensor descriptions into tensors."""
    if is_tensor(arg):
        return make(arg)
    if isinstance(arg, list):
        return [materialise(library, item, make) for item in arg]
    if isinstance(arg, dict) and "tuple" in arg:
        return tuple(materialise(library, item, make) for item in arg["tuple"])
    return plain(library, arg)


def tensors_of(arg) -> list:
    """All tensor descriptions inside an argument, in order."""
    if is_tensor(arg):
        return [arg]
    if isinstance(arg, list):
        return [spec for item in arg for spec in tensors_of(item)]
    if isinstance(arg, dict) and "tuple" in arg:
        return tensors_of(arg["tuple"])
    return []


def invoke(library, via: str, name: str, args: list, kwargs: dict):
    """Calls the operator the way the case says: function, nn.functional, method, attribute or Python operator."""
    if via == "fn":
        return getattr(library, name)(*args, **kwargs)
    if via == "nn":
        return getattr(library.nn.functional, name)(*args, **kwargs)
    if via == "m":
        return getattr(args[0], name)(*args[1:], **kwargs)
    if via == "get":
        return getattr(args[0], name)
    if via == "op":
        return getattr(operator, name)(*args)
    raise ValueError(f"unknown via {via!r}")
