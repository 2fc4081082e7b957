"""Views, joins and splits, indexing, selection."""

from cases import DTYPES, ELLIPSIS, VIEWS, Family, L, S, T, tup

A = [T(2, 3, 4, z=1), T(2, 3, 4, d="int64", z=1), T(4, 3, 2, z=2, v=[["permute", 2, 1, 0]])]


def views() -> Family:
    f = Family("view")
    for x in A:
        for shape in [
            [6, 4],
            [2, 12],
            [24],
            [-1],
            [4, -1],
            [2, 3, 2, 2],
            [1, 2, 3, 4],
            [2, 3, 4, 1],
            [5, -1],
            [7],
            [-1, -1],
        ]:
            f.fn("reshape", x, shape)
            f.m("reshape", x, *shape)
            f.m("view", x, *shape)
            f.m("view", x, tup(*shape))
        for args in [(), (1,), (0, 1), (1, 2), (-2, -1), (1, 1), (2, 1), (0, 3)]:
            f.both("flatten", x, *args)
        for dims in [(0, 1), (0, 2), (-1, -2), (1, 1), (0, 3)]:
            f.both("transpose", x, *dims)
        for dims in [(2, 0, 1), (0, 1, 2), (-1, 0, 1), (0, 1), (0, 0, 1)]:
            f.fn("permute", x, tup(*dims))
            f.m("permute", x, *dims)
            f.m("permute", x, list(dims))
        for dim in (0, 1, 3, -1, -4, 4, -5):
            f.both("unsqueeze", x, dim)
        f.both("clone", x)
        f.m("contiguous", x)
        f.m("t", x)
        f.add("get", "mT", x)
    y = T(1, 3, 1, 2, z=3)
    f.both("squeeze", y)
    for dim in (0, 1, 2, -2, [0, 2], [0, 1], 4):
        f.both("squeeze", y, tup(*dim) if isinstance(dim, list) else dim)
    f.fn("squeeze", T(z=1))
    f.fn("squeeze", T(1, 1, z=1))
    f.fn("unsqueeze", T(z=1), 0)
    f.fn("flatten", T(z=1))
    f.fn("reshape", T(z=1), [1, 1])
    f.fn("reshape", T(1, z=1), [])
    f.fn("reshape", T(0, 3), [3, 0])
    f.fn("reshape", T(0, 3), [-1, 3])
    f.fn("reshape", T(0, 3), [-1, 0])
    f.fn("reshape", T(2, 3), 6)
    f.add("get", "T", T(2, 3, z=1))
    f.fn("t", T(2, 3, z=1))
    f.fn("t", T(3, z=1))
    for source, shape in [
        ((1, 3), [4, 3]),
        ((3,), [2, 3]),
        ((3, 1), [3, 4]),
        ((3, 1), [-1, 4]),
        ((1,), [2, 0]),
        ((), [3]),
        ((2, 3), [2, 3]),
        ((2, 3), [4, 3]),
        ((2, 3), [3]),
        ((1, 3), [2, -1, 3]),
        ((3,), [-1, 3]),
    ]:
        f.m("expand", T(*source, z=4), *shape)
        f.m("expand", T(*source, z=4), shape)
    f.m("expand_as", T(1, 3, z=4), T(2, 3, z=5))
    f.fn("broadcast_to", T(1, 3, z=4), [2, 3])
    for source, repeats in [((2, 3), [2, 1]), ((2, 3), [2, 1, 2]), ((3,), [2]), ((2, 3), [2]), ((2,), [0]), ((), [3])]:
        f.m("repeat", T(*source, z=5), *repeats)
        f.m("repeat", T(*source, z=5), repeats)
    for args in [(2,), (2, 0), (3, 1), (2, -1), (0, 0), (2, 2), (-1, 0)]:
        f.both("repeat_interleave", T(2, 3, z=6), *args)
    for name in ("tril", "triu"):
        for diagonal in (0, 1, -1, 5, -5):
            f.fn(name, T(3, 4, z=7), diagonal)
            f.m(name, T(2, 3, 3, d="int64", z=7), diagonal)
        f.fn(name, T(3, 3, d="bool", z=7))
        f.fn(name, T(3))
        f.fn(name, VIEWS[0])
    for args in [(0,), (1,), ([0, 1],), (-1,), (2,)]:
        f.fn("flip", T(2, 3, z=8), [args[0]] if isinstance(args[0], int) else args[0])
    f.fn("roll", T(2, 3, z=8), 1, 1)
    f.fn("roll", T(2, 3, z=8), 1)
    f.fn("movedim", T(2, 3, 4, z=8), 0, 2)
    f.fn("narrow", T(5, 3, z=8), 0, 1, 3)
    f.fn("narrow", T(5, 3, z=8), 0, 4, 3)
    f.fn("select", T(5, 3, z=8), 1, -1)
    f.fn("diagonal", T(3, 4, z=8))
    return f


def joins() -> Family:
    f = Family("join")
    for name in ("cat", "concat"):
        for shapes, dim in [
            ([(2, 3), (4, 3)], 0),
            ([(2, 3), (2, 1)], 1),
            ([(2, 3), (2, 3), (2, 3)], -1),
            ([(2, 3)], 0),
            ([(0,), (2, 3)], 0),
            ([(0, 3), (2, 3)], 0),
            ([(2, 3), (2, 4)], 0),
            ([(2, 3), (3,)], 0),
            ([(2, 3), (2, 3)], 2),
            ([(), ()], 0),
            ([(1, 2, 3), (1, 2, 2)], 2),
        ]:
            f.fn(name, [T(*shape, z=i) for i, shape in enumerate(shapes)], dim)
            f.fn(name, tup(*[T(*shape, d="int64", z=i) for i, shape in enumerate(shapes)]), dim=dim)
    f.fn("cat", [])
    f.fn("cat", [VIEWS[0], T(3, 4, z=3)])
    for left, right in [("float32", "int64"), ("float16", "bfloat16"), ("bool", "uint8"), ("int8", "float64")]:
        f.fn("cat", [T(2, d=left, z=1), T(3, d=right, z=2)])
        f.fn("stack", [T(2, d=left, z=1), T(2, d=right, z=2)])
    for count, shape, dim in [
        (2, (2, 3), 0),
        (3, (2, 3), 1),
        (2, (2, 3), -1),
        (2, (2, 3), 2),
        (1, (3,), 0),
        (2, (), 0),
        (2, (3,), 2),
    ]:
        f.fn("stack", [T(*shape, z=i) for i in range(count)], dim)
    f.fn("stack", [T(2), T(3)])
    f.fn("stack", [])
    for x in A:
        for count, dim in [(2, 0), (2, 1), (3, 2), (4, -1), (5, 1), (1, 0), (0, 0), (2, 3)]:
            f.both("chunk", x, count, dim)
        for size, dim in [
            (2, 0),
            (2, 1),
            (3, 2),
            (1, -1),
            ([1, 2], 1),
            ([1, 3, 0], 2),
            ([1, 1], 1),
            (0, 0),
            (-1, 1),
            (9, 1),
        ]:
            f.both("split", x, size, dim)
        for dim in (0, 1, -1, 3):
            f.both("unbind", x, dim)
    f.m("chunk", T(5, z=1), 2)
    f.m("split", T(5, z=1), 2)
    f.m("unbind", T(3, z=1))
    f.fn("unbind", T(z=1))
    f.fn("chunk", T(0, z=1), 2)
    return f


INDICES = [
    0,
    -1,
    3,
    -4,
    S(1, None),
    S(None, None, 2),
    S(0, 0),
    S(-2, None),
    S(5, 9),
    S(2, 1),
    ELLIPSIS,
    None,
    tup(0, 1),
    tup(S(None), 1),
    tup(S(None), S(1, 3)),
    tup(ELLIPSIS, 0),
    tup(0, ELLIPSIS),
    tup(None, S(None), None),
    tup(ELLIPSIS, None),
    tup(S(None, None, 2), S(None, None, 3)),
    tup(0, 1, 2, 0),
    tup(1, S(None), -1),
    tup(ELLIPSIS, S(1, 2), S(None)),
    [0, 2],
    [2, 2, 0],
    tup([0, 1], [1, 2]),
    tup(S(None), [0, 2]),
    tup([0, 2], S(None), 1),
    tup(S(None), S(None), [3, 0]),
    tup([0, 2], S(None), [3, 0]),
    L([2, 0, -1], "int64"),
    L([0, 1, 2, 0], "int64", [2, 2]),
    tup(S(None), L([2, 0], "int64")),
    tup(L([0, 2], "int64"), L([1, 1], "int64")),
    L([True, False, True], "bool"),
    tup(S(None), L([True, False, True, True], "bool")),
    T(3, 4, d="bool", z=3),
    L([5], "int64"),
    L([True, False], "bool"),
    tup(0, True),
]
SET_INDICES = [
    0,
    -1,
    3,
    S(1, None),
    S(None, None, 2),
    ELLIPSIS,
    tup(0, 1),
    tup(S(None), 1),
    tup(S(None), S(1, 3)),
    [0, 2],
] + [
    tup([0, 1], [1, 2]),
    tup(S(None), [0, 2]),
    L([2, 0], "int64"),
    L([True, False, True], "bool"),
    T(3, 4, d="bool", z=3),
]


def indexing() -> Family:
    f = Family("index")
    for index in INDICES:
        f.op("getitem", T(3, 4, 2, z=1), index)
        f.op("getitem", T(3, 4, d="int64", z=1), index)
        f.op("getitem", T(2, 4, 3, z=2, v=[["permute", 2, 1, 0]]), index)
    f.op("getitem", T(z=1), ELLIPSIS)
    f.op("getitem", T(z=1), None)
    f.op("getitem", T(z=1), 0)
    f.op("getitem", T(5, z=1), S(None, None, -1))
    f.op("getitem", T(5, z=1), 1.0)
    for index in SET_INDICES:
        f.op("setitem", T(3, 4, z=1), index, 5.0)
        f.op("setitem", T(3, 4, d="int64", z=1), index, 7)
        f.op("setitem", T(4, 3, z=2, v=[["transpose", 0, 1]]), index, T(z=3))
    f.op("setitem", T(3, 4, z=1), 1, T(4, z=2))
    f.op("setitem", T(3, 4, z=1), tup(S(None), S(0, 2)), T(3, 2, z=2))
    f.op("setitem", T(3, 4, z=1), tup(S(None), S(0, 2)), T(3, 1, z=2))
    f.op("setitem", T(3, 4, z=1), tup(S(None), S(0, 2)), T(1, 3, 2, z=2))
    f.op("setitem", T(3, 4, z=1), tup(S(None), S(0, 2)), T(3, 3, z=2))
    f.op("setitem", T(3, 4, z=1), [0, 2], T(2, 4, z=2))
    f.op("setitem", T(3, 4, z=1), 0, T(4, d="int64", z=2))
    f.op("setitem", T(3, 4, d="int64", z=1), 0, T(4, z=2))
    f.op("setitem", T(6, z=1, v=[["index", S(None, None, 2)]]), S(1, None), 9.0)
    f.op("setitem", T(2, 3, z=1, v=[["index", 1]]), 0, 9.0)
    f.op("setitem", T(3, d="bool", z=1), 0, True)
    for dim, shape in [(0, (2, 3)), (1, (2, 3)), (-1, (2, 2))]:
        f.both("gather", T(2, 3, z=1), dim, T(*shape, d="int64", a=[0, 1, 2], z=2))
    f.fn("gather", T(2, 3), 0, T(3, 3, d="int64", a=[2, 1, 1]))
    f.fn("gather", T(2, 3), 0, T(2, d="int64"))
    for dim in (0, 1, -1):
        f.both("index_select", T(3, 4, z=1), dim, L([2, 0, 0], "int64"))
    f.fn("index_select", T(3, 4), 0, L([3], "int64"))
    f.fn("take_along_dim", T(2, 3, z=1), T(2, 3, d="int64", a=[0, 1, 2], z=2), 1)
    f.m("scatter", T(3, 4, z=1), 1, L([0, 3, 1], "int64", [3, 1]), 9.0)
    f.m("scatter", T(3, 4, z=1), 1, L([0, 3, 1], "int64", [3, 1]), T(3, 1, z=2))
    f.m("index_add", T(3, 2, z=1), 0, L([0, 2], "int64"), T(2, 2, z=2))
    return f


def selection() -> Family:
    f = Family("select")
    for dtype in DTYPES:
        f.fn("where", T(2, 3, d="bool", z=1), T(2, 3, d=dtype, z=2), T(2, 3, d=dtype, z=3))
        f.both("masked_fill", T(2, 3, d=dtype, z=2), T(2, 3, d="bool", z=1), 1)
        f.both("masked_scatter", T(2, 3, d=dtype, z=2), T(2, 3, d="bool", z=1), T(6, d=dtype, z=4))
        f.both("nonzero", T(2, 4, d=dtype, z=5))
    for c, a, b in [
        ((3,), (2, 3), ()),
        ((2, 1), (1, 3), (3,)),
        ((), (2,), (2,)),
        ((2,), (3,), (2,)),
        ((0,), (1,), (1,)),
    ]:
        f.fn("where", T(*c, d="bool", z=1), T(*a, z=2), T(*b, z=3))
    for a, b in [
        (1.5, 2.5),
        (1, 0),
        (T(3, z=2), 0.0),
        (1, T(3, d="int64", z=2)),
        (2.5, T(3, d="int64", z=2)),
        (T(3, d="bool"), 1),
    ]:
        f.fn("where", T(3, d="bool", z=1), a, b)
    f.fn("where", T(3, d="bool", z=1), T(3, d="int64", z=2), T(3, z=3))
    f.fn("where", T(3, d="int64", z=1), T(3, z=2), T(3, z=3))
    f.m("where", T(3, z=2), T(3, d="bool", z=1), T(3, z=3))
    f.fn("masked_fill", T(2, 3, z=1), T(3, d="bool", z=2), 2.5)
    f.fn("masked_fill", T(3, z=1), T(2, 3, d="bool", z=2), 2.5)
    f.fn("masked_fill", T(2, 3, z=1), T(2, 3, d="int64", z=2), 2.5)
    f.fn("masked_fill", T(3, d="int64", z=1), T(3, d="bool", z=2), 2.5)
    f.fn("masked_fill", T(3, z=1), T(3, d="bool", z=2), {"float": "-inf"})
    f.fn("masked_fill", VIEWS[0], T(4, d="bool", z=2), 9.0)
    f.fn("masked_scatter", T(2, 3, z=1), T(3, d="bool", z=2), T(2, 3, z=3))
    f.fn("masked_scatter", T(2, 3, z=1), L([True] * 3, "bool"), T(2, z=3))
    f.fn("masked_select", T(2, 3, z=1), T(2, 3, d="bool", z=2))
    for x in [
        T(0),
        T(z=1),
        T(2, 0, 3),
        L([0.0, "nan", "-0.0", 1.0]),
        T(2, 2, 2, d="int64", a=[0, 1, 2], z=2),
        VIEWS[0],
    ]:
        f.fn("nonzero", x)
    f.fn("isin", T(4, d="int64", z=1), L([1, 2], "int64"))
    f.fn("unique", T(6, d="int64", z=1))
    f.fn("bincount", L([0, 2, 2, 3], "int64"))
    return f


FAMILIES = [views, joins, indexing, selection]
