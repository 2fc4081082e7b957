"""Every recorded operator case, on one device and over meshes: same shape, dtype, values or exception as PyTorch."""

import json
import os
from pathlib import Path

import dtorch
import goldens
import pytest
from layouts import MESHES, PLANS

GROUPS = goldens.load()
GAPS = {tuple(gap["case"]): gap["reason"] for gap in json.loads((Path(__file__).parent / "gaps.json").read_text())}
# Single cases that stand in docs/deviations.md: run, not compared.
DEVIATIONS = {tuple(each["case"]) for each in json.loads((Path(__file__).parent / "deviations.json").read_text())}
# An ordinary run takes every fifth sharded case; which ones depends on their place in the file only.
SHARE = 1 if os.environ.get("DTORCH_TEST_FULL") == "1" else 5
# A report names the first few; the rest is a number.
MOST_SHOWN = 8


def describe(case: dict) -> str:
    text = json.dumps({name: case[name] for name in ("via", "args", "kw") if name in case}, separators=(",", ":"))
    return f"line {case['line']}: {text if len(text) <= 300 else text[:297] + '...'}"


def check(key, mode: str, failures: list, count: int):
    gap = GAPS.get((*key, mode)) or GAPS.get((*key, "any"))
    if gap is not None:
        if not failures and count:
            pytest.fail(f"{key} is listed in gaps.json ({gap}) but passes: remove the entry")
        pytest.xfail(gap)
    if failures:
        shown = "\n".join(failures[:MOST_SHOWN])
        more = f"\n… and {len(failures) - MOST_SHOWN} more" if len(failures) > MOST_SHOWN else ""
        pytest.fail(f"{len(failures)} of {count} differ\n{shown}{more}", pytrace=False)


def test_goldens_are_complete():
    assert sum(len(cases) for cases in GROUPS.values()) > 6000
    assert len({op for _, op in GROUPS}) > 200


@pytest.mark.parametrize("key", GROUPS, ids=lambda key: "-".join(key))
def test_one_device(key):
    failures = []
    for case in GROUPS[key]:
        found = goldens.run(dtorch, case)
        if found and (*key, case["line"]) not in DEVIATIONS:
            failures.append(f"{describe(case)}\n    {found}")
    check(key, "one", failures, len(GROUPS[key]))


@pytest.mark.parametrize("key", GROUPS, ids=lambda key: "-".join(key))
def test_sharded(key):
    failures, count = [], 0
    for shape in MESHES:
        mesh = dtorch.init_device_mesh("cpu", shape)
        for case in GROUPS[key]:
            if (case["line"] + sum(shape)) % SHARE != 0:
                continue
            if not goldens.has_tensor(case) and case["op"] not in goldens.CREATORS:
                continue
            for plan in PLANS[shape]:
                count += 1
                found = goldens.run(dtorch, case, mesh, plan)
                if found and (*key, case["line"]) not in DEVIATIONS:
                    failures.append(f"mesh {shape} {plan} {describe(case)}\n    {found}")
    check(key, "sharded", failures, count)
