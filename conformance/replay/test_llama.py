"""The seeded Llama of the examples gives the logits that Hugging Face's model gives in PyTorch, on every mesh."""

import json
import sys
from pathlib import Path

import dtorch
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import llama_parallel  # noqa: E402
from llama import Llama, LlamaConfig, mesh_from_text, our_name  # noqa: E402

GOLDEN = json.loads((ROOT / "conformance" / "goldens" / "llama.json").read_text())
# Logits are around 1 and pass four layers of float32 sums of at most 176 terms.
TOLERANCE = 1e-4


def largest_difference(got, want) -> float:
    """Over nested lists of equal shape."""
    if isinstance(want, list):
        assert len(got) == len(want)
        return max(largest_difference(a, b) for a, b in zip(got, want))
    return abs(got - want)


def test_the_example_is_what_was_recorded():
    config = LlamaConfig()
    assert {name: getattr(config, name) for name in GOLDEN["config"]} == GOLDEN["config"]
    assert llama_parallel.SEED == GOLDEN["seed"]
    assert [llama_parallel.BATCH, llama_parallel.LENGTH, config.vocab_size] == GOLDEN["shape"]


def test_parameters():
    model = llama_parallel.build(None, mesh_from_text(""))
    ours = dict(model.named_parameters())
    for name, golden in GOLDEN["parameters"].items():
        value = ours.pop(our_name(name))
        assert largest_difference(value.flatten()[:3].tolist(), golden["first"]) <= 2e-6, name
        assert abs(value.double().sum().item() - golden["sum"]) <= 1e-3, name
    assert all("norm" in name for name in ours)


@pytest.mark.parametrize("text", ["", *llama_parallel.MESHES])
def test_logits(text):
    logits, _ = llama_parallel.run(None, text, "cpu")
    assert list(logits.shape) == GOLDEN["shape"]
    values = logits.tolist()
    kept = len(GOLDEN["logits"][0][0])
    picked = [[row[position][:kept] for position in GOLDEN["positions"]] for row in values]
    assert largest_difference(picked, GOLDEN["logits"]) <= TOLERANCE
    sums = [[sum(position) for position in row] for row in values]
    squares = [[sum(x * x for x in position) for position in row] for row in values]
    assert largest_difference(sums, GOLDEN["row_sums"]) <= 512 * TOLERANCE
    assert largest_difference(squares, GOLDEN["row_square_sums"]) <= 512 * TOLERANCE
    if text == "":
        assert logits.argmax(-1).tolist() == GOLDEN["argmax"]


def test_more_tensor_parallel_devices_than_key_value_heads():
    with pytest.raises(ValueError, match="num_key_value_heads=4 .*tp=8"):
        Llama(LlamaConfig(), mesh_from_text("tp=8"))


@pytest.mark.parametrize("text", ["tp", "tp=0", "tp=x", "xx=2", "tp=2,tp=2"])
def test_bad_mesh_text(text):
    with pytest.raises((ValueError, RuntimeError)):
        mesh_from_text(text)


def test_positions_beyond_the_limit():
    model = llama_parallel.build(None, mesh_from_text(""))
    with pytest.raises(ValueError, match="max_position_embeddings=512"):
        model(dtorch.zeros(1, 513, dtype=dtorch.int64))
    with pytest.raises(ValueError, match="max_position_embeddings=512"):
        model.new_cache(513)
