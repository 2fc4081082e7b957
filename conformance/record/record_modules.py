"""Records what PyTorch's modules give: python record_modules.py java-core/src/test/resources/goldens/modules.json

Inputs and parameters that are not random follow formulas that the tests repeat: input element i is
((37 i) mod 101 - 50) / 25, weights of norms ((13 i) mod 7 + 1) / 4, their biases ((5 i) mod 9 - 4) / 8.
"""

import json
import sys

import torch
from torch import nn

SEED = 5


def ramp(shape):
    count = torch.Size(shape).numel()
    return torch.tensor([((37 * i) % 101 - 50) / 25 for i in range(count)], dtype=torch.float32).reshape(shape)


def flat(tensor):
    return tensor.detach().double().flatten().tolist()


def layer(name, args, shape, kwargs=None, keep_parameters=True):
    torch.manual_seed(SEED)
    module = getattr(nn, name)(*args, **(kwargs or {}))
    if name.endswith("Norm"):
        for key, parameter in module.named_parameters():
            count = parameter.numel()
            if key == "weight":
                values = [((13 * i) % 7 + 1) / 4 for i in range(count)]
            else:
                values = [((5 * i) % 9 - 4) / 8 for i in range(count)]
            parameter.data.copy_(torch.tensor(values).reshape(parameter.shape))
    module.eval()
    given = ramp(shape)
    if name == "Embedding":
        given = torch.arange(torch.Size(shape).numel()).reshape(shape) * 3 % args[0]
    case = {
        "name": name,
        "args": args,
        "kwargs": kwargs or {},
        "shape": shape,
        "repr": repr(module),
        "parameters": {key: flat(value) for key, value in module.named_parameters()},
        "output": flat(module(given)),
    }
    return case


def layers():
    yield layer("Linear", [6, 5], [4, 6])
    yield layer("Linear", [6, 5], [2, 3, 6])
    yield layer("Linear", [6, 5, False], [4, 6])
    yield layer("Linear", [7, 3], [5, 7])
    yield layer("Embedding", [11, 6], [2, 5])
    yield layer("Embedding", [11, 5], [7])
    yield layer("LayerNorm", [6], [4, 6])
    yield layer("LayerNorm", [[3, 6]], [5, 3, 6])
    yield layer("LayerNorm", [6, 1e-3, False], [4, 6])
    yield layer("LayerNorm", [6], [4, 6], {"bias": False})
    yield layer("RMSNorm", [6], [4, 6])
    yield layer("RMSNorm", [[6], 1e-3], [5, 3, 6])
    yield layer("RMSNorm", [6, None, False], [4, 6])
    yield layer("GroupNorm", [3, 6], [4, 6, 5])
    yield layer("GroupNorm", [2, 4, 1e-3, False], [5, 4, 2, 3])
    for name, args in [
        ("ReLU", []),
        ("Sigmoid", []),
        ("Tanh", []),
        ("SiLU", []),
        ("LeakyReLU", []),
        ("LeakyReLU", [0.2]),
        ("ELU", []),
        ("ELU", [0.5]),
        ("GELU", []),
        ("GELU", ["tanh"]),
        ("Softmax", [-1]),
        ("Softmax", [0]),
        ("LogSoftmax", [1]),
        ("Dropout", []),
        ("Dropout", [0.25]),
        ("Flatten", []),
        ("Flatten", [0, 1]),
        ("Identity", []),
    ]:
        yield layer(name, args, [4, 3, 6])


def inits():
    cases = [
        ("uniform_", []),
        ("uniform_", [-2.0, 3.0]),
        ("normal_", []),
        ("normal_", [1.0, 0.5]),
        ("xavier_uniform_", []),
        ("xavier_uniform_", [2.0]),
        ("xavier_normal_", []),
        ("kaiming_uniform_", []),
        ("kaiming_uniform_", [0.5, "fan_out"]),
        ("kaiming_normal_", [0.0, "fan_in", "relu"]),
        ("trunc_normal_", []),
        ("trunc_normal_", [0.0, 1.0, -0.5, 0.5]),
        ("trunc_normal_", [0.0, 1.0, 1.5, 3.0]),
        ("trunc_normal_", [3.0, 1.0, -1.0, 1.0]),
        ("constant_", [0.3]),
        ("ones_", []),
        ("zeros_", []),
    ]
    for name, args in cases:
        for dtype in ("float32", "bfloat16") if name in ("uniform_", "normal_", "trunc_normal_") else ("float32",):
            torch.manual_seed(SEED)
            tensor = torch.empty(5, 7, dtype=getattr(torch, dtype))
            getattr(nn.init, name)(tensor, *args)
            yield {"name": name, "args": args, "dtype": dtype, "values": flat(tensor)}


def message(state, **kwargs):
    module = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LayerNorm(3))
    try:
        return str(module.load_state_dict(state, **kwargs))
    except RuntimeError as error:
        return str(error)


def texts():
    full = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LayerNorm(3)).state_dict()
    less = {key: value for key, value in full.items() if key not in ("0.bias", "2.weight")}
    more = dict(full, **{"3.weight": torch.zeros(1), "x": torch.zeros(1), "0.extra": torch.zeros(1)})
    wrong = dict(less, **{"0.weight": torch.zeros(3, 4), "y": torch.zeros(1)})
    tree = nn.Sequential()
    tree.add_module("body", nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(inplace=True)]))
    tree.add_module("heads", nn.ModuleDict({"a": nn.Sequential(nn.GELU()), "b": nn.Identity()}))
    tree.add_module("drop", nn.Dropout(0.1, True))
    tree.add_module("weights", nn.ParameterList([nn.Parameter(torch.zeros(2, 3)), nn.Parameter(torch.zeros(4))]))
    tree.add_module("none", nn.ModuleList())
    return {
        "all": message(full),
        "missing": message(less),
        "unexpected": message(more),
        "everything": message(wrong),
        "not strict": message(dict(less, z=torch.zeros(1)), strict=False),
        "tree": repr(tree),
    }


def main(path):
    golden = {"torch": torch.__version__, "seed": SEED, "layers": list(layers()), "inits": list(inits()), "texts": texts()}
    with open(path, "w") as file:
        json.dump(golden, file, indent=None, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
