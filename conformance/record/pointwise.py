"""Pointwise operators: unary, binary, comparison, activations."""

from cases import DTYPES, FLOATS, INF, NAN, SPECIAL, VIEWS, Family, L, T

UNARY = (
    "neg reciprocal exp log log2 log10 square rsqrt sqrt abs round floor ceil trunc sign sin cos tan asin acos atan"
    " tanh sinh cosh isinf isnan isfinite relu sigmoid erf expm1 log1p logical_not"
).split()
ACTIVATIONS = [
    ("relu", (), {}),
    ("sigmoid", (), {}),
    ("tanh", (), {}),
    ("silu", (), {}),
    ("gelu", (), {}),
    ("gelu", (), {"approximate": "tanh"}),
    ("leaky_relu", (), {}),
    ("leaky_relu", (0.25,), {}),
    ("elu", (), {}),
    ("elu", (0.5,), {}),
    ("softplus", (), {}),
    ("relu6", (), {}),
    ("hardtanh", (), {}),
]


def unary() -> Family:
    f = Family("unary")
    for name in UNARY:
        for dtype in DTYPES:
            f.fn(name, T(2, 3, d=dtype, z=7))
        f.fn(name, T(17, z=8, a=[0.0625, 0.0625, 101]))
        f.fn(name, T(3, 11, d="float64", z=9, a=[0.0625, 0.0625, 101]))
        for view in VIEWS:
            f.fn(name, view)
        f.fn(name, T(z=10))
        f.fn(name, T(0))
        f.fn(name, T(3, 0, 2))
        f.fn(name, L(SPECIAL))
        f.fn(name, L(SPECIAL, "float64"))
        f.fn(name, L([0.5, 1.5, 2.5, -0.5, -1.5, 0.25], "bfloat16"))
        f.m(name, T(2, 3, z=11))
        f.m(name, T(5, d="int64", z=12))
    f.fn("round", L([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3.5]))
    f.op("neg", T(2, 3))
    f.op("neg", T(2, d="bool"))
    f.op("abs", T(2, 3, d="int32"))
    f.op("invert", T(4, d="bool"))
    f.op("invert", T(4, d="int64"))
    f.op("invert", T(4))
    for name, args, kwargs in ACTIVATIONS:
        for dtype in FLOATS + ("int64", "bool"):
            f.nn(name, T(2, 5, d=dtype, z=13), *args, **kwargs)
        f.nn(name, T(z=14), *args, **kwargs)
        f.nn(name, T(0, 2), *args, **kwargs)
        f.nn(name, VIEWS[0], *args, **kwargs)
        f.nn(name, L(SPECIAL), *args, **kwargs)
        f.nn(name, L([-100.0, -20.0, -5.0, 5.0, 20.0, 100.0], "float64"), *args, **kwargs)
    f.nn("gelu", T(3), approximate="sigmoid")
    for name in ("clamp", "clip"):
        for args in [(-1.0, 1.0), (None, 0.5), (0.0, None), (1.0, -1.0)]:
            f.fn(name, T(3, 4, z=15), *args)
            f.fn(name, T(3, 4, d="float16", z=16), *args)
        f.fn(name, T(3, 4, d="int64", z=17), -2, 2)
        f.fn(name, T(3, 4, d="int64", z=17), -1.5, 1.5)
        f.fn(name, L(SPECIAL), -1.0, 1.0)
        f.fn(name, T(3, 4, z=18), min=0.5)
        f.fn(name, T(3, 4, z=18), max=0.5)
        f.fn(name, T(3, 4, z=18), T(4, z=19), T(4, z=20))
        f.m(name, T(3, 4, z=18), -0.5, 0.5)
    f.fn("clamp", T(3))
    return f


BINARY = (
    "add sub mul div pow eq ne gt lt ge le greater less greater_equal less_equal logical_and logical_or logical_xor"
    " minimum maximum remainder floor_divide fmod bitwise_and bitwise_or bitwise_xor"
).split()
WITH_NUMBER = (
    "add sub mul div pow eq ne gt lt ge le greater less greater_equal less_equal remainder floor_divide".split()
)
METHODS = (
    "add sub mul div pow eq ne greater less greater_equal less_equal gt lt ge le logical_and logical_or minimum maximum"
).split()
OPERATORS = "add sub mul truediv pow eq ne gt lt ge le floordiv mod and_ or_ xor".split()
SHAPES = [
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((), (3,)),
    ((3,), ()),
    ((), ()),
    ((0,), (1,)),
    ((2, 0), (2, 1)),
    ((4, 1, 3), (2, 1)),
    ((2, 3), (2,)),
    ((2,), (3,)),
]


def binary() -> Family:
    f = Family("binary")
    for name in BINARY:
        for left, right in SHAPES:
            positive = [0.25, 0.25, 12] if name == "pow" else [-3.0, 0.0625, 97]
            f.fn(name, T(*left, z=1, a=positive), T(*right, z=2))
            f.fn(name, T(*left, d="int64", z=1), T(*right, d="int64", z=2, a=[1, 1, 4]))
        for dtype in DTYPES:
            f.fn(name, T(6, d=dtype, z=3), T(6, d=dtype, z=4))
        for view in VIEWS[:3]:
            f.fn(name, view, T(1, z=5))
            f.fn(name, T(1, z=5), view)
        f.fn(name, L(SPECIAL), L(list(reversed(SPECIAL))))
        f.fn(name, T(2, 1, 3, z=6), T(4, 1, z=7, a=[0.5, 0.25, 9], v=[["expand", 4, 3]]))
        if name in METHODS:
            f.m(name, T(2, 3, z=8, a=[0.5, 0.25, 9]), T(3, z=9))
            f.m(name, T(3, d="bool", z=8), T(3, d="bool", z=9))
    return f


def promotion() -> Family:
    f = Family("promotion")
    for left in DTYPES:
        for right in DTYPES:
            f.fn("add", T(3, d=left, z=1), T(3, d=right, z=2))
            if left != right:
                f.fn("mul", T(3, d=left, z=1), T(d=right, z=2))
                f.fn("maximum", T(2, d=left, z=1), T(2, d=right, z=2))
    for name in ("sub", "div", "eq", "lt", "pow", "minimum", "floor_divide", "remainder"):
        for left, right in [
            ("int64", "float32"),
            ("uint8", "int8"),
            ("float16", "bfloat16"),
            ("bool", "int16"),
            ("int32", "float16"),
            ("float64", "float32"),
            ("bool", "uint8"),
        ]:
            f.fn(name, T(4, d=left, z=3, a=[1, 1, 5]), T(4, d=right, z=4, a=[1, 1, 5]))
            f.fn(name, T(4, d=left, z=3, a=[1, 1, 5]), T(d=right, z=4, a=[1, 1, 5]))
            f.fn(name, T(d=left, z=3, a=[1, 1, 5]), T(4, d=right, z=4, a=[1, 1, 5]))
    for name in WITH_NUMBER:
        for dtype in DTYPES:
            for number in (2, 2.5, True, -1, 0):
                f.fn(name, T(4, d=dtype, z=5), number)
        f.fn(name, T(d="int64", z=5), 2.5)
        f.fn(name, T(3, z=6), NAN)
        f.fn(name, T(3, z=6), INF)
        f.fn(name, T(0), 2)
    for name in OPERATORS:
        for dtype in ("float32", "int64", "bool", "bfloat16", "uint8"):
            f.op(name, T(3, d=dtype, z=7), T(3, d=dtype, z=8))
            f.op(name, T(3, d=dtype, z=7), 2)
            f.op(name, 2, T(3, d=dtype, z=9, a=[1, 1, 4]))
        f.op(name, T(3, d="int64", z=7), 1.5)
        f.op(name, 1.5, T(3, d="int64", z=9, a=[1, 1, 4]))
    for name in ("add", "sub"):
        f.fn(name, T(3, z=1), T(3, z=2), alpha=2)
        f.fn(name, T(3, z=1), T(3, z=2), alpha=0.5)
        f.fn(name, T(3, d="int64", z=1), T(3, d="int64", z=2), alpha=3)
        f.fn(name, T(3, d="int64", z=1), T(3, d="int64", z=2), alpha=0.5)
        f.fn(name, T(3, z=1), 1.0, alpha=2)
    f.fn("pow", 2, T(4, d="int64", z=3, a=[0, 1, 5]))
    f.fn("pow", 2.0, T(4, z=3))
    f.fn("pow", T(4, d="int64"), -1)
    for kind in ("floor", "trunc"):
        f.fn("div", L([7, -7, 5, -5], "int64"), 2, rounding_mode=kind)
        f.fn("div", L([7.0, -7.0, 5.5, -5.5]), 2.0, rounding_mode=kind)
    f.fn("floor_divide", L([7, -7, 5, -5], "int64"), L([2, 2, -3, -3], "int64"))
    f.fn("remainder", L([7, -7, 5, -5], "int64"), L([2, 2, -3, -3], "int64"))
    f.fn("floor_divide", T(2, d="int64"), L([0, 1], "int64"))
    f.fn("div", L([1, -1, 0], "int64"), 0)
    f.fn("add", L([100, 127, -128], "int8"), L([100, 1, -1], "int8"))
    f.fn("mul", L([200, 255, 3], "uint8"), L([2, 2, 2], "uint8"))
    f.fn("add", L([9223372036854775807], "int64"), 1)
    f.fn("sub", T(3, d="bool"), T(3, d="bool"))
    f.op("neg", T(3, d="bool"))
    for left, right, expected_op in [
        (T(2, 3), T(2, 3), "equal"),
        (T(2, 3), T(2, 3, z=1), "equal"),
        (T(2, 3), T(3, 2), "equal"),
        (T(2, 3), T(2, 3, v=[["clone"]]), "equal"),
        (T(0), T(0), "equal"),
        (L(["nan"]), L(["nan"]), "equal"),
        (T(2, d="int64"), T(2, d="int64"), "equal"),
    ]:
        f.fn(expected_op, left, right)
        f.m(expected_op, left, right)
    return f


FAMILIES = [unary, binary, promotion]
