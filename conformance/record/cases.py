"""Short words for writing cases: T makes a tensor description, Family collects cases."""

from recipes import DTYPES, FLOATS, INTEGERS, SIGNED  # noqa: F401  (re-exported for the families)

NAN, INF, NINF = {"float": "nan"}, {"float": "inf"}, {"float": "-inf"}
ELLIPSIS = {"ellipsis": 1}


def T(*shape, d="float32", **more):
    """A tensor description; more: z seed, k kind, a [lo, step, n], l list, v views."""
    return {"t": list(shape), "d": d, **more}


def L(values, d="float32", shape=None, **more):
    """A tensor of listed values."""
    return {"t": [len(values)] if shape is None else list(shape), "d": d, "l": list(values), **more}


def S(*bounds):
    """A slice."""
    return {"slice": list(bounds)}


def tup(*items):
    return {"tuple": list(items)}


def dt(name):
    return {"dtype": name}


# The strided inputs that every pointwise operator meets: transposed, stepped, expanded, offset, 0-d taken from a row.
VIEWS = [
    T(4, 3, z=1, v=[["transpose", 0, 1]]),
    T(8, z=2, v=[["index", S(None, None, 2)]]),
    T(1, 3, z=3, v=[["expand", 4, 3]]),
    T(6, z=4, v=[["index", S(2, None)]]),
    T(2, 3, 4, z=5, v=[["permute", 2, 0, 1]]),
    T(3, 4, z=6, v=[["index", tup(S(None), 1)]]),
]
SPECIAL = ["nan", "inf", "-inf", 0.0, "-0.0", 1.0, -1.0, 0.5, -2.5, 1.5, 3e38, -3e38, 1e-38]


class Family:
    """Cases of one file."""

    def __init__(self, name: str):
        self.name = name
        self.cases = []

    def add(self, via: str, op: str, *args, **kwargs):
        case = {"op": op, "via": via, "args": list(args)}
        if kwargs:
            case["kw"] = kwargs
        self.cases.append(case)

    def fn(self, op, *args, **kwargs):
        self.add("fn", op, *args, **kwargs)

    def nn(self, op, *args, **kwargs):
        self.add("nn", op, *args, **kwargs)

    def m(self, op, *args, **kwargs):
        self.add("m", op, *args, **kwargs)

    def op(self, op, *args):
        self.add("op", op, *args)

    def both(self, op, *args, **kwargs):
        """The same call as a function and as a method."""
        self.fn(op, *args, **kwargs)
        self.m(op, *args, **kwargs)
