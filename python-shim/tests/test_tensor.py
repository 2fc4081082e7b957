"""dtorch.Tensor: what it says about itself, how it prints, Python's protocols, copies, where it lies."""

import asyncio
import copy
import pickle

import dtorch
import pytest
from dtorch import Partial, Replicate, Shard, init_device_mesh


def mesh(size=2, name="dp"):
    return init_device_mesh("cpu", (size,), mesh_dim_names=[name])


def test_printed_as_documented():
    x = dtorch.tensor([[1.0, 2.0], [3.0, 4.0]], device_mesh=mesh(), placements=[Shard(0)])
    assert repr(x) == (
        "dtorch tensor([[1., 2.],\n        [3., 4.]])\n"
        "shape=torch.Size([2, 2]), dtype=torch.float32,\n"
        "device_mesh=DeviceMesh('cpu', dim_name: ['dp'], shape: (2,), data: [0, 1]), placements=[Shard(0)]"
    )


def test_what_it_is():
    x = dtorch.zeros(2, 3, device_mesh=mesh(), placements=[Shard(1)])
    assert x.shape == (2, 3) and repr(x.shape) == "torch.Size([2, 3])" and x.shape[-1] == 3 and x.shape.numel() == 6
    assert repr(x.shape[:1] + (5,)) == "torch.Size([2, 5])"
    assert (x.ndim, x.dim(), x.size(0), x.size(-1), x.numel(), len(x)) == (2, 2, 2, 3, 6, 2)
    assert x.dtype is dtorch.float32 and str(x.dtype) == "torch.float32" and x.dtype.itemsize == 4
    assert x.is_dtensor and x.device == dtorch.device("cpu") and x.device_mesh == mesh()
    assert x.placements == [Shard(1)] and x.placements is not x.placements
    assert x.graph == dtorch.Graph.default_graph() and x.data is x and x.grad is None and not x.requires_grad
    one = dtorch.ones(2, device="cuda:1")
    assert not one.is_dtensor and str(one.device) == "cuda:1" and one.is_cuda
    with pytest.raises(IndexError):
        x.size(2)
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'nonsense'"):
        x.nonsense


def test_attributes_and_subclasses():
    x = dtorch.ones(2)
    x.note = "kept"
    assert x.note == "kept"

    class Special(dtorch.Tensor):
        pass

    special = Special(x)
    special.fill_(3)
    assert isinstance(special, dtorch.Tensor) and x.tolist() == [3.0, 3.0] and type(special + 1) is dtorch.Tensor


def test_numbers():
    assert dtorch.tensor(2.5).item() == 2.5 and dtorch.tensor([[7]]).item() == 7 and dtorch.tensor(True).item() is True
    assert int(dtorch.tensor(3.9)) == 3 and float(dtorch.tensor(2)) == 2.0 and [10, 20, 30][dtorch.tensor(1)] == 20
    assert bool(dtorch.tensor(0.0)) is False and f"{dtorch.tensor(1.5):.2f}" == "1.50"
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        bool(dtorch.ones(2))
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        dtorch.ones(2).item()
    with pytest.raises(TypeError, match="only integer tensors"):
        [1, 2][dtorch.tensor(1.0)]


def test_iteration_and_membership():
    x = dtorch.arange(6).view(3, 2)
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert [[a.item() for a in row] for row in x] == x.tolist()
    assert 5 in x and 6 not in x
    for call in (len, iter):
        with pytest.raises(TypeError, match="0-d tensor"):
            call(dtorch.tensor(1))
    assert {x: "key"}[x] == "key"


def test_lists():
    assert dtorch.zeros(0).tolist() == [] and dtorch.zeros(2, 0, 3).tolist() == [[], []]
    assert dtorch.tensor([[True, False]]).tolist() == [[True, False]] and dtorch.tensor(3).tolist() == 3


def test_operators():
    x, y = dtorch.tensor([1, 2, 3]), dtorch.tensor([4, 5, 6])
    assert (x + y).tolist() == [5, 7, 9] and (10 - x).tolist() == [9, 8, 7] and (x / 2).tolist() == [0.5, 1.0, 1.5]
    assert (2**x).tolist() == [2, 4, 8] and (7 // x).tolist() == [7, 3, 2] and (7 % y).tolist() == [3, 2, 1]
    assert (x @ y).item() == 32 and (-x).tolist() == [-1, -2, -3] and abs(-x).tolist() == [1, 2, 3]
    assert (6 / x).tolist() == [6.0, 3.0, 2.0] and (x & 1).tolist() == [1, 0, 1] and (~(x > 1)).tolist() == [True, False, False]
    assert (x == 2).tolist() == [False, True, False] and (x != y).all().item()
    assert (x == None) is False and (x == "text") is False  # noqa: E711
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "text"
    with pytest.raises(TypeError, match="invert"):
        ~dtorch.ones(2)


def test_in_place_operators_keep_the_object():
    x = dtorch.ones(2)
    same, view = x, x[:1]
    x += 1
    x *= dtorch.tensor([2.0, 3.0])
    assert x is same and x.tolist() == [4.0, 6.0] and view.tolist() == [4.0]
    assert x.add_(1) is x and x.unsqueeze_(0) is x and x.shape == (1, 2)


def test_where_the_result_is_an_argument():
    x = dtorch.ones(2)
    assert x.float() is x and x.to(dtorch.float32) is x and x.cpu() is x and x.double() is not x
    assert dtorch.cat([x]).tolist() == [1.0, 1.0]


def test_to():
    x = dtorch.ones(2)
    assert x.to("cuda").device.type == "cuda" and x.to(dtype=dtorch.int64).dtype is dtorch.int64
    assert x.to("cuda", dtorch.float64).dtype is dtorch.float64 and x.to(dtorch.ones(1).long()).dtype is dtorch.int64
    for args, kwargs in [((1.5,), {}), ((dtorch.float32, dtorch.int64), {}), ((), {"colour": 1})]:
        with pytest.raises(KeyError):
            x.to(*args, **kwargs)
    with pytest.raises(KeyError, match="redistribute"):
        dtorch.ones(4, device_mesh=mesh(), placements=[Shard(0)]).cuda()
    assert dtorch.Tensor.parser_tensor_to_function_arg((dtorch.int8,), {}) == (None, dtorch.int8)


def test_data():
    x, y = dtorch.ones(2), dtorch.zeros(3)
    x.data = y
    y.fill_(4)
    assert x.tolist() == [4.0, 4.0, 4.0]


def test_copies():
    x = dtorch.arange(4, device_mesh=mesh(), placements=[Shard(0)])
    x.note = [1]
    shallow, deep = copy.copy(x), copy.deepcopy(x)
    x[0] = 9
    assert shallow.tolist() == [9, 1, 2, 3] and deep.tolist() == [0, 1, 2, 3]
    assert deep.note == [1] and deep.note is not x.note and deep.placements == [Shard(0)]
    back = pickle.loads(pickle.dumps(x))
    assert back.tolist() == x.tolist() and back.placements == [Shard(0)] and back.dtype is dtorch.int64
    for value in (dtorch.float32, dtorch.device("cuda:1"), dtorch.Size([2, 3]), Shard(1), Partial(), mesh()):
        assert pickle.loads(pickle.dumps(value)) == value


def test_redistribute():
    x = dtorch.arange(6, device_mesh=mesh(), placements=[Shard(0)])
    whole = x.redistribute(placements=[Replicate()])
    assert whole.placements == [Replicate()] and whole.tolist() == x.tolist()
    assert x.redistribute(mesh(2, "other")).placements == [Replicate()]
    assert x.redistribute(mesh(), Replicate()).placements == [Replicate()]
    assert x.redistribute_like(whole).placements == [Replicate()]
    with pytest.raises(AssertionError):
        x.redistribute()
    with pytest.raises(ValueError):
        x.redistribute(placements=[Replicate(), Replicate()])
    assert "all-gather" in x.explain_redistribute(placements=[Replicate()])
    assert dtorch.explain_redistribute(x, placements=[Replicate()]) == x.explain_redistribute(placements=[Replicate()])
    assert x.check_placement(0, Shard(0)) and not x.check_placement(0, Replicate())


def test_redistribute_by_dict():
    two = init_device_mesh("cpu", (2, 2), mesh_dim_names=["dp", "tp"])
    x = dtorch.ones(4, 1, device_mesh=two, placements=[Shard(0), Replicate()])
    assert x.redistribute_by_dict(placements_dict={"tp": Shard(0)}, default_placement_mode="keep").placements == [
        Shard(0),
        Shard(0),
    ]
    assert x.redistribute_by_dict(placements_dict={"tp": Shard(0)}, default_placement_mode="replicate").placements == [
        Replicate(),
        Shard(0),
    ]
    with pytest.raises(KeyError, match="dp"):
        x.redistribute_by_dict(placements_dict={"tp": Shard(0)})
    with pytest.raises(AssertionError):
        x.redistribute_by_dict(placements_dict={"tp": Shard(0)}, default_placement_mode="guess")
    one = x.redistribute_by_dict(placements_dict={0: Replicate(), 1: Shard(1)})
    assert one.placements == [Replicate(), Replicate()]  # a dimension of size 1 is not sharded
    single = x.redistribute_by_dict(dtorch.DeviceMesh("cpu"), {"dp": Shard(0)})
    assert single.placements == [Replicate()] and not single.is_dtensor
    (again,) = dtorch.tensors_redistribute_by_dict([x], placements_dict={"dp": Replicate(), "tp": Replicate()})
    assert again.placements == [Replicate(), Replicate()]


def test_copy_from_another_mesh():
    x = dtorch.zeros(4, device_mesh=mesh(), placements=[Shard(0)])
    y = dtorch.arange(4.0, device_mesh=dtorch.DeviceMesh("cpu", [4, 5]), placements=[Shard(0)])
    assert x.copy_(y) is x and x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_partial_value_lies_on_the_first_device():
    x = dtorch.ones(3, device_mesh=mesh(), placements=[Partial()])
    assert x.placements == [Partial()] and x.tolist() == [1.0, 1.0, 1.0]


def test_futures():
    future = (dtorch.ones(4, device_mesh=mesh(), placements=[Shard(0)]) * 2).to_torch_async()
    assert future.wait_for(1000) and future.is_ready() and future.get().tolist() == [2.0] * 4
    future.wait()

    async def script():
        return await dtorch.ones(2).to_torch_async()

    assert asyncio.run(script()).tolist() == [1.0, 1.0]
    whole = dtorch.ones(2, device_mesh=mesh(), placements=[Partial()]).to_torch()
    assert not whole.is_dtensor and whole.tolist() == [1.0, 1.0]


def test_classes_by_dtype():
    x = dtorch.ones(2)
    assert isinstance(x, dtorch.FloatTensor) and not isinstance(x, dtorch.LongTensor)
    assert isinstance(dtorch.LongTensor([1, 2]), dtorch.LongTensor) and x.type() == "torch.FloatTensor"
    assert dtorch.get_data_type_tensor(dtorch.float32)([1.0]).dtype is dtorch.float32


def test_construction():
    assert dtorch.Tensor([1, 2]).dtype is dtorch.float32 and dtorch.Tensor(2, 3).shape == (2, 3)
    assert dtorch.Tensor().shape == (0,) and dtorch.Tensor(dtorch.Size([2])).shape == (2,)
    x = dtorch.ones(2)
    dtorch.Tensor(x).fill_(5)
    assert x.tolist() == [5.0, 5.0]
    with pytest.raises(AssertionError):
        dtorch.zeros(2, device="cpu", device_mesh=mesh())


def test_what_is_missing_says_so():
    with pytest.raises(NotImplementedError, match="backward"):
        dtorch.ones(1).backward()
    with pytest.raises(NotImplementedError, match="requires_grad"):
        dtorch.ones(1).requires_grad = True
    with pytest.raises(NotImplementedError, match="dtorch.from_numpy"):
        dtorch.from_numpy(None)
    assert not hasattr(dtorch, "nonsense")
