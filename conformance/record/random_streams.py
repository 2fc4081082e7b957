"""Records PyTorch's CPU random streams: python random_streams.py OUT_DIRECTORY

Each sequence seeds one generator and makes its calls in a row, so that a call sees what the earlier ones left behind
(words of the twister, the cached normal value). A call keeps its first and last eight values as raw bits and a digest
of all; a sequence ends with a digest of the generator's state.
"""

import hashlib
import json
import pathlib
import platform
import sys

import torch

SIZES = [1, 5, 15, 16, 17, 31, 100, 100003]
FLOATS = ["float32", "float64", "float16", "bfloat16"]


def bits(tensor):
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    return tensor.view(width)


def record(kind, dtype, size, args, tensor):
    raw = bits(tensor)
    mask = (1 << (8 * tensor.element_size())) - 1
    edge = [format(int(v) & mask, "x") for v in raw[:8]] + [format(int(v) & mask, "x") for v in raw[-8:]]
    return {
        "kind": kind,
        "dtype": dtype,
        "size": size,
        "args": args,
        "edge": " ".join(edge),
        "sha256": hashlib.sha256(raw.numpy().tobytes()).hexdigest(),
    }


def call(generator, kind, dtype, size, *args):
    t = torch.empty(size, dtype=getattr(torch, dtype))
    if kind == "uniform":
        t.uniform_(*args, generator=generator)
    elif kind == "normal":
        t.normal_(*args, generator=generator)
    elif kind == "integers":
        t.random_(*args, generator=generator)
    elif kind == "bernoulli":
        t.bernoulli_(*args, generator=generator)
    elif kind == "bernoulli_each":
        t = torch.bernoulli(torch.arange(size, dtype=t.dtype) / size, generator=generator)
    elif kind == "exponential":
        t.exponential_(*args, generator=generator)
    elif kind == "randperm":
        t = torch.randperm(size, generator=generator)
    return record(kind, dtype, size, [str(a) for a in args], t)


def sequence(seed, calls):
    generator = torch.Generator().manual_seed(seed)
    results = [call(generator, *c) for c in calls]
    state = generator.get_state().numpy().tobytes()
    return {"seed": seed, "calls": results, "state_sha256": hashlib.sha256(state).hexdigest()}


def sequences():
    for seed in (0, 1, 42, -5, 2**63 - 1):
        for dtype in FLOATS:
            yield seed, [("uniform", dtype, n, 0.0, 1.0) for n in SIZES]
            yield seed, [("normal", dtype, n, 0.0, 1.0) for n in SIZES]
    odd = [3, 1, 16, 7, 20, 1, 1, 33, 2]
    for dtype in FLOATS:
        yield 7, [("normal", dtype, n, 0.25, 1.75) for n in odd]
        yield 7, [("uniform", dtype, n, -0.3, 0.7) for n in odd + [100003]]
        yield 7, [(k, dtype, n) + a for n in odd for k, a in (("normal", (0.0, 0.02)), ("uniform", (2.0, 5.0)))]
        yield 7, [("exponential", dtype, n, 1.5) for n in odd + [1000]]
        yield 7, [("bernoulli", dtype, n, 0.3) for n in odd + [1000]]
    for dtype in ("float32", "float64"):
        yield 7, [("bernoulli_each", dtype, n) for n in odd + [1000]]
    for dtype in ("bool", "int32"):
        yield 7, [("bernoulli", dtype, n, 0.3) for n in odd]
    ranges = [(0, 2), (-7, 100), (0, 2**28 - 1), (0, 2**28), (0, 2**32), (-(2**62), 2**62), (-(2**63), 2**63 - 1)]
    yield 3, [("integers", "int64", n) + r for r in ranges for n in odd + [1000]]
    for dtype, low, high in (
        ("int32", -(2**31), 2**31 - 1),
        ("int16", -300, 300),
        ("int8", -128, 127),
        ("uint8", 0, 256),
        ("bool", 0, 2),
        ("float32", 0, 1000),
        ("float64", -5, 2**40),
        ("float16", 0, 100),
        ("bfloat16", 0, 100),
    ):
        yield 3, [("integers", dtype, n, low, high) for n in odd]
    yield 11, [("randperm", "int64", n) for n in (0, 1, 2, 3, 10, 1000, 100003)]
    yield 12, [("uniform", "float32", 65536 + k, 0.0, 1.0) for k in (-1, 0, 15, 16, 17)]
    yield 12, [("normal", "float32", 65536 + k, 0.0, 1.0) for k in (-1, 0, 15, 16, 17, 65536 + 1)]


def main(directory):
    versions = {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "libc": " ".join(platform.libc_ver()),
    }
    data = {"versions": versions, "sequences": [sequence(*s) for s in sequences()]}
    path = pathlib.Path(directory) / "random_streams.json"
    lines = ",\n".join(json.dumps(s) for s in data["sequences"])
    path.write_text('{"versions": %s, "sequences": [\n%s\n]}\n' % (json.dumps(versions), lines))


if __name__ == "__main__":
    main(sys.argv[1])
