"""examples/generate.py continues the recorded prompts token for token, alone and as one batch, on every mesh."""

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import generate  # noqa: E402

MESHES = [
    "",
    "tp=2",
    "tp=4",
    "dp=2,tp=2",
    "pp=5",
    "ulysess_cp=2",
    "ring_cp=4",
    "dp=2,tp=2,pp=2,ulysess_cp=2,ring_cp=2",
]
FULL = os.environ.get("DTORCH_TEST_FULL") == "1"
# An ordinary run takes one device and the mesh with every kind of parallelism.
ORDINARY_MESHES = MESHES if FULL else [MESHES[0], MESHES[-1]]
FOLDER = next((p / "shared/data/stories260K" for p in ROOT.parents if (p / "shared/data/stories260K").is_dir()), None)


@pytest.fixture(scope="module")
def cases():
    if FOLDER is None:
        if os.environ.get("CI") == "true":
            pytest.fail("shared/data/stories260K is not beside the project")
        pytest.skip("shared/data/stories260K is not beside the project")
    return json.loads((FOLDER / "expected.json").read_text())["cases"]


def results(capsys, *args) -> list:
    assert generate.main(["--weights", str(FOLDER), "--json", *args]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("mesh", ORDINARY_MESHES)
def test_a_batch(cases, capsys, mesh):
    prompts = [word for case in cases for word in ("--prompt", case["prompt"])]
    found = results(capsys, "--mesh", mesh, "--max-length", "200", *prompts)
    assert [row["ids"] for row in found] == [case["ids"] for case in cases]
    assert [row["text"] for row in found] == [case["text"] for case in cases]


@pytest.mark.parametrize("mesh", ["", "dp=2,tp=2", "ring_cp=4", "ulysess_cp=2"] if FULL else ["tp=2"])
def test_one_prompt_each(cases, capsys, mesh):
    for case in cases:
        count = 40
        (row,) = results(capsys, "--mesh", mesh, "--max-tokens", str(count), "--prompt", case["prompt"])
        assert row["ids"] == case["ids"][: len(case["prompt_ids"]) + count]


def test_sampling_repeats_with_its_seed(cases, capsys):
    options = ["--temperature", "0.9", "--top-p", "0.9", "--max-tokens", "30", "--prompt", "Once upon a time", "--seed"]
    first, again, other = (results(capsys, *options, seed)[0]["ids"] for seed in ("1", "1", "2"))
    assert first == again != other


def test_a_small_nucleus_is_greedy(cases, capsys):
    options = ["--max-tokens", "20", "--prompt", "Once upon a time"]
    assert results(capsys, *options) == results(capsys, *options, "--temperature", "1", "--top-p", "0.0001")


@pytest.mark.parametrize(
    "bad",
    [["--top-p", "0"], ["--top-p", "1.5"], ["--temperature", "-1"], ["--max-tokens", "1", "--max-length", "2"]],
)
def test_bad_options(cases, bad):
    with pytest.raises(SystemExit) as stopped:
        generate.main(["--weights", str(FOLDER), "--prompt", "Once", *bad])
    assert stopped.value.code == 2
