"""Every code block of the module document runs, and what the document states about it holds."""

import inspect
import re

import dtorch
import pytest
import seeds
from dtorch import Graph, Partial, Replicate, Shard, assign_layers_to_stages, init_device_mesh, nn


def parameters(function) -> list:
    """(name, kind, default) of every parameter but self."""
    signature = inspect.signature(function)
    return [(p.name, p.kind.name, p.default) for p in signature.parameters.values() if p.name != "self"]


def close(got, want, bound=1e-5):
    return (got - want).abs().max().item() <= bound


# --- the manifest ---


def test_every_block_is_classified():
    assert seeds.unclassified() == []


@pytest.mark.parametrize("name", seeds.BLOCKS)
def test_a_forgotten_block_is_seen(name):
    first, last = seeds.BLOCKS[name]["lines"]
    seen = [number for number, _ in seeds.unclassified(without=name)]
    assert seen and all(first <= number <= last for number in seen)


def test_manifest_is_in_order():
    ranges = [tuple(block["lines"]) for block in seeds.MANIFEST["blocks"]]
    assert ranges == sorted(ranges) and all(a[1] < b[0] for a, b in zip(ranges, ranges[1:]))
    assert all(block["kind"] in seeds.MANIFEST["kinds"] for block in seeds.MANIFEST["blocks"])
    substitutions = [change for block in seeds.MANIFEST["blocks"] for change in block.get("substitutions", ())]
    assert len(substitutions) <= 6 and all(change["reason"] for change in substitutions)


@pytest.mark.parametrize("name", seeds.BLOCKS)
def test_every_block_has_a_test_and_its_text(name):
    assert f"test_{name}" in globals()
    assert seeds.digest(seeds.text(name)) == seeds.BLOCKS[name]["sha256"], (
        "the document changed: look at the block again"
    )


# --- the blocks ---


def test_module_base():
    scope = seeds.run("module_base")
    for method in ("redistribute_input", "redistribute_output", "__call__"):
        assert parameters(getattr(nn.Module, method)) == parameters(getattr(scope["Module"], method)), method
    # The documented class and the real one call in the same order and pass the same values on.
    for base in (scope["Module"], nn.Module):
        seen = []

        class Recorder(base):
            def redistribute_input(self, *args, **kwargs):
                seen.append(("input", args, kwargs))
                return [args[0] + 1], {"scale": 2}

            def forward(self, x, scale):
                seen.append(("forward", x, scale))
                return x * scale

            def redistribute_output(self, output):
                seen.append(("output", output))
                return output + 1

        assert Recorder()(3, scale=5) == 9
        assert seen == [("input", (3,), {"scale": 5}), ("forward", 4, 2), ("output", 8)]


def test_data_parallel():
    scope = seeds.run("data_parallel")
    assert scope["input"].placements == [Shard(0)]
    assert scope["input"].device_mesh == scope["device_mesh"]
    assert scope["input"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0]]


def test_tensor_parallel():
    scope = seeds.run("tensor_parallel")
    fc1, fc2, embed, token_ids = scope["fc1"], scope["fc2"], scope["embed"], scope["token_ids"]
    assert fc1.weight.placements == [Shard(0)] and fc1.bias.placements == [Shard(0)]
    assert fc2.weight.placements == [Shard(1)] and fc2.bias.placements == [Partial()]
    assert embed.weight.placements == [Shard(1)]
    # The comments behind the three calls.
    step = embed(token_ids)
    assert step.placements == [Replicate()]
    step = fc1(step)
    assert step.placements == [Shard(2)]
    step = fc2(step)
    assert step.placements == [Replicate()]
    assert scope["h"].placements == [Replicate()] and scope["h"].tolist() == step.tolist()
    # The same on one device, from the full values of the parameters.
    one = dtorch.init_device_mesh("cuda", 1)
    whole = [p.redistribute(one, [Replicate()]) for p in (embed.weight, fc1.weight, fc1.bias, fc2.weight, fc2.bias)]
    x = nn.functional.embedding(token_ids.redistribute(one, [Replicate()]), whole[0])
    x = nn.functional.linear(nn.functional.linear(x, whole[1], whole[2]), whole[3], whole[4])
    assert close(step.redistribute(one, [Replicate()]), x)


def test_context_parallel(capsys):
    dtorch.manual_seed(0)
    scope = seeds.run("context_parallel")
    printed = capsys.readouterr().out.splitlines()
    stated = [
        line.split("# ", 1)[1] for line in seeds.text("context_parallel").splitlines() if line.startswith("print(")
    ]
    assert len(printed) == len(stated) == 2
    for line, comment in zip(printed, stated):
        pattern = ".*".join(re.escape(part) for part in comment.strip().split("..."))
        assert re.fullmatch(pattern, line), f"printed {line!r}, the document states {comment!r}"
    one = dtorch.init_device_mesh("cuda", 1)
    q, k, v, out = (scope[name].redistribute(one, [Replicate()]) for name in ("query", "key", "value", "out"))
    assert close(out, nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))


def test_pipeline_parallel():
    scope = seeds.run("pipeline_parallel")
    model, mesh, x, y = scope["model"], scope["device_mesh"], scope["x"], scope["y"]
    stages = mesh.unbind("pp")
    assert model.pp_stage_meshes == stages and [stage.shape for stage in stages] == [(2, 2), (2, 2)]
    assert [stage.dim_names for stage in stages] == [["dp", "tp"], ["dp", "tp"]]
    assert model.layer_stage_ids == [0, 0, 1, 1]
    assert model.tok_embeddings.weight.device_mesh == stages[0]
    for layer, stage_id in zip(model.layers, model.layer_stage_ids):
        assert all(parameter.device_mesh == stages[stage_id] for parameter in layer.parameters())
    assert model.output.weight.device_mesh == stages[1]
    assert model.output.weight.placements == [Replicate(), Replicate()]
    assert tuple(y.shape) == (4, 3, 11) and y.dtype == dtorch.float32 and y.device_mesh == stages[1]
    # A mesh without pp is one stage, and the same seed gives the same model there.
    single = dtorch.init_device_mesh("cuda", 1)
    assert single.unbind("pp") == [single]
    dtorch.manual_seed(0)
    alone = scope["Transformer"](single)
    assert alone.layer_stage_ids == [0, 0, 0, 0]
    assert close(y.redistribute(single, [Replicate()]), alone(x))


@pytest.mark.parametrize(
    ("layers", "stages", "expected"),
    [(4, 2, [0, 0, 1, 1]), (5, 2, [0, 0, 0, 1, 1]), (3, 3, [0, 1, 2]), (7, 3, [0, 0, 0, 1, 1, 2, 2]), (2, 4, [0, 1])],
)
def test_assign_layers_to_stages(layers, stages, expected):
    assert assign_layers_to_stages(layers, stages) == expected


def test_linear_constructor():
    scope = {}
    exec(f"def {seeds.text('linear_constructor')}: pass", scope)
    assert parameters(nn.Linear) == parameters(scope["Linear"])


@pytest.mark.parametrize("kind", ["col", "row"])
def test_linear_placements(kind):
    scope = seeds.run("linear_placements", tp_shard_type=kind)
    layer = nn.Linear(8, 6, device_mesh=scope["device_mesh"], tp_shard_type=kind)
    assert layer.weight.placements == scope["weight_placements"]
    assert layer.bias.placements == scope["bias_placements"]


def test_linear_diagram():
    head, stated = (line for line in seeds.text("linear_diagram").splitlines() if "Replicate()" in line or "tp" in line)
    mesh = init_device_mesh("cuda", (2, 2, 2), mesh_dim_names=re.findall(r"\b(dp|tp|cp)\b", head))
    inner = stated.split("[", 1)[1].rsplit("]", 1)[0]
    for shard, kind in [("0", "col"), ("1", "row")]:
        wanted = eval(f"[{inner.replace('0|1', shard)}]", {"Replicate": Replicate, "Shard": Shard})
        assert nn.Linear(8, 6, device_mesh=mesh, tp_shard_type=kind).weight.placements == wanted


def documented_method(name: str, method: str):
    scope = {"Shard": Shard, "Replicate": Replicate}
    exec(seeds.text(name), scope)
    return scope[method]


def tp_mesh():
    return init_device_mesh("cuda", (2, 2), mesh_dim_names=["dp", "tp"])


def test_linear_redistribute_input():
    documented = documented_method("linear_redistribute_input", "redistribute_input")
    assert parameters(nn.Linear.redistribute_input) == parameters(documented)
    x = dtorch.ones(4, 8, device_mesh=tp_mesh(), placements=[Shard(0), Replicate()])
    for kind, good, bad in [("col", Replicate(), Shard(1)), ("row", Shard(1), Replicate())]:
        layer = nn.Linear(8, 6, device_mesh=tp_mesh(), tp_shard_type=kind)
        for method in (documented, nn.Linear.redistribute_input):
            args, kwargs = method(layer, x, good)
            assert args[0].placements == [Shard(0), good] and kwargs == {}
            with pytest.raises(AssertionError):
                method(layer, x, bad)


def test_linear_redistribute_output():
    documented = documented_method("linear_redistribute_output", "redistribute_output")
    assert parameters(nn.Linear.redistribute_output) == parameters(documented)
    x = dtorch.ones(4, 8, device_mesh=tp_mesh(), placements=[Shard(0), Replicate()])
    layer = nn.Linear(8, 6, device_mesh=tp_mesh(), tp_shard_type="col")
    for method in (documented, nn.Linear.redistribute_output):
        assert method(layer, x).placements == [Shard(0), Replicate()]
        assert method(layer, x, Shard(1)).placements == [Shard(0), Shard(1)]


# --- the tables ---


def table(first: int, last: int) -> list:
    return [line.split("\t") for line in seeds.lines()[first - 1 : last]]


def test_table_of_shard_types():
    for kind, weight, bias, _ in table(185, 186):
        layer = nn.Linear(
            8, 6, device_mesh=init_device_mesh("cuda", 2, mesh_dim_names=["tp"]), tp_shard_type=eval(kind)
        )
        names = {"Shard": Shard, "Partial": Partial}
        assert layer.weight.placements == [eval(weight, names)] and layer.bias.placements == [eval(bias, names)]


def test_table_of_tp_dims():
    mesh = init_device_mesh("cuda", (2, 2), mesh_dim_names=["dp", "tp"])
    assert nn.Linear(8, 6, device_mesh=mesh, tp_shard_type="col").tp_dim == 1
    assert nn.Linear(8, 6, device_mesh=mesh, tp_dim=1, tp_shard_type="col").weight.placements == [Replicate(), Shard(0)]
    assert nn.Linear(8, 6, device_mesh=mesh, tp_dim=None).weight.placements == [Replicate(), Replicate()]
    without = init_device_mesh("cuda", (2, 2), mesh_dim_names=["dp", "cp"])
    assert without.dim_name_index("tp") is None
    assert nn.Linear(8, 6, device_mesh=without, tp_shard_type="col").weight.placements == [Replicate(), Replicate()]


def test_table_of_subclasses():
    """Rows: class, tp_dim, tp_shard_type, what redistribute_input does, what redistribute_output does."""
    rows = table(249, 254)
    assert len(rows) == 6
    mesh = init_device_mesh("cuda", 2, mesh_dim_names=["tp"])
    whole = dtorch.ones(4, 8, device_mesh=mesh, placements=[Replicate()])
    split = dtorch.ones(4, 8, device_mesh=mesh, placements=[Shard(1)])
    for name, tp_dim, kind, on_input, on_output in rows:
        layer = getattr(nn, name)(8, 6, device_mesh=mesh)
        assert layer.tp_dim == (None if tp_dim == "None" else mesh.dim_name_index(eval(tp_dim))), name
        if kind.startswith('"'):
            assert layer.tp_shard_type == eval(kind), name
        if on_input == "校验输入为 Replicate":  # checks that the input is Replicate
            good, bad = whole, split
        elif on_input == "校验输入为 Shard(-1)":  # checks that the input is sharded on its last dim
            good, bad = split, whole
        elif on_input == "输入转为 Replicate":  # makes the input Replicate
            good, bad = split, None
        elif on_input == "不做校验":  # checks nothing
            good, bad = whole, None
        else:
            pytest.fail(f"unknown statement {on_input!r}")
        if bad is not None:
            with pytest.raises(AssertionError):
                layer(bad)
        out = layer(good)
        if on_output == "输出转为 Replicate":  # makes the output Replicate
            assert out.placements == [Replicate()], name
        else:
            assert on_output == "不做转换"  # leaves the output as it is
            natural = {"col": Shard(1), "row": Partial()}.get(layer.tp_shard_type, Replicate())
            assert out.placements == [natural], name


def test_guard_restores_the_default_mesh():
    graph = Graph.default_graph()
    before = graph.default_device_mesh
    with graph.device_mesh_guard(tp_mesh()):
        assert graph.default_device_mesh == tp_mesh()
    assert graph.default_device_mesh == before
