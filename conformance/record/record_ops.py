"""Records the operator goldens: runs every case of every family in PyTorch and writes goldens/ops/FAMILY.jsonl.

    python conformance/record/record_ops.py            all families
    python conformance/record/record_ops.py unary      some

Needs CPython with PyTorch on CPU. The first line of each file says which versions made it.
"""

import json
import math
import platform
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "replay")]

import contraction  # noqa: E402
import creation  # noqa: E402
import numpy as np  # noqa: E402
import pointwise  # noqa: E402
import reduction  # noqa: E402
import structure  # noqa: E402
import torch  # noqa: E402
from recipes import build, invoke, materialise  # noqa: E402

MODULES = (pointwise, reduction, contraction, structure, creation)
GOLDENS = HERE.parent / "goldens" / "ops"
# A result above this many values would be data, not a golden.
MOST_VALUES = 160


def number(value, dtype):
    """A value as JSON: shortest digits that give the same float32; words for what JSON lacks."""
    if isinstance(value, bool) or isinstance(value, int):
        return value
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if dtype == torch.float32:
        return float(str(np.float32(value)))
    return value


def described(result):
    if isinstance(result, torch.Tensor):
        if result.numel() > MOST_VALUES:
            raise AssertionError(f"a result of {result.numel()} values is too large for a golden")
        values = [number(value, result.dtype) for value in result.flatten().tolist()]
        return {"s": list(result.shape), "d": str(result.dtype).removeprefix("torch."), "v": values}
    if isinstance(result, (list, tuple)) and not isinstance(result, torch.Size):
        return {"list": [described(item) for item in result]}
    if isinstance(result, torch.Size):
        return {"value": list(result)}
    if isinstance(result, torch.dtype):
        return {"dtype": str(result).removeprefix("torch.")}
    if isinstance(result, float):
        return {"value": number(result, None)}
    return {"value": result}


def outcome(case: dict):
    """The case with its result, or None where PyTorch has no kernel and so says nothing."""
    bases = []

    def make(spec):
        base, tensor = build(torch, spec)
        bases.append(base)
        return tensor

    args = [materialise(torch, arg, make) for arg in case["args"]]
    kwargs = {name: materialise(torch, arg, make) for name, arg in case.get("kw", {}).items()}
    try:
        result = invoke(torch, case["via"], case["op"], args, kwargs)
    except Exception as error:
        if "not implemented for" in str(error):
            return None
        return {**case, "err": type(error).__name__}
    mutates = (
        case["op"].endswith("_") and not case["op"].endswith("__") and case["via"] == "m" or case["op"] == "setitem"
    )
    if mutates:
        case = {**case, "base": described(bases[0])}
    if case["op"] == "setitem":
        return case
    return {**case, "out": described(result)}


def main():
    torch.set_num_threads(1)
    wanted = set(sys.argv[1:])
    warnings.simplefilter("ignore")
    GOLDENS.mkdir(parents=True, exist_ok=True)
    total = 0
    for module in MODULES:
        for make_family in module.FAMILIES:
            family = make_family()
            if wanted and family.name not in wanted:
                continue
            recorded, seen = [], set()
            for case in family.cases:
                text = json.dumps(case)
                if text in seen:
                    continue
                seen.add(text)
                try:
                    done = outcome(case)
                except Exception as error:
                    raise RuntimeError(f"case {text}") from error
                if done is not None:
                    recorded.append(done)
            head = {"torch": torch.__version__, "python": platform.python_version(), "cases": len(recorded)}
            path = GOLDENS / f"{family.name}.jsonl"
            with open(path, "w") as file:
                for line in [head, *recorded]:
                    file.write(json.dumps(line, separators=(",", ":")) + "\n")
            errors = sum("err" in case for case in recorded)
            print(
                f"{family.name}: {len(recorded)} cases, {errors} errors, {len({c['op'] for c in recorded})} operators,"
                f" {len(family.cases) - len(recorded)} without kernel or doubled, {path.stat().st_size // 1024} KiB"
            )
            total += len(recorded)
    print(f"{total} cases")


if __name__ == "__main__":
    main()
