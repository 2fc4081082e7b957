"""Compares what dtorch gives with what a golden says.

Shapes, dtypes, integers and bools are compared exactly; floats as stated here.

EXACT      one correctly rounded operation, a choice or a move of values: the same bits (zeros may differ in sign).
POINTWISE  transcendental functions: PyTorch's vector library and Java's are each within 1 to 4 units of the last
           place, so 1e-6 in float32 and 4e-15 in float64; halves are computed in float32 and rounded once, so one
           unit of their own last place.
SUMMED     results that depend on the order of a sum or chain several roundings (products, norms, softmax, attention,
           var, gelu): the error grows with the terms, of which the goldens have at most some hundred.
"""

import math
import struct

# dtype to (relative, absolute)
POINTWISE = {
    "float32": (1e-6, 1e-7),
    "float64": (4e-15, 1e-15),
    "float16": (2e-3, 1e-6),
    "bfloat16": (1.6e-2, 1e-6),
}
SUMMED = {"float32": (1e-5, 2e-6), "float64": (1e-13, 1e-14), "float16": (4e-3, 2e-3), "bfloat16": (3.2e-2, 1.6e-2)}

POINTWISE_OPS = set(
    "exp log log2 log10 rsqrt sin cos tan asin acos atan tanh sinh cosh sigmoid erf expm1 log1p pow silu elu softplus"
    " exp_ sqrt_ sigmoid_ tanh_ pow_ reciprocal leaky_relu linspace remainder fmod floor_divide mod floordiv"
    " arange".split()
)
SUMMED_OPS = set(
    "sum mean prod var std cumsum cumprod softmax log_softmax logsumexp matmul mm bmm mv dot outer addmm linear einsum"
    " layer_norm rms_norm group_norm batch_norm scaled_dot_product_attention conv2d interpolate mse_loss l1_loss"
    " cross_entropy normalize gelu".split()
)
WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def tolerance(op: str, dtype: str):
    """(relative, absolute) for one operator and result dtype; zeros mean exact."""
    if op in SUMMED_OPS:
        return SUMMED.get(dtype, (0.0, 0.0))
    if op in POINTWISE_OPS:
        return POINTWISE.get(dtype, (0.0, 0.0))
    return 0.0, 0.0


def dtype_name(dtype) -> str:
    """float32 for torch.float32 and for dtorch.float32."""
    return str(dtype).rsplit(".", 1)[-1]


def flat(values) -> list:
    if isinstance(values, (list, tuple)):
        return [number for item in values for number in flat(item)]
    return [values]


def wanted_number(value, dtype: str):
    if isinstance(value, str):
        return WORDS[value]
    if dtype == "float32":
        if abs(value) > 3.4028234e38:
            return value
        return struct.unpack("<f", struct.pack("<f", value))[0]
    return value


def same_number(got, want, relative: float, absolute: float) -> bool:
    if isinstance(want, float) or isinstance(got, float):
        if isinstance(got, bool) or isinstance(want, bool):
            return False
        if math.isnan(want) or math.isnan(got):
            return math.isnan(want) and math.isnan(got)
        if math.isinf(want) or math.isinf(got):
            return want == got
        return abs(got - want) <= absolute + relative * abs(want)
    return type(got) is type(want) and got == want


def tensor_difference(op: str, got, want: dict):
    """None, or what differs between a dtorch tensor and a described one."""
    dtype = dtype_name(got.dtype)
    if list(got.shape) != want["s"]:
        return f"shape {list(got.shape)}, PyTorch has {want['s']}"
    if dtype != want["d"]:
        return f"dtype {dtype}, PyTorch has {want['d']}"
    relative, absolute = tolerance(op, dtype)
    values = flat(got.tolist())
    for index, (value, golden) in enumerate(zip(values, want["v"])):
        golden = wanted_number(golden, dtype)
        if not same_number(value, golden, relative, absolute):
            return f"value {index} is {value!r}, PyTorch has {golden!r}"
    if len(values) != len(want["v"]):
        return f"{len(values)} values, PyTorch has {len(want['v'])}"
    return None


def difference(op: str, got, want: dict):
    """None, or what differs between a result and its golden."""
    if "s" in want:
        if not hasattr(got, "tolist"):
            return f"{type(got).__name__}, PyTorch returns a tensor"
        return tensor_difference(op, got, want)
    if "list" in want:
        if not hasattr(got, "__len__") or len(got) != len(want["list"]):
            return f"{got!r}, PyTorch returns {len(want['list'])} tensors"
        for index, (item, golden) in enumerate(zip(got, want["list"])):
            found = difference(op, item, golden)
            if found:
                return f"result {index}: {found}"
        return None
    if "dtype" in want:
        return None if dtype_name(got) == want["dtype"] else f"{got}, PyTorch has {want['dtype']}"
    golden = want["value"]
    if isinstance(golden, str):
        golden = WORDS[golden]
    if isinstance(golden, list):
        got = flat(got)
        golden = flat(golden)
        golden = [WORDS.get(value, value) if isinstance(value, str) else value for value in golden]
        same = len(got) == len(golden) and all(same_number(a, b, 0.0, 0.0) for a, b in zip(got, golden))
        return None if same else f"{got}, PyTorch has {golden}"
    return None if same_number(got, golden, 0.0, 0.0) else f"{got!r}, PyTorch has {golden!r}"
