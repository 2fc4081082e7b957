"""Meshes, placements, graphs, dtypes and what belongs to the whole script."""

import dtorch
import pytest
from dtorch import DeviceMesh, Graph, Partial, Placement, Replicate, Shard, init_device_mesh
from dtorch.distributed_spec import get_placements_from_dict


def test_placements():
    assert [repr(p) for p in (Shard(0), Replicate(), Partial(), Partial("max"))] == [
        "Shard(0)",
        "Replicate()",
        "Partial(sum)",
        "Partial(max)",
    ]
    assert Placement("S1") == Shard(1) and Placement("R") == Replicate() and Placement("P") == Partial()
    assert isinstance(Shard(0), Shard) and isinstance(Shard(0), Placement) and not isinstance(Shard(0), Replicate)
    assert Shard(0) != Shard(1) and len({Shard(0), Shard(0), Replicate()}) == 2
    assert Shard(2).is_shard() and Shard(2).is_shard(2) and Shard(2).dim == 2 and Partial().reduce_op == "sum"
    with pytest.raises(ValueError):
        Placement("X")


def test_meshes():
    mesh = init_device_mesh("cuda", (2, None, 2), mesh_dim_names=["dp", "tp"])
    assert repr(mesh) == "DeviceMesh('cuda', dim_name: ['dp', 'tp'], shape: (2, 2), data: [[0, 1], [2, 3]])"
    assert mesh.shape == (2, 2) and mesh.ndim == 2 and mesh.size() == 4 and mesh.is_distributed
    assert mesh.mesh.flatten().tolist() == [0, 1, 2, 3] and mesh.device_type == dtorch.device("cuda")
    assert mesh.dim_names == ["dp", "tp"] and mesh.dim_name_index("tp") == 1 and mesh.dim_name_index("x", -1) == -1
    assert mesh == DeviceMesh("gpu", [[0, 1], [2, 3]], ["dp", "tp"]) and mesh != init_device_mesh("cuda", (2, 2))
    assert [m.mesh.tolist() for m in mesh.unbind("dp")] == [[0, 1], [2, 3]] and mesh.unbind("none") == [mesh]
    assert mesh["tp"].mesh.tolist() == [0, 1] and mesh["dp"].mesh.tolist() == [0, 2]
    assert init_device_mesh("cpu", 3).shape == (3,) and DeviceMesh("cuda:1").mesh.tolist() == [1]
    assert DeviceMesh(mesh) == mesh and str(mesh.first_device()) == "cuda:0"
    for wrong in (lambda: DeviceMesh("cpu", [0, 0]), lambda: DeviceMesh("cpu", [0, 1], ["a", "b"]), lambda: mesh.unbind(5)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(KeyError):
        mesh["nothing"]
    with pytest.raises(AssertionError):
        init_device_mesh("cpu", (0,))
    with pytest.raises(AssertionError):
        mesh.check_all_dim_names_in_set({"dp"})


def test_placements_by_dict():
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=["dp", "tp"])
    assert get_placements_from_dict(mesh, {"tp": Shard(1), "cp": Shard(0)}, default_placement_mode="replicate") == [
        Replicate(),
        Shard(1),
    ]
    with pytest.raises(KeyError):
        get_placements_from_dict(mesh, {})
    with pytest.raises(AssertionError):
        get_placements_from_dict(mesh, {"tp": Shard(0)}, default_placement_mode="keep")
    with pytest.raises(AssertionError):
        get_placements_from_dict(mesh, {"tp": Shard(0), 0: Shard(0)})
    with pytest.raises(ValueError):
        get_placements_from_dict(init_device_mesh("cpu", 2), {"tp": Shard(0)})


def test_graph_guards():
    graph = Graph.default_graph()
    assert Graph.default_graph() is graph and repr(graph) == f"dtorch.Graph with id: {graph.id}"
    mesh = init_device_mesh("cpu", 2)
    with graph.device_mesh_guard(mesh), graph.dtype_guard(dtorch.float64):
        x = dtorch.ones(2)
        assert x.device_mesh == mesh and x.dtype is dtorch.float64 and dtorch.tensor([1.5]).dtype is dtorch.float64
        assert dtorch.arange(3).dtype is dtorch.int64 and dtorch.tensor([1]).dtype is dtorch.int64
    with pytest.raises(ZeroDivisionError), graph.device_mesh_guard("cuda"):
        raise ZeroDivisionError
    assert graph.default_device_mesh == DeviceMesh("cpu") and graph.default_dtype is dtorch.float32


def test_graphs_do_not_meet():
    other = Graph()
    assert other != Graph.default_graph() and dtorch.ones(2, graph=other).graph is other
    with pytest.raises(ValueError, match="same graph"):
        dtorch.ones(2, graph=other) + dtorch.ones(2)
    with pytest.raises(KeyError):
        Graph("cpu")


def test_memory_and_communication():
    graph, mesh = Graph.default_graph(), init_device_mesh("cpu", 2, mesh_dim_names=["tp"])
    x = dtorch.ones(1024, device_mesh=mesh, placements=[Shard(0)])
    stats = graph.get_memory_stats(mesh)
    assert stats.size == 2 and stats.find(0).memory_allocated >= 2048 and stats.find(7) is None
    graph.clear_communication_record()
    x.redistribute(placements=[Replicate()])
    graph.sync()
    (entry,) = graph.communication_record()
    assert (entry.op, entry.mesh_dim, entry.bytes) == ("all-gather", "tp", 4096)
    future = graph.sync_future()
    future.wait()
    assert future.is_ready() and future.get() is None
    graph.empty_cache()


def test_dtypes():
    assert dtorch.double is dtorch.float64 and dtorch.finfo(dtorch.float32).max == 3.4028234663852886e38
    assert dtorch.iinfo(dtorch.uint8).max == 255 and dtorch.iinfo(dtorch.int16).min == -32768
    assert dtorch.finfo(dtorch.bfloat16).eps == 0.0078125 and dtorch.bfloat16.is_floating_point
    assert repr(dtorch.device("cuda", 1)) == "device(type='cuda', index=1)" and dtorch.device("cpu") != "cpu"
    with pytest.raises(RuntimeError):
        dtorch.device("tpu")
    with pytest.raises(TypeError):
        dtorch.iinfo(dtorch.float32)


def test_seeds():
    dtorch.manual_seed(0)
    first = dtorch.rand(3).tolist()
    # torch.manual_seed(0); torch.rand(3)
    assert first == pytest.approx([0.4962565899, 0.7682217956, 0.0884774327], abs=1e-9)
    generator = dtorch.Generator().manual_seed(0)
    assert dtorch.rand(3, generator=generator).tolist() == first and generator.initial_seed() == 0
    state = dtorch.get_rng_state()
    again = dtorch.rand(2).tolist()
    dtorch.set_rng_state(state)
    assert dtorch.rand(2).tolist() == again


def test_modes():
    mesh = init_device_mesh("cpu", 2)
    x = dtorch.ones(4, 4, device_mesh=mesh, placements=[Shard(0)])
    y = dtorch.ones(4, 4, device_mesh=mesh, placements=[Shard(1)])
    assert (x + y).tolist() == [[2.0] * 4] * 4
    dtorch.set_placement_mode("strict")
    try:
        with pytest.raises(ValueError, match="add"):
            x + y
    finally:
        dtorch.set_placement_mode("implicit")
    with pytest.raises(ValueError):
        dtorch.set_placement_mode("loose")

    @dtorch.no_grad()
    def decorated(value):
        return value + 1

    with dtorch.no_grad():
        assert decorated(1) == 2
    assert dtorch.no_grad(decorated)(1) == 2 and dtorch.is_main_process() and not dtorch.is_grad_enabled()


def test_enumerations():
    assert repr(dtorch.PaddingType.same) == "dtorch.PaddingType(same)" and dtorch.PoolingKind.max.value == 1
    assert dtorch.OperatorFormat.nchw == 0 and hash(dtorch.OperatorFormat.nhwc)


def test_nvtx():
    from dtorch.cuda import nvtx

    nvtx.range_push("a")
    nvtx.range_pop()
    with nvtx.range("{}", None, "x"):
        pass
    with pytest.raises(ValueError):
        nvtx.mark("")


def test_every_name_is_there():
    names = dir(dtorch)
    for name in "Tensor tensor arange matmul softmax Graph Shard manual_seed nn cuda SdpaOption FloatTensor".split():
        assert name in names and getattr(dtorch, name) is not None
    namespace = {}
    exec("from dtorch import *", namespace)
    assert namespace["Shard"] is Shard and namespace["arange"] is dtorch.arange
