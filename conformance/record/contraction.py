"""Matrix products, linear, einsum, norms, attention, embedding, convolution."""

from cases import INTEGERS, Family, L, T, tup

# Steps of 1/4 keep every product and every sum exact in float32, whatever the order of summation.
COARSE = [-2.0, 0.25, 17]
MATMUL_SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((2, 3), (4, 3, 2)),
    ((3,), (2, 3, 4)),
    ((2, 2, 3), (3,)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((2, 3), (2, 3)),
    ((3,), (4,)),
    ((), (3,)),
    ((2, 2, 3), (3, 3, 4)),
]


def M(*shape, **more):
    return T(*shape, a=COARSE, **more)


def contractions() -> Family:
    f = Family("contraction")
    for left, right in MATMUL_SHAPES:
        f.both("matmul", M(*left, z=1), M(*right, z=2))
        f.op("matmul", M(*left, z=1), M(*right, z=2))
    f.fn("matmul", M(7, 9, z=3), M(9, 8, z=4))
    f.fn("matmul", M(4, 3, z=3, v=[["transpose", 0, 1]]), M(4, 5, z=4))
    f.fn("matmul", M(3, 4, z=3), M(5, 4, z=4, v=[["transpose", 0, 1]]))
    f.fn("matmul", M(4, 2, 3, z=3, v=[["transpose", 0, 1]]), M(2, 3, 2, z=4))
    f.fn("matmul", M(1, 3, z=3, v=[["expand", 4, 3]]), M(3, 2, z=4))
    for dtype in ("float64", "float16", "bfloat16"):
        f.fn("matmul", M(3, 4, d=dtype, z=5), M(4, 2, d=dtype, z=6))
        f.fn("matmul", M(2, 3, 4, d=dtype, z=5), M(2, 4, 2, d=dtype, z=6))
        f.nn("linear", M(3, 4, d=dtype, z=5), M(2, 4, d=dtype, z=6), M(2, d=dtype, z=7))
    for dtype in INTEGERS:
        f.fn("matmul", T(3, 4, d=dtype, z=5), T(4, 2, d=dtype, z=6))
    f.fn("matmul", M(2, 3), M(3, 2, d="float64"))
    f.fn("matmul", M(2, 3), T(3, 2, d="int64"))
    for name in ("mm", "bmm", "mv", "dot"):
        for left, right in [((2, 3), (3, 4)), ((2, 2, 3), (2, 3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((2, 3), (2, 3))]:
            f.fn(name, M(*left, z=1), M(*right, z=2))
    for left, right in [((3,), (4,)), ((0,), (2,)), ((2, 2), (3,)), ((1,), (1,))]:
        f.both("outer", M(*left, z=1), M(*right, z=2))
    f.fn("outer", T(3, d="int64"), M(2))
    f.fn("addmm", M(4, z=1), M(2, 3, z=2), M(3, 4, z=3))
    f.fn("addmm", M(2, 4, z=1), M(2, 3, z=2), M(3, 4, z=3), beta=0.5, alpha=2)
    for shape in [(4,), (3, 4), (2, 3, 4), (2, 1, 3, 4), (0, 4)]:
        f.nn("linear", M(*shape, z=1), M(5, 4, z=2), M(5, z=3))
        f.nn("linear", M(*shape, z=1), M(5, 4, z=2))
    f.nn("linear", M(3, 4), M(5, 3))
    f.nn("linear", M(3, 4), M(5, 4), M(4))
    f.nn("linear", M(3, 4, d="bfloat16"), M(5, 4))
    f.nn("linear", M(4, 3, z=1, v=[["transpose", 0, 1]]), M(5, 4, z=2))
    for equation, shapes in [
        ("ij->ji", [(2, 3)]),
        ("ijk->ik", [(2, 3, 4)]),
        ("ijk->", [(2, 3, 2)]),
        ("abc->cab", [(2, 3, 4)]),
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
        ("bhld,bhsd->bhls", [(1, 2, 3, 4), (1, 2, 2, 4)]),
        ("i,j->ij", [(2,), (3,)]),
        ("i,i->", [(3,), (3,)]),
        ("ij,ij->i", [(2, 3), (2, 3)]),
        ("ij,kj->ik", [(2, 3), (4, 3)]),
        ("ii->i", [(3, 3)]),
        ("ii->", [(3, 3)]),
        ("ij,jk", [(2, 3), (3, 2)]),
        ("i j -> j i", [(2, 3)]),
        ("...ij->...ji", [(2, 3, 2)]),
        ("ij,jk,kl->il", [(2, 3), (3, 2), (2, 2)]),
        ("ij,jk->ik", [(2, 3), (2, 4)]),
        ("ij->k", [(2, 3)]),
    ]:
        f.fn("einsum", equation, *[M(*shape, z=i) for i, shape in enumerate(shapes)])
    f.fn("einsum", "ij,jk->ik", [M(2, 3, z=1), M(3, 2, z=2)])
    return f


def norms() -> Family:
    f = Family("norm")
    for dtype in ("float32", "float64", "bfloat16", "float16"):
        f.nn("layer_norm", T(2, 3, 8, d=dtype, z=1), [8], T(8, d=dtype, z=2), T(8, d=dtype, z=3))
        f.nn("rms_norm", T(2, 3, 8, d=dtype, z=1), [8], T(8, d=dtype, z=2), 1e-5)
        f.nn("group_norm", T(2, 6, 4, d=dtype, z=1), 3, T(6, d=dtype, z=2), T(6, d=dtype, z=3))
    for args in [([8],), ([3, 8],), ([8], T(8, z=2)), ([8], None, T(8, z=2)), ([2, 3, 8],), ([7],), ([8], T(7))]:
        f.nn("layer_norm", T(2, 3, 8, z=1), *args)
    f.nn("layer_norm", T(2, 3, 8, z=1), tup(3, 8), T(3, 8, z=2), T(3, 8, z=3), 1e-3)
    f.nn("layer_norm", T(8, 2, z=1, v=[["transpose", 0, 1]]), [8])
    f.nn("layer_norm", T(0, 8), [8])
    f.nn("layer_norm", L([1.0, 1.0, 1.0, 1.0], shape=[1, 4]), [4])
    f.nn("layer_norm", T(2, 4, d="int64"), [4])
    f.fn("layer_norm", T(4, 8, z=1), [8], T(8, z=2), T(8, z=3), 1e-5)
    for args in [([8], None), ([3, 8], None), ([8], T(8, z=2), 1e-3), ([7], None)]:
        f.nn("rms_norm", T(2, 3, 8, z=1), *args)
    f.nn("rms_norm", T(0, 8), [8], None)
    f.nn("rms_norm", T(8, 2, z=1, v=[["transpose", 0, 1]]), [8], T(8, z=2), 1e-5)
    for shape, groups in [((2, 6), 3), ((2, 6, 3), 1), ((2, 6, 2, 2), 6), ((2, 6, 3), 4), ((6,), 2)]:
        f.nn("group_norm", T(*shape, z=1), groups)
    f.nn("group_norm", T(2, 4, 3, z=1), 2, T(4, z=2), T(4, z=3), 1e-3)
    stats = [T(3, z=4), T(3, z=5, a=[0.5, 0.25, 9])]
    for more in [(), (T(3, z=6), T(3, z=7)), (T(3, z=6), T(3, z=7), False, 0.1, 1e-3)]:
        f.nn("batch_norm", T(2, 3, 2, 2, z=1), *stats, *more)
    f.fn("batch_norm", T(2, 3, 2, 2, z=1), *stats, T(3, z=6), T(3, z=7), False, 0.1, 1e-5)
    for ids, dtype in [((4,), "int64"), ((2, 3), "int64"), ((2, 3), "int32"), ((), "int64"), ((0,), "int64")]:
        f.nn("embedding", T(*ids, d=dtype, a=[0, 1, 5], z=1), T(5, 4, z=2))
    f.nn("embedding", L([0, 5], "int64"), T(5, 4))
    f.nn("embedding", L([-1, 0], "int64"), T(5, 4))
    f.nn("embedding", T(3), T(5, 4))
    f.nn("embedding", L([3, 1], "int64"), T(5, 4, d="bfloat16"))
    f.nn("one_hot", L([2, 0, 1], "int64"), 4)
    f.nn("one_hot", L([2, 0, 1], "int64"))
    for p in (0.0, 0.5, 1.0):
        f.nn("dropout", T(3, 4, z=1), p, False)
    f.nn("dropout", T(3, 4, z=1), 0.0, True)
    f.nn("dropout", T(3, 4, z=1), 1.0, True)
    f.nn("dropout", T(3, 4, z=1), 1.5, True)
    for name, kwargs in [("mse_loss", {}), ("mse_loss", {"reduction": "sum"}), ("l1_loss", {})]:
        f.nn(name, T(3, 4, z=1), T(3, 4, z=2), **kwargs)
    f.nn("cross_entropy", T(3, 5, z=1), L([0, 4, 2], "int64"))
    f.nn("normalize", T(3, 4, z=1), dim=1)
    return f


def attention() -> Family:
    f = Family("attention")
    name = "scaled_dot_product_attention"

    def qkv(n, h, length, s, e, kv_heads=None, value_size=None, d="float32"):
        kv = kv_heads or h
        return T(n, h, length, e, d=d, z=1), T(n, kv, s, e, d=d, z=2), T(n, kv, s, value_size or e, d=d, z=3)

    for shape in [(1, 1, 4, 4, 4), (2, 2, 3, 3, 4), (1, 2, 3, 5, 4), (1, 2, 5, 3, 4), (2, 1, 1, 6, 8), (1, 1, 1, 1, 2)]:
        f.nn(name, *qkv(*shape))
        f.nn(name, *qkv(*shape), is_causal=True)
        f.nn(name, *qkv(*shape), scale=0.5)
        n, h, length, s, _ = shape
        f.nn(name, *qkv(*shape), attn_mask=T(length, s, z=4))
        f.nn(name, *qkv(*shape), attn_mask=T(n, 1, length, s, z=5))
        f.nn(name, *qkv(*shape), attn_mask=T(n, h, 1, s, z=6))
        f.nn(name, *qkv(*shape), attn_mask=T(length, s, d="bool", a=[1, 1, 4], z=7))
    f.nn(name, *qkv(1, 4, 3, 3, 4, kv_heads=2), enable_gqa=True)
    f.nn(name, *qkv(2, 4, 3, 5, 4, kv_heads=1), enable_gqa=True, is_causal=True)
    f.nn(name, *qkv(1, 4, 3, 3, 4, kv_heads=2), enable_gqa=True, attn_mask=T(3, 3, z=4))
    f.nn(name, *qkv(1, 4, 3, 3, 4, kv_heads=3), enable_gqa=True)
    f.nn(name, *qkv(1, 4, 3, 3, 4, kv_heads=2))
    f.nn(name, *qkv(1, 2, 3, 4, 4, value_size=2))
    f.nn(name, *qkv(1, 2, 3, 3, 4), attn_mask=T(3, 3), is_causal=True)
    f.nn(name, *qkv(1, 2, 3, 3, 4), attn_mask=L([True, False, True] * 2 + [False, True, True], "bool", [3, 3]))
    f.nn(name, *qkv(1, 2, 0, 3, 4))
    f.nn(name, T(1, 2, 3, 4, z=1), T(1, 2, 3, 5, z=2), T(1, 2, 3, 5, z=3))
    for dtype in ("float64", "bfloat16", "float16"):
        f.nn(name, *qkv(1, 2, 3, 3, 4, d=dtype))
        f.nn(name, *qkv(1, 2, 3, 3, 4, d=dtype), is_causal=True)
    f.nn(
        name,
        T(2, 3, 2, 4, z=1, v=[["transpose", 1, 2]]),
        T(2, 3, 2, 4, z=2, v=[["transpose", 1, 2]]),
        T(2, 2, 3, 4, z=3),
    )
    return f


def convolution() -> Family:
    f = Family("convolution")
    x = M(2, 3, 4, 4, z=1)
    for weight, more in [
        ((4, 3, 3, 3), {}),
        ((4, 3, 1, 1), {}),
        ((2, 3, 3, 3), {"stride": 2}),
        ((2, 3, 3, 3), {"padding": 1}),
        ((2, 3, 3, 2), {"padding": tup(1, 0), "stride": tup(2, 1)}),
        ((2, 3, 2, 2), {"dilation": 2}),
        ((2, 2, 3, 3), {}),
    ]:
        f.nn("conv2d", x, M(*weight, z=2), **more)
        f.nn("conv2d", x, M(*weight, z=2), M(weight[0], z=3), **more)
    f.nn("conv2d", M(1, 2, 4, 4, d="float64", z=1), M(2, 2, 3, 3, d="float64", z=2))
    for pad in ([1, 1], [1, 0, 0, 2], [0, 0, 1, 1], [-1, 0], []):
        f.nn("pad", T(2, 3, 4, z=1), pad)
        f.nn("pad", T(2, 3, 4, d="int64", z=1), pad, "constant", 7)
    for mode in ("reflect", "replicate", "circular"):
        f.nn("pad", T(1, 2, 4, z=1), [1, 2], mode)
        f.nn("pad", T(1, 2, 4, 3, z=1), [1, 1, 2, 0], mode)
    for kwargs in [
        {"scale_factor": 2},
        {"size": [4, 6]},
        {"scale_factor": 2, "mode": "bilinear"},
        {"scale_factor": 2, "mode": "bilinear", "align_corners": True},
        {"scale_factor": [1.5, 2.0], "mode": "bilinear"},
        {"size": [3, 3], "mode": "bicubic"},
        {},
    ]:
        f.nn("interpolate", T(1, 2, 2, 3, z=1), **kwargs)
    return f


FAMILIES = [contractions, norms, attention, convolution]
