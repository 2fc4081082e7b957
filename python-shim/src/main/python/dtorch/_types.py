"""dtype, device, Size, finfo, iinfo and the enumerations, as PyTorch shows them."""

import builtins

from _dtorch import bridge


class dtype:
    """The type of a tensor's elements."""

    __slots__ = ("_j", "_name", "itemsize", "is_floating_point", "is_signed", "__weakref__")
    is_complex = False

    def __new__(cls, *args):
        raise TypeError("cannot create 'torch.dtype' instances")

    def __repr__(self):
        return "torch." + self._name

    def __reduce__(self):
        return _dtype_named, (self._name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _dtype_named(name):
    return DTYPES[name]


def _dtype(name, itemsize, floating, signed=True):
    made = object.__new__(dtype)
    made._name, made.itemsize, made.is_floating_point, made.is_signed = name, itemsize, floating, signed
    made._j = bridge.attachDtype(name, made)
    return made


DTYPES = {
    name: _dtype(name, *rest)
    for name, *rest in (
        ("float32", 4, True),
        ("float64", 8, True),
        ("float16", 2, True),
        ("bfloat16", 2, True),
        ("int64", 8, False),
        ("int32", 4, False),
        ("int16", 2, False),
        ("int8", 1, False),
        ("uint8", 1, False, False),
        ("bool", 1, False, False),
    )
}


def dtype_of_class(value):
    """The Java dtype that torch takes Python's float, int and bool for."""
    name = {builtins.float: "float64", builtins.int: "int64", builtins.bool: "bool"}.get(value)
    if name is None:
        raise TypeError(f"dtype must be a torch.dtype, not {type(value).__name__}")
    return DTYPES[name]._j


class device:
    """A kind of device and perhaps its index: device("cuda:1"), device("cpu"), device("cuda", 1)."""

    __slots__ = ("type", "index")

    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        elif isinstance(type, int):
            type, index = "cuda", type
        elif not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        elif ":" in type:
            if index is not None:
                raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
            name, _, number = type.partition(":")
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            type, index = name, int(number)
        kind = "cuda" if type == "gpu" else type
        if kind not in ("cpu", "cuda"):
            raise RuntimeError(f"Expected one of cpu, cuda device type at start of device string: {type}")
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", index)

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __reduce__(self):
        return device, (self.type, self.index)


class Size(tuple):
    """The sizes of a tensor's dimensions."""

    __slots__ = ()

    def numel(self):
        count = 1
        for size in self:
            count *= size
        return count

    def __getitem__(self, index):
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times):
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __repr__(self):
        return f"torch.Size({list(self)})"

    def __reduce__(self):
        return Size, (tuple(self),)


def _size(*sizes):
    return tuple.__new__(Size, sizes)


bridge.attach("size", _size)


class finfo:
    """Limits of a floating-point dtype."""

    _ROWS = {
        "float64": (64, 2.0**-52, 1.7976931348623157e308, 2.0**-1022, 2.0**-1074, 1e-15),
        "float32": (32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126, 2.0**-149, 1e-6),
        "float16": (16, 2.0**-10, 65504.0, 2.0**-14, 2.0**-24, 1e-3),
        "bfloat16": (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 2.0**-133, 1e-2),
    }

    def __init__(self, type=None):
        type = DTYPES["float32"] if type is None else type
        row = self._ROWS.get(getattr(type, "_name", None))
        if row is None:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'")
        self.bits, self.eps, self.max, self.tiny, self.smallest_subnormal, self.resolution = row
        self.min, self.smallest_normal, self.dtype = -self.max, self.tiny, type._name

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer dtype."""

    def __init__(self, type):
        if not isinstance(type, dtype) or type.is_floating_point or type._name == "bool":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.bits, self.dtype = 8 * type.itemsize, type._name
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.max = 2 ** (self.bits - (1 if type.is_signed else 0)) - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


class _Member:
    """A member of an enumeration that prints as dtorch.PaddingType(same)."""

    __slots__ = ("_kind", "name", "value")

    def __init__(self, kind, name, value):
        self._kind, self.name, self.value = kind, name, value

    def __eq__(self, other):
        if isinstance(other, int):
            return self.value == other
        return isinstance(other, _Member) and (self._kind, self.value) == (other._kind, other.value)

    def __hash__(self):
        return hash((self._kind, self.value))

    def __repr__(self):
        return f"dtorch.{self._kind}({self.name})"


def _enumeration(kind, doc, *names):
    members = {name: _Member(kind, name, value) for value, name in enumerate(names)}
    return type(kind, (), {"__doc__": doc, "__slots__": (), **members})


OperatorFormat = _enumeration("OperatorFormat", "The order of an image's dimensions.", "nchw", "nhwc")
PaddingType = _enumeration("PaddingType", "How a convolution is padded.", "not_set", "same", "valid")
PoolingKind = _enumeration("PoolingKind", "What a pooling computes.", "avg", "max")
