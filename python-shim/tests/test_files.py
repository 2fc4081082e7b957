"""Checkpoints and comparison, from Python."""

import json
import struct

import dtorch
import pytest
from dtorch.checkpoint import load_config, load_state_dict
from dtorch.testing import assert_close


def written(folder, name="model.safetensors"):
    values = struct.pack("<6f", *range(6)) + struct.pack("<2q", 7, 8)
    header = json.dumps(
        {
            "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
            "b": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
        }
    ).encode()
    header += b" " * (-len(header) % 8)
    (folder / name).write_bytes(struct.pack("<Q", len(header)) + header + values)


def test_state_dict(tmp_path):
    written(tmp_path)
    state = load_state_dict(tmp_path)
    assert sorted(state) == ["a", "b"] and len(state) == 2 and "c" not in state
    assert state["a"].shape == (2, 3) and state["b"].dtype is dtorch.int64 and state["a"] is state["a"]
    assert state["a"].tensor().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    mesh = dtorch.init_device_mesh("cpu", 2)
    part = state["a"].tensor(dtype=dtorch.float64, device_mesh=mesh, placements=[dtorch.Shard(0)])
    assert part.placements == [dtorch.Shard(0)] and part.dtype is dtorch.float64 and part.tolist()[1] == [3.0, 4.0, 5.0]
    with pytest.raises(KeyError):
        state["c"]
    with pytest.raises(OSError):
        load_state_dict(tmp_path / "nothing")


def test_config(tmp_path):
    (tmp_path / "config.json").write_text('{"hidden_size": 4, "rope": {"factor": 1.5}, "none": null}')
    assert load_config(tmp_path) == {"hidden_size": 4, "rope": {"factor": 1.5}, "none": None}
    (tmp_path / "config.json").write_text("[1")
    with pytest.raises(ValueError):
        load_config(tmp_path)


def test_assert_close():
    x = dtorch.tensor([1.0, 2.0])
    assert_close(x, x + 1e-7)
    assert_close([x, 1], [x, 1])
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2 \\(50.0%\\)"):
        assert_close(x, dtorch.tensor([1.0, 3.0]))
    with pytest.raises(AssertionError, match="'shape' do not match"):
        assert_close(x, dtorch.ones(3))
    with pytest.raises(AssertionError, match="'dtype' do not match"):
        assert_close(x, x.double())
    with pytest.raises(ValueError):
        assert_close(x, x, rtol=1)
