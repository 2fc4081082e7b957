"""Reads the operator goldens and runs one case."""

import builtins
import json
from pathlib import Path

from compare import difference
from layouts import placements
from recipes import build, invoke, materialise, tensors_of

FOLDER = Path(__file__).resolve().parent.parent / "goldens" / "ops"
CREATORS = ("zeros", "ones", "full", "arange", "eye", "linspace", "tensor")


def load() -> dict:
    """(family, operator) to its cases, in file order."""
    groups = {}
    for path in sorted(FOLDER.glob("*.jsonl")):
        with open(path) as file:
            head = json.loads(file.readline())
            count = 0
            for line in file:
                case = json.loads(line)
                case["line"] = count + 2
                groups.setdefault((path.stem, case["op"]), []).append(case)
                count += 1
        if count != head["cases"]:
            raise ValueError(f"{path.name} has {count} cases, its head says {head['cases']}")
    return groups


def mutates(case: dict) -> bool:
    return "base" in case or case["op"].endswith("_") or case["op"] == "setitem"


def has_tensor(case: dict) -> bool:
    return bool(tensors_of([case["args"], list(case.get("kw", {}).values())]))


# How a write to a view of a sharded dimension is refused.
COPIED_VIEW = "is a view of a sharded dimension"


def settle(result):
    """Waits for tensors: errors that depend on values are raised here."""
    for each in result if isinstance(result, (list, tuple)) else [result]:
        if hasattr(each, "tolist"):
            each.tolist()


def run(library, case: dict, mesh=None, plan=None):
    """None, or how the case differs from its golden, on one device or over a mesh."""
    bases = []
    count = 0

    def options(spec):
        nonlocal count
        count += 1
        if mesh is None:
            return {}
        seed = 31 * case["line"] + count
        return {
            "device_mesh": mesh,
            "placements": placements(library, spec, plan, seed, partial=not mutates(case)),
        }

    def make(spec):
        base, tensor = build(library, spec, **options(spec))
        bases.append(base)
        return tensor

    try:
        args = [materialise(library, arg, make) for arg in case["args"]]
        kwargs = {name: materialise(library, arg, make) for name, arg in case.get("kw", {}).items()}
        if mesh is not None and case["op"] in CREATORS and case["via"] == "fn" and "out" in case:
            kwargs.update(options({"t": case["out"]["s"], "d": "bool"}))
    except Exception as error:
        return f"the input could not be built: {type(error).__name__}: {error}"
    try:
        result = invoke(library, case["via"], case["op"], args, kwargs)
        if "err" in case:
            settle(result)  # what depends on values is known when they are read
            if mesh is not None and case["op"] == "view":
                return None  # strides forbid it on one device; gathered shards are dense: see docs/deviations.md
            return f"no error, PyTorch raises {case['err']}"
        if "base" in case:
            found = difference(case["op"], bases[0], case["base"])
            if found:
                return f"written tensor: {found}"
        return difference(case["op"], result, case["out"]) if "out" in case else None
    except Exception as error:
        wanted = case.get("err")
        if wanted is None and mesh is not None and COPIED_VIEW in str(error):
            return None  # refused before anything is written: see docs/deviations.md
        if wanted is None:
            return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        if isinstance(error, NotImplementedError) or not isinstance(error, getattr(builtins, wanted)):
            return f"{type(error).__name__}, PyTorch raises {wanted}"
        return None
