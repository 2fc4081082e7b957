"""Records what PyTorch computes for a few calls of the dense kernels.

Run: python conformance/record/dense_kernels.py
Writes java-core/src/test/resources/goldens/dense_kernels.json. Inputs are not stored: element i of an input with seed s is
((37 i + 11 s) mod 101 - 50) / 16, which every float dtype holds exactly.
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F

OUT = pathlib.Path(__file__).parents[2] / "java-core/src/test/resources/goldens/dense_kernels.json"
DTYPES = ["float64", "float32", "bfloat16", "float16"]


def data(seed, shape, dtype):
    values = [((37 * i + 11 * seed) % 101 - 50) / 16 for i in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).reshape(shape).to(getattr(torch, dtype))


def attention(q, k, v, causal):
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.125, enable_gqa=True)


CASES = [
    ("linear", [(3, 40), (5, 40), (5,)], [], lambda x, w, b: F.linear(x, w, b)),
    ("matmul", [(2, 4, 21), (2, 21, 6)], [], torch.matmul),
    ("softmax", [(3, 37)], [1], lambda x: x.softmax(1)),
    ("softmax", [(20, 33)], [0], lambda x: x.softmax(0)),
    ("log_softmax", [(3, 37)], [1], lambda x: x.log_softmax(1)),
    ("log_softmax", [(20, 33)], [0], lambda x: x.log_softmax(0)),
    ("layer_norm", [(2, 3, 19), (3, 19), (3, 19)], [2, 1e-5], lambda x, w, b: F.layer_norm(x, (3, 19), w, b, 1e-5)),
    ("rms_norm", [(4, 70), (70,)], [1, 1e-5], lambda x, w: F.rms_norm(x, (70,), w, 1e-5)),
    ("group_norm", [(2, 6, 5), (6,), (6,)], [3, 1e-5], lambda x, w, b: F.group_norm(x, 3, w, b, 1e-5)),
    ("attention", [(1, 4, 9, 16), (1, 2, 9, 16), (1, 2, 9, 16)], [True], lambda q, k, v: attention(q, k, v, True)),
    ("attention", [(2, 2, 1, 8), (2, 2, 20, 8), (2, 2, 20, 8)], [False], lambda q, k, v: attention(q, k, v, False)),
]


def main():
    cases = []
    for name, shapes, args, function in CASES:
        for dtype in DTYPES:
            result = function(*(data(seed, shape, dtype) for seed, shape in enumerate(shapes)))
            digits = 17 if dtype == "float64" else 9
            cases.append({
                "kernel": name,
                "dtype": dtype,
                "inputs": [list(shape) for shape in shapes],
                "args": args,
                "shape": list(result.shape),
                "values": [float(f"{v:.{digits}g}") for v in result.double().flatten().tolist()],
            })
    lines = ",\n".join(json.dumps(case) for case in cases)
    OUT.write_text('{"torch": "%s", "cases": [\n%s\n]}\n' % (torch.__version__.split("+")[0], lines))


if __name__ == "__main__":
    main()
