"""Reductions, scans, softmax, sorting."""

from cases import DTYPES, SPECIAL, VIEWS, Family, L, T, dt

PLAIN = ["sum", "mean", "prod", "amax", "amin", "any", "all"]
DIM_FORMS = [
    ((2, 3, 4), (0,), {}),
    ((2, 3, 4), (1,), {}),
    ((2, 3, 4), (-1,), {}),
    ((2, 3, 4), ([0, 2],), {}),
    ((2, 3, 4), (1,), {"keepdim": True}),
    ((2, 3, 4), ([-1, 0],), {"keepdim": True}),
    ((4,), (0,), {}),
    ((), (0,), {}),
    ((2, 0), (0,), {}),
    ((2, 0), (1,), {}),
    ((2, 3), (2,), {}),
    ((2, 3), (-3,), {}),
    ((2, 3), ([0, 0],), {}),
]


def reductions() -> Family:
    f = Family("reduction")
    for name in PLAIN:
        narrow = {"a": [0.5, 0.25, 7]} if name == "prod" else {}
        for dtype in DTYPES:
            f.fn(name, T(2, 3, d=dtype, z=1))
            f.fn(name, T(2, 3, d=dtype, z=1), 1)
        for shape, args, kwargs in DIM_FORMS:
            if name == "prod" and isinstance(args[0], list):
                continue
            f.fn(name, T(*shape, z=2, **narrow), *args, **kwargs)
            f.m(name, T(*shape, z=2, **narrow), *args, **kwargs)
        for view in VIEWS:
            f.fn(name, view)
            f.fn(name, view, 0)
        for shape in [(), (0,), (3, 0), (1, 1)]:
            f.fn(name, T(*shape, z=3, **narrow))
        f.fn(name, L(SPECIAL))
        f.fn(name, L(["nan", 1.0, 2.0, 3.0], shape=[2, 2]), 1)
        f.fn(name, L(["inf", 1.0, "-inf", 3.0], shape=[2, 2]), 0)
        f.m(name, T(2, 3, z=4, **narrow))
    for name in ("sum", "mean", "prod"):
        for dtype in ("float64", "float32", "bfloat16", "int64", "int32"):
            f.fn(name, T(2, 3, d="float32", z=5, a=[-2.0, 1.0, 5]), dtype=dt(dtype))
            f.fn(name, T(2, 3, d="int32", z=5), dtype=dt(dtype))
            f.fn(name, T(2, 3, d="bool", z=5), 1, dtype=dt(dtype))
    for name in ("sum", "mean"):
        f.fn(name, T(2, 3, z=6), [])
        f.fn(name, T(8, 9, d="float16", z=7))
        f.fn(name, T(8, 9, d="bfloat16", z=7), 0)
        f.fn(name, T(100, d="uint8", z=7, a=[0, 1, 256]))
    for name in ("var", "std"):
        for args, kwargs in [
            ((), {}),
            ((0,), {}),
            ((-1,), {"keepdim": True}),
            ((1,), {"unbiased": False}),
            ((1,), {"correction": 0}),
        ]:
            f.fn(name, T(4, 5, z=8), *args, **kwargs)
            f.m(name, T(4, 5, d="float64", z=8), *args, **kwargs)
        f.fn(name, T(4, d="int64"))
    return f


def extremes() -> Family:
    f = Family("extreme")
    for name in ("max", "min"):
        for dtype in DTYPES:
            f.fn(name, T(2, 5, d=dtype, k="distinct", z=1))
            f.fn(name, T(2, 5, d=dtype, k="distinct", z=1), 1)
        for args, kwargs in [
            ((0,), {}),
            ((-1,), {}),
            ((1,), {"keepdim": True}),
            ((1, True), {}),
            ((2,), {}),
            ((-4,), {}),
        ]:
            f.both(name, T(3, 4, 2, k="distinct", z=2), *args, **kwargs)
        f.both(name, T(3, 4, z=3), T(4, z=4))
        f.fn(name, T(3, 4, z=3), other=T(4, z=4))
        f.fn(name, L([1.0, "nan", 3.0, 2.0]))
        f.fn(name, L([1.0, "nan", 3.0, 2.0], shape=[2, 2]), 1)
        f.fn(name, L(["-inf", "inf", 3.0, 2.0], shape=[2, 2]), 0)
        f.fn(name, T(z=5))
        f.fn(name, T(z=5), 0)
        f.fn(name, T(0))
        f.fn(name, T(0, 3), 1)
        f.fn(name, T(0, 3), 0)
        for view in VIEWS:
            f.fn(name, {**view, "k": "distinct"})
            f.fn(name, {**view, "k": "distinct"}, 0)
    for name in ("argmax", "argmin"):
        for dtype in DTYPES[:-1]:
            f.fn(name, T(2, 5, d=dtype, k="distinct", z=1))
            f.fn(name, T(2, 5, d=dtype, k="distinct", z=1), 0)
        for args, kwargs in [((0,), {}), ((-1,), {}), ((1,), {"keepdim": True}), ((2,), {}), ((-4,), {}), ((), {})]:
            f.both(name, T(3, 4, 2, k="distinct", z=2), *args, **kwargs)
        f.fn(name, L([2.0, 5.0, 5.0, 1.0, 1.0]))
        f.fn(name, L([1.0, "nan", 3.0, "nan"]))
        f.fn(name, T(z=5))
        f.fn(name, T(0))
        f.fn(name, T(2, 0), 0)
        for view in VIEWS:
            f.fn(name, {**view, "k": "distinct"})
            f.fn(name, {**view, "k": "distinct"}, -1)
    for name in ("cumsum", "cumprod"):
        narrow = {"a": [0.5, 0.25, 7]} if name == "cumprod" else {}
        for dtype in DTYPES:
            f.fn(name, T(2, 4, d=dtype, z=6), 1)
        for shape, dim in [((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1), ((5,), 0), ((), 0), ((0, 2), 0), ((3,), 1)]:
            f.both(name, T(*shape, z=7, **narrow), dim)
        f.fn(name, VIEWS[0], 0)
        f.fn(name, T(4, d="int32", z=8), 0, dtype=dt("float32"))
    for name in ("softmax", "log_softmax"):
        for dtype in ("float32", "float64", "bfloat16", "float16", "int64"):
            f.nn(name, T(3, 5, d=dtype, z=9), dim=-1)
        for shape, dim in [((3, 4), 0), ((2, 3, 4), 1), ((5,), 0), ((), 0), ((2, 0), 1), ((0, 3), 1), ((3,), 1)]:
            f.nn(name, T(*shape, z=10), dim=dim)
            f.fn(name, T(*shape, z=10), dim)
        f.m(name, T(3, 4, z=11), 1)
        f.nn(name, VIEWS[0], dim=0)
        f.nn(name, L([1000.0, 1001.0, -1000.0]), dim=0)
        f.nn(name, L(["-inf", 0.0, 1.0]), dim=0)
        f.nn(name, L(["-inf", "-inf"]), dim=0)
        f.nn(name, L(["nan", 0.0]), dim=0)
    f.fn("logsumexp", T(3, 4, z=12), 1)
    f.fn("logsumexp", T(3, 4, z=12), [0, 1], True)
    for k in (1, 3, 5):
        for dtype in ("float32", "int64", "bfloat16"):
            f.both("topk", T(2, 5, d=dtype, k="distinct", z=13), k)
    f.fn("topk", T(4, 3, k="distinct", z=14), 2, 0)
    f.fn("topk", T(4, 3, k="distinct", z=14), 2, -1, False)
    f.fn("topk", T(4, 3, k="distinct", z=14), 4)
    f.fn("topk", T(4, 3, k="distinct", z=14), 0)
    for kwargs in ({}, {"descending": True}, {"dim": 0}):
        f.both("sort", T(4, 5, k="distinct", z=15), **kwargs)
        f.both("argsort", T(4, 5, k="distinct", z=15), **kwargs)
    return f


FAMILIES = [reductions, extremes]
