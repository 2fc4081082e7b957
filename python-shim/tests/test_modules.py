"""nn.Module from Python: registration, calls, hooks, state dicts, copies, modules of both languages in each other."""

import copy
import inspect
from collections import OrderedDict

import dtorch
import pytest
from dtorch import Partial, Replicate, Shard, init_device_mesh, nn
from dtorch.nn import _bridge


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.body = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
        self.again = self.body[1]
        self.scale = nn.Parameter(dtorch.ones(3))
        self.register_parameter("none", None)
        self.register_buffer("kept", dtorch.zeros(3))
        self.register_buffer("lost", dtorch.zeros(1), persistent=False)

    def forward(self, x):
        return self.again(self.body(self.first(x))) * self.scale + self.kept


def test_identity_of_members():
    net = Net()
    assert net.first.weight is net.first.weight
    assert dict(net.named_parameters())["first.weight"] is net.first.weight
    assert dict(net.named_buffers())["kept"] is net.kept
    assert net.get_submodule("body.1") is net.again
    assert net.get_parameter("again.bias") is net.again.bias
    assert isinstance(net.scale, nn.Parameter) and isinstance(net.scale, dtorch.Tensor)
    assert net.none is None


def test_traversal():
    net = Net()
    names = [name for name, _ in net.named_parameters()]
    assert names == ["scale", "first.weight", "first.bias", "body.1.weight", "body.1.bias"]
    assert len(list(net.named_parameters(remove_duplicate=False))) == 7
    assert [name for name, _ in net.named_parameters("net", recurse=False)] == ["net.scale"]
    assert [name for name, _ in net.named_buffers()] == ["kept", "lost"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "body", "body.0", "body.1"]
    assert [name for name, _ in net.named_children()] == ["first", "body", "again"]
    seen = []
    assert net.apply(seen.append) is net
    assert seen == [net.first, net.body[0], net.body[1], net.body, net.again, net]
    assert net.first_param_device_mesh() == net.scale.device_mesh
    assert nn.ReLU().first_param_device_mesh() is None


def test_attributes():
    net = Net()
    with pytest.raises(TypeError, match="cannot assign 'int' as parameter 'scale'"):
        net.scale = 3
    with pytest.raises(TypeError, match="as child module 'first'"):
        net.first = 3
    with pytest.raises(TypeError, match="as buffer 'kept'"):
        net.kept = 3
    net.scale = None
    assert net.scale is None and "scale" not in dict(net.named_parameters())
    net.kept = dtorch.ones(3)
    assert "kept" in net.state_dict()
    net.lost = dtorch.ones(1)
    assert "lost" not in net.state_dict()
    net.buffer = nn.Buffer(dtorch.ones(2), persistent=False)
    assert "buffer" in dict(net.named_buffers()) and "buffer" not in net.state_dict()
    del net.first
    assert not hasattr(net, "first") and "first" not in dict(net.named_children())
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'first'"):
        net.first
    net.plain = [1]
    net.plain = nn.Linear(1, 1)
    assert "plain.weight" in net.state_dict()


def test_refused_names():
    net = Net()
    for register in (net.register_parameter, net.register_buffer, net.add_module):
        with pytest.raises(KeyError, match="contain"):
            register("a.b", None)
        with pytest.raises(KeyError, match="be empty string"):
            register("", None)
        with pytest.raises(TypeError, match="should be a string"):
            register(3, None)
    with pytest.raises(KeyError, match="attribute 'forward' already exists"):
        net.register_buffer("forward", None)
    with pytest.raises(TypeError, match="torch.nn.Parameter or None required"):
        net.register_parameter("p", dtorch.ones(1))
    with pytest.raises(TypeError, match="is not a Module subclass"):
        net.add_module("m", 3)


def test_before_init():
    class Late(nn.Module):
        def __init__(self):
            self.layer = nn.ReLU()

    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Late()


def test_call_order():
    seen = []

    class Recorder(nn.Module):
        def redistribute_input(self, *args, **kwargs):
            seen.append(("input", args, kwargs))
            return [args[0] + 1], {"scale": 2}

        def forward(self, x, scale):
            seen.append(("forward", x, scale))
            return x * scale

        def redistribute_output(self, output):
            seen.append(("output", output))
            return output + 1

    module = Recorder()
    assert module(3, scale=5) == 9
    assert seen == [("input", (3,), {"scale": 5}), ("forward", 4, 2), ("output", 8)]
    before = module.register_forward_pre_hook(lambda m, args: (args[0] + 10,))
    after = module.register_forward_hook(lambda m, args, output: -output)
    assert module(3) == -29
    before.remove()
    with after:
        assert module(3) == -9
    assert module(3) == 9
    module.redistribute_input = module.redistribute_output = None
    assert module(3, 4) == 12


def test_a_redistribute_input_that_returns_something_else():
    class Wrong(nn.Module):
        def redistribute_input(self, x):
            return x

        def forward(self, x):
            return x

    with pytest.raises(AssertionError, match="must return"):
        Wrong()(3)
    with pytest.raises(NotImplementedError, match=r'Module \[Module\] is missing the required "forward" function'):
        nn.Module()(3)


def test_hooks_with_kwargs_and_always_call():
    class Double(nn.Module):
        def forward(self, x, factor=2):
            if factor == 0:
                raise ValueError("zero")
            return x * factor

    module = Double()
    calls = []
    module.register_forward_pre_hook(lambda m, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True)
    module.register_forward_hook(lambda m, args, kwargs, out: calls.append((args, kwargs, out)), with_kwargs=True)
    module.register_forward_hook(lambda m, args, out: calls.append(out), always_call=True, prepend=True)
    assert module(3, factor=3) == 12
    assert calls == [12, ((3,), {"factor": 4}, 12)]
    del calls[:]
    with pytest.raises(ValueError, match="zero"):
        module(3, factor=-1)
    assert calls == [None]


def test_hooks_of_layers():
    layer = nn.Linear(2, 2)
    x = dtorch.ones(1, 2)
    plain = layer(x).tolist()
    handle = layer.register_forward_hook(lambda m, args, output: args[0])
    assert layer(x) is x
    assert nn.Sequential(layer)(x) is x
    handle.remove()
    assert layer(x).tolist() == plain


def test_training():
    net = Net()
    assert net.training and net.body[0].training
    assert net.eval() is net
    assert not (net.training or net.body[0].training)
    assert net.train().training
    with pytest.raises(ValueError, match="expected to be boolean"):
        net.train(1)
    dropout = nn.Dropout(0.5)
    x = dtorch.ones(50, 50)
    assert sorted(set(dropout(x).flatten().tolist())) == [0.0, 2.0]
    assert dropout.eval()(x) is x


def test_conversion_keeps_the_objects():
    net = Net()
    weight, values = net.first.weight, net.first.weight.tolist()
    assert net.double() is net
    assert net.first.weight is weight and weight.dtype is dtorch.float64 and weight.tolist() == values
    net.to(dtorch.bfloat16)
    assert net.kept.dtype is dtorch.bfloat16
    net.to("cuda")
    assert weight.device.type == "cuda"
    with pytest.raises(TypeError, match="floating point"):
        net.to(dtorch.int64)
    with pytest.raises(KeyError):
        net.to(init_device_mesh("cpu", 2))


def test_state_dict():
    net = Net()
    state = net.state_dict()
    assert isinstance(state, OrderedDict)
    assert list(state)[:3] == ["scale", "kept", "first.weight"]
    state["scale"].fill_(4)
    assert net.scale.tolist() == [4.0, 4.0, 4.0]
    assert net.state_dict(keep_vars=True)["scale"] is net.scale
    assert list(net.body.state_dict(prefix="b."))[0] == "b.1.weight"
    other = Net()
    result = other.load_state_dict(state)
    assert repr(result) == "<All keys matched successfully>" and result.missing_keys == []
    assert other.scale.tolist() == [4.0, 4.0, 4.0]
    for name, value in state.items():
        assert other.state_dict()[name].tolist() == value.tolist()


def test_load_errors():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LayerNorm(3))
    state = model.state_dict()
    del state["0.bias"], state["2.weight"]
    state["0.weight"] = dtorch.zeros(3, 4)
    state["y"] = dtorch.zeros(1)
    with pytest.raises(RuntimeError) as caught:
        model.load_state_dict(state)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "0.bias", "2.weight". \n'
        '\tUnexpected key(s) in state_dict: "y". \n'
        "\tsize mismatch for 0.weight: copying a param with shape torch.Size([3, 4]) from checkpoint, the shape in "
        "current model is torch.Size([3, 2])."
    )
    del state["0.weight"]
    result = model.load_state_dict(state, strict=False)
    assert result.missing_keys == ["0.weight", "0.bias", "2.weight"] and result.unexpected_keys == ["y"]
    with pytest.raises(TypeError, match="dict-like"):
        model.load_state_dict([1])
    with pytest.raises(RuntimeError, match='parameter named "2.bias", expected torch.Tensor'):
        model.load_state_dict({"2.bias": 3}, strict=False)


def test_loading_can_be_overridden():
    class Renamed(nn.Linear):
        def _load_from_state_dict(self, state_dict, prefix, *rest):
            state_dict[prefix + "weight"] = state_dict.pop(prefix + "w")
            super()._load_from_state_dict(state_dict, prefix, *rest)

    model = nn.Sequential(Renamed(2, 2, bias=False))
    given = OrderedDict({"0.w": dtorch.ones(2, 2)})
    model.load_state_dict(given)
    assert model[0].weight.tolist() == [[1.0, 1.0], [1.0, 1.0]] and list(given) == ["0.w"]


def test_loading_shards():
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=["dp", "tp"])
    row = nn.RowParallelLinear(6, 5, device_mesh=mesh)
    assert row.bias.placements == [Replicate(), Partial()]
    weight = dtorch.arange(30).reshape(5, 6).float()
    bias = dtorch.arange(5).float()
    row.load_state_dict({"weight": weight, "bias": bias})
    assert row.weight.placements == [Replicate(), Shard(1)] and row.bias.placements == [Replicate(), Partial()]
    assert row.weight.tolist() == weight.tolist()
    state = row.state_dict()
    assert state["bias"].placements == [Replicate(), Replicate()] and state["bias"].tolist() == bias.tolist()
    column = nn.ColumnParallelLinear(6, 5, device_mesh=mesh)
    column.load_state_dict(state)
    assert column.weight.tolist() == weight.tolist() and column.bias.tolist() == bias.tolist()


def test_deepcopy():
    net = Net()
    twin = copy.deepcopy(net)
    assert twin.again is twin.body[1] and twin.again is not net.again
    assert twin.first.weight is not net.first.weight
    assert twin.first.weight.tolist() == net.first.weight.tolist()
    assert list(twin.state_dict()) == list(net.state_dict()) and "lost" in dict(twin.named_buffers())
    x = dtorch.ones(1, 2)
    assert twin(x).tolist() == net(x).tolist()
    nn.init.zeros_(twin.scale)
    assert net.scale.tolist() == [1.0, 1.0, 1.0]
    assert isinstance(twin.scale, nn.Parameter) and twin.scale.requires_grad


def test_parameters():
    value = dtorch.ones(2)
    parameter = nn.Parameter(value)
    assert parameter.requires_grad and not nn.Parameter(value, requires_grad=False).requires_grad
    parameter.fill_(3)
    assert value.tolist() == [3.0, 3.0]
    assert repr(parameter).startswith("Parameter containing:\n")
    with pytest.raises(TypeError):
        nn.Parameter([1.0])
    net = Net().requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())


def test_tied_weights():
    a, b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    b.weight = a.weight
    x = dtorch.ones(1, 2)
    assert b(x).tolist() == a(x).tolist()
    assert len(list(nn.Sequential(a, b).parameters())) == 1


def test_overridden_layers():
    class Doubling(nn.Linear):
        def redistribute_input(self, input):
            return [input * 2], {}

        def forward(self, x):
            return super().forward(x) + 1

    layer, plain = Doubling(2, 2), nn.Linear(2, 2)
    plain.load_state_dict(layer.state_dict())
    x = dtorch.ones(1, 2)
    expected = (plain(x * 2) + 1).tolist()
    assert layer(x).tolist() == expected
    assert nn.Sequential(layer)(x).tolist() == expected
    assert repr(layer) == "Doubling(in_features=2, out_features=2, bias=True)"
    plain.forward = lambda x: x
    assert plain(x) is x
    del plain.forward
    assert plain(x) is not x


def test_java_calls_python():
    class Shift(nn.Module):
        def redistribute_input(self, x, *, by=1):
            return (x,), {"by": by}

        def forward(self, x, by):
            return x + by, [by, {"x": x}], "text", None

        def redistribute_output(self, output):
            return output

    class First(nn.Module):
        def forward(self, outputs):
            assert isinstance(outputs[0], dtorch.Tensor) and outputs[1][1]["x"] is x and outputs[2:] == ["text", None]
            return outputs[0]

    x = dtorch.ones(1, 2)
    shift, layer = Shift(), nn.Linear(2, 2)
    _bridge.set_tensor_peer(x._j, x)
    chain = nn.Sequential(shift, First(), layer)
    assert _bridge.call_any(chain._j, [x], {}).tolist() == layer(x + 1).tolist()
    outputs = _bridge.call_any(shift._j, [x], {"by": 3})
    assert outputs[0].tolist() == [[4.0, 4.0]] and outputs[1][0] == 3

    class Failing(nn.Module):
        def forward(self, x):
            raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        _bridge.call_any(nn.Sequential(Failing())._j, [x], {})


def test_arguments_of_layers():
    layer = nn.Linear(2, 3)
    x = dtorch.ones(1, 2)
    assert layer(input=x).tolist() == layer(x).tolist()
    with pytest.raises(TypeError, match="argument 'input' must be Tensor, not int"):
        layer(3)
    with pytest.raises(TypeError):
        layer(x, x, x)
    with pytest.raises((RuntimeError, ValueError)):
        layer(dtorch.ones(1, 5))


def test_repr():
    tree = nn.Sequential(
        OrderedDict(
            body=nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(inplace=True)]),
            heads=nn.ModuleDict({"a": nn.Sequential(nn.GELU()), "b": nn.Identity()}),
            drop=nn.Dropout(0.1, True),
            weights=nn.ParameterList([nn.Parameter(dtorch.zeros(2, 3)), nn.Parameter(dtorch.zeros(4))]),
            none=nn.ModuleList(),
        )
    )
    assert repr(tree) == (
        "Sequential(\n"
        "  (body): ModuleList(\n"
        "    (0-1): 2 x Linear(in_features=2, out_features=2, bias=True)\n"
        "    (2): ReLU(inplace=True)\n"
        "  )\n"
        "  (heads): ModuleDict(\n"
        "    (a): Sequential(\n"
        "      (0): GELU(approximate='none')\n"
        "    )\n"
        "    (b): Identity()\n"
        "  )\n"
        "  (drop): Dropout(p=0.1, inplace=True)\n"
        "  (weights): ParameterList(\n"
        "      (0): Parameter containing: [torch.float32 of size 2x3]\n"
        "      (1): Parameter containing: [torch.float32 of size 4]\n"
        "  )\n"
        "  (none): ModuleList()\n"
        ")"
    )


def test_containers():
    a, b, c = nn.ReLU(), nn.Tanh(), nn.SiLU()
    modules = nn.ModuleList([a, b])
    modules.append(c)
    modules.insert(0, c)
    assert list(modules) == [c, a, b, c] and [name for name in modules._modules] == ["0", "1", "2", "3"]
    del modules[0]
    assert modules[-1] is c and list(modules[:2]) == [a, b] and isinstance(modules[:2], nn.ModuleList)
    modules[0] = b
    assert modules.pop(0) is b and list(modules) == [b, c]
    modules += [a]
    assert list(modules + [b]) == [b, c, a, b] and len(modules) == 3
    with pytest.raises(IndexError, match="index 3 is out of range"):
        modules[3]
    with pytest.raises(NotImplementedError, match=r"Module \[ModuleList\]"):
        modules(1)
    chain = nn.Sequential(a, b)
    assert list(chain[1:]._modules) == ["1"] and chain[-1] is b
    chain.append(c)
    assert list(chain + nn.Sequential(a)) == [a, b, c, a] and list(chain * 2) == [a, b, c] * 2
    named = nn.ModuleDict({"x": a})
    named["y"] = b
    named.update([("z", c)])
    assert list(named) == ["x", "y", "z"] and named.pop("x") is a and "x" not in named
    assert list(named.items()) == [("y", b), ("z", c)]
    with pytest.raises(KeyError):
        named["q"]
    p = nn.Parameter(dtorch.ones(1))
    parameters = nn.ParameterList([p])
    parameters.append(dtorch.zeros(1))
    assert parameters[0] is p and isinstance(parameters[1], nn.Parameter) and len(list(parameters.parameters())) == 2
    with pytest.raises(RuntimeError, match="should not be called"):
        parameters()


def test_signatures():
    expected = {
        nn.Linear: "in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, tp_dim='tp', "
        "tp_shard_type=None",
        nn.RowParallelLinear: "in_features, out_features, bias=True, device=None, dtype=None, device_mesh=None, *, "
        "tp_dim='tp'",
        nn.Embedding: "num_embeddings, embedding_dim, device=None, dtype=None, device_mesh=None, tp_dim='tp'",
        nn.LayerNorm: "normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None, "
        "device_mesh=None",
        nn.RMSNorm: "normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None, device_mesh=None",
        nn.GroupNorm: "num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, device_mesh=None",
        nn.LeakyReLU: "negative_slope=0.01, inplace=False",
        nn.Flatten: "start_dim=1, end_dim=-1",
        nn.Sequential: "*args",
        nn.ModuleList: "modules=None",
    }
    for cls, text in expected.items():
        assert str(inspect.signature(cls)) == f"({text})", cls


def test_tensor_parallel_layers():
    mesh = init_device_mesh("cuda", (2,), mesh_dim_names=["tp"])
    with dtorch.Graph.default_graph().device_mesh_guard(mesh):
        embed = nn.EmbeddingWithReplicateOutput(11, 6)
        up = nn.ColumnParallelLinear(6, 8)
        down = nn.RowParallelLinearWithReplicateOutput(8, 6)
    h = embed(dtorch.tensor([[1, 2, 3]], device_mesh=mesh))
    assert h.placements == [Replicate()] and embed.weight.placements == [Shard(1)]
    middle = up(h)
    assert middle.placements == [Shard(2)]
    out = down(middle)
    assert out.placements == [Replicate()] and up.tp_dim == 0 and up.tp_shard_type == "col"
    with pytest.raises(AssertionError, match=r"ColumnParallelLinear expects its input to be Replicate\(\)"):
        up(middle.redistribute(placements=[Shard(2)]))
    with pytest.raises(AssertionError, match='"row", "col" or None'):
        nn.Linear(2, 2, device_mesh=mesh, tp_shard_type="rows")
    assert nn.Linear(2, 2, device_mesh=mesh).weight.placements == [Replicate()]
    args, kwargs = nn.Linear.redistribute_input(up, middle, Replicate())
    assert args[0].placements == [Replicate()] and kwargs == {}
    assert up.redistribute_output(middle) is middle
    assert nn.Linear.redistribute_output(up, middle, Replicate()).placements == [Replicate()]


def test_init():
    dtorch.manual_seed(5)
    t = dtorch.empty(5, 7)
    assert nn.init.kaiming_uniform_(t, a=0.5, mode="fan_out") is t
    for init in (nn.init.xavier_normal_, nn.init.normal_, nn.init.trunc_normal_, nn.init.uniform_):
        assert init(t) is t
    assert nn.init.constant_(t, 0.5).flatten().tolist() == [0.5] * 35
    assert nn.init.eye_(dtorch.empty(2, 3)).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert nn.init.calculate_gain("tanh") == 5 / 3
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        nn.init.calculate_gain("sine")
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        nn.init.xavier_uniform_(dtorch.empty(3))
    with pytest.raises(NotImplementedError, match="dtorch.nn.init.orthogonal_"):
        nn.init.orthogonal_(t)


def test_what_is_missing_says_so():
    with pytest.raises(NotImplementedError, match="dtorch.nn.Conv2d"):
        nn.Conv2d(1, 1, 3)
    with pytest.raises(NotImplementedError, match="dtorch.nn.functional.conv2d"):
        nn.functional.conv2d(1)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        nn.Nothing
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        nn.functional.nothing
    assert nn.functional.silu(dtorch.zeros(1)).tolist() == [0.0]
    assert nn.functional._add(dtorch.ones(1), 1).tolist() == [2.0]
