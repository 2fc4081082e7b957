"""Creation, conversion, properties, in-place operators."""

from cases import DTYPES, INF, NAN, VIEWS, Family, L, S, T, dt, tup


def creation() -> Family:
    f = Family("creation")
    for name in ("zeros", "ones"):
        for shape in [(2, 3), (0,), (), (3,), (2, 0, 1)]:
            f.fn(name, *shape)
            f.fn(name, list(shape))
            f.fn(name, tup(*shape))
        for dtype in DTYPES:
            f.fn(name, 2, 2, dtype=dt(dtype))
        f.fn(name, -1)
    for value in (1.5, NAN, INF, 0.0):
        f.fn("full", [2, 3], value)
        f.fn("full", tup(2), value)
    for dtype in DTYPES:
        f.fn("full", [3], 2, dtype=dt(dtype))
        f.fn("full", [3], 2.75, dtype=dt(dtype))
        f.fn("arange", 5, dtype=dt(dtype))
        f.fn("zeros_like", T(2, 3, d=dtype))
        f.fn("ones_like", T(2, 3, d=dtype))
        f.fn("full_like", T(2, 3, d=dtype), 2)
        f.fn("zeros_like", T(2, 3), dtype=dt(dtype))
        f.fn("full_like", T(2, 3), 1.25, dtype=dt(dtype))
        f.fn("eye", 3, dtype=dt(dtype))
    for args in [
        (5,),
        (2, 7),
        (2, 10, 3),
        (0, 10, 4),
        (10, 0, -3),
        (5.0,),
        (0.0, 1.0, 0.25),
        (1, 2, 0.25),
        (0, 1, 0.1),
        (1.0, 0.0, -0.3),
        (0,),
        (5, 5),
        (5, 2),
        (2, 5, 0),
        (1000000, 1000003),
        (0.5, 3),
    ]:
        f.fn("arange", *args)
    f.fn("arange", 0, 4, dtype=dt("float32"))
    for args in [(0, 1, 5), (0.0, 10.0, 4), (3, -3, 7), (1, 1, 1), (0, 1, 0), (0, 5, 3)]:
        f.fn("linspace", *args)
    for args in [(3,), (2, 4), (0,)]:
        f.fn("eye", *args)
    for data in [
        1,
        1.5,
        True,
        [1, 2],
        [1.0, 2],
        [True, False],
        [[1, 2], [3, 4]],
        [],
        [[]],
        [1, 2.5],
        [True, 2],
        [[1], [2, 3]],
    ]:
        f.fn("tensor", data)
    for dtype in DTYPES:
        f.fn("tensor", [0, 1, 2], dtype=dt(dtype))
        f.fn("tensor", [0.0, 1.5, 2.0], dtype=dt(dtype))
    f.fn("tensor", [0.1, 1e20, 3.4e38, 1e-45, NAN, INF])
    f.fn("tensor", [0.1, 65519.0, 65520.0, 1e-8], dtype=dt("float16"))
    f.fn("tensor", [0.1, 1.00390625, 1.01171875, 3e38], dtype=dt("bfloat16"))
    f.fn("tensor", [300], dtype=dt("uint8"))
    f.fn("tensor", [9223372036854775807])
    return f


FRACTIONS = L([0.0, 0.5, 1.5, -0.5, -1.5, 2.75, -2.75, 100.25])
WIDE = L([0.1, 1.00390625, 1.01171875, 65519.0, 65520.0, 1e-8, 3e38, 2049.0, "nan", "inf", "-inf"])
WIDE64 = L([0.1, 16777217.0, 1e300, 1e-300, 1.0000000596046448, 65519.99], "float64")
BIG = L([16777217, -16777217, 2049, 257, 9007199254740993, 65520], "int64")
CASTS = {
    "float32": "float",
    "float64": "double",
    "float16": "half",
    "bfloat16": "bfloat16",
    "int64": "long",
    "int32": "int",
    "int16": "short",
    "int8": "char",
    "uint8": "byte",
    "bool": "bool",
}


def conversion() -> Family:
    f = Family("conversion")
    for source in DTYPES:
        for target in DTYPES:
            f.m("to", T(2, 3, d=source, z=1, a=[0, 1, 3]), dt(target))
    for target in ("float32", "float64", "float16", "bfloat16"):
        for values in (WIDE, WIDE64, BIG, FRACTIONS):
            f.m("to", values, dt(target))
    for target in ("int64", "int32", "int16", "int8", "bool"):
        f.m("to", FRACTIONS, dt(target))
        f.m("to", VIEWS[0], dt(target))
    for target in ("int32", "int16", "int8", "uint8"):
        f.m("to", L([300, -1, 128, 65536 + 7, 2**40 + 5], "int64"), dt(target))
    for source in ("float32", "int64", "bool", "bfloat16"):
        for name in CASTS.values():
            f.m(name, T(3, d=source, z=2, a=[0, 1, 3]))
        f.m("type_as", T(3, z=3), T(2, d=source))
    f.m("to", T(2), dtype=dt("float64"))
    f.m("to", T(2), T(3, d="int64"))
    f.m("to", T(2), "nonsense")
    for x in [
        T(2, 3, z=4),
        T(z=4),
        T(0),
        T(2, d="int64", z=4),
        T(d="bool", z=4),
        T(3, d="bfloat16", z=4),
        VIEWS[0],
        VIEWS[2],
    ]:
        for name in ("tolist", "numel", "dim", "size", "is_floating_point", "item", "detach", "is_contiguous"):
            f.m(name, x)
        for name in ("shape", "ndim", "dtype"):
            f.add("get", name, x)
        f.m("size", x, 0)
        f.m("size", x, -1)
    f.m("size", T(2, 3), 2)
    f.m("item", T(1, 1, z=5))
    for name in ("truth", "index", "abs", "length_hint"):
        f.op(name, T(d="int64", z=6))
    f.op("truth", T(2))
    f.op("truth", T(0))
    return f


def inplace() -> Family:
    f = Family("inplace")
    targets = [T(2, 3, z=1), *VIEWS[:2], VIEWS[3], T(2, 3, d="bfloat16", z=1), T(2, 3, d="int64", z=1)]
    for x in targets:
        for name in ("zero_", "neg_", "abs_", "square_", "relu_"):
            f.m(name, x)
        for name in ("exp_", "sqrt_", "sigmoid_", "tanh_", "reciprocal_", "floor_", "round_"):
            f.m(name, {**x, "a": [0.25, 0.25, 9]} if x["d"] != "int64" else x)
        for name in ("add_", "sub_", "mul_", "div_", "fill_"):
            f.m(name, x, 2)
            f.m(name, x, 2.5)
            f.m(name, x, T(z=2))
        f.m("clamp_", x, -1, 1)
        f.m("copy_", x, T(1, z=3))
    for name in ("add_", "sub_", "mul_", "div_", "copy_"):
        f.m(name, T(2, 3, z=1), T(3, z=2))
        f.m(name, T(2, 3, z=1), T(2, 1, d="int64", z=2))
        f.m(name, T(2, 3, z=1), T(2, 3, d="float64", z=2))
        f.m(name, T(2, 3, d="int64", z=1), T(2, 3, z=2))
        f.m(name, T(3, z=1), T(2, 3, z=2))
        f.m(name, T(2, 3, z=1), T(4, z=2))
        f.m(name, T(0), T(1, z=2))
        f.m(name, T(4, z=1, v=[["index", S(1, 3)]]), T(2, z=2))
        f.m(name, T(1, 3, z=1, v=[["expand", 2, 3]]), T(3, z=2))
    f.m("add_", T(2, 3, z=1), T(3, z=2), alpha=2)
    f.m("copy_", T(3, d="int64"), T(3, z=1))
    f.m("copy_", T(3, d="bfloat16"), T(3, z=1))
    f.m("copy_", T(3, d="bool"), T(3, z=1))
    f.m("masked_fill_", T(2, 3, z=1), T(2, 3, d="bool", z=2), 7.0)
    f.m("masked_fill_", T(2, 3, z=1), T(3, d="bool", z=2), 7.0)
    f.m("masked_fill_", VIEWS[0], T(4, d="bool", z=2), 7.0)
    f.m("masked_scatter_", T(2, 3, z=1), T(2, 3, d="bool", z=2), T(6, z=3))
    f.m("fill_", T(2, d="bool"), 3)
    f.m("pow_", T(3, z=1, a=[0.5, 0.25, 9]), 2)
    f.m("unsqueeze_", T(3, z=1), 0)
    f.m("squeeze_", T(1, 3, z=1))
    f.m("transpose_", T(2, 3, z=1), 0, 1)
    f.m("clamp_", T(3, d="int64", z=1), -1.5, 1.5)
    f.m("index_fill_", T(3, 2, z=1), 0, L([0, 2], "int64"), 5.0)
    f.m("index_copy_", T(3, 2, z=1), 0, L([0, 2], "int64"), T(2, 2, z=2))
    return f


FAMILIES = [creation, conversion, inplace]
