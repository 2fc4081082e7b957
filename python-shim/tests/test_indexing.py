"""Reading and writing by index, on one device and sharded; the values are those of nested Python lists."""

import dtorch
import pytest
from dtorch import Replicate, Shard, init_device_mesh

LAYOUTS = [None, [Shard(0)], [Shard(1)], [Replicate()]]


def made(layout, count=24, shape=(4, 6)):
    x = dtorch.arange(count, dtype=dtorch.int64).view(shape)
    return x if layout is None else x.redistribute(init_device_mesh("cpu", 3), layout)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_reading(layout):
    x = made(layout)
    rows = [[6 * i + j for j in range(6)] for i in range(4)]
    assert x[1].tolist() == rows[1] and x[-1, 2].item() == 20 and x[1:3].tolist() == rows[1:3]
    assert x[:, 1:5:2].tolist() == [row[1:5:2] for row in rows] and x[...].tolist() == rows
    assert x[None, 0].shape == (1, 6) and x[..., 0].tolist() == [0, 6, 12, 18] and x[3:1].shape == (0, 6)
    assert x[[0, 2]].tolist() == [rows[0], rows[2]] and x[:, [1, 3]].tolist() == [[r[1], r[3]] for r in rows]
    assert x[dtorch.tensor([3, 0]), dtorch.tensor([5, 1])].tolist() == [23, 1]
    assert x[x > 20].tolist() == [21, 22, 23] and x[dtorch.tensor([True, False, True, False])].tolist() == rows[::2]
    assert x[dtorch.tensor(2)].tolist() == rows[2] and x[True].shape == (1, 4, 6)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize(
    ("index", "value"),
    [
        (0, 100),
        ((slice(1, 3), slice(2, 5)), 100),
        ((slice(None), 3), 100),
        ((..., slice(0, 6, 2)), 100),
        ((2, 4), 100),
        (slice(0, 0), 100),
        ((slice(1, 4), slice(1, 3)), [[50, 51], [52, 53], [54, 55]]),
        ((slice(None), slice(0, 6, 3)), [[1, 2]]),
        (1, [9, 8, 7, 6, 5, 4]),
        ((slice(2, 4), 5), [70, 71]),
        ((slice(-2, None), slice(-3, -1)), 7),
    ],
    ids=str,
)
def test_writing_parts(layout, index, value):
    expected = made(None)
    expected[index] = value if isinstance(value, int) else dtorch.tensor(value)
    x = made(layout)
    x[index] = value if isinstance(value, int) else dtorch.tensor(value)
    assert x.tolist() == expected.tolist()
    # The one-device result against lists, for the plain cases.
    if index == (slice(1, 3), slice(2, 5)):
        rows = made(None).tolist()
        for i in (1, 2):
            rows[i][2:5] = [100] * 3
        assert x.tolist() == rows


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_writing_by_tensors(layout):
    x = made(layout)
    x[x > 20] = 0
    x[dtorch.tensor([0, 1])] = dtorch.tensor([1, 1, 1, 1, 1, 1])
    assert x.tolist() == [[1] * 6, [1] * 6, [12, 13, 14, 15, 16, 17], [18, 19, 20, 0, 0, 0]]


def test_writing_to_a_sharded_dim_gathers_nothing():
    graph = dtorch.Graph.default_graph()
    x = made([Shard(0)])
    graph.clear_communication_record()
    x[1:3] = 5
    graph.sync()
    assert graph.communication_record() == [] and x.placements == [Shard(0)]


def test_views_share_and_see():
    x = dtorch.zeros(3, 4)
    row = x[1]
    row.fill_(2)
    x[:, 0] = 7
    assert row.tolist() == [7.0, 2.0, 2.0, 2.0]


def test_values_are_broadcast_and_converted():
    x = dtorch.zeros(2, 3)
    x[0] = [1, 2, 3]
    x[1] = dtorch.tensor([[4]])
    assert x.tolist() == [[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]]


@pytest.mark.parametrize(
    ("index", "error"),
    [(5, IndexError), ((0, 0, 0), IndexError), ("a", IndexError), (slice(None, None, -1), ValueError), (1.5, IndexError)],
)
def test_bad_indices(index, error):
    with pytest.raises(error):
        made(None)[index]
