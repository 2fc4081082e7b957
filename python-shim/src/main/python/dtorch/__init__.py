"""Distributed tensors: one script describes the whole computation over a mesh of devices.

    import dtorch
    from dtorch import Replicate, Shard, init_device_mesh

    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=["tp"])
    x = dtorch.randn(4, 8, device_mesh=mesh, placements=[Shard(0)])
    print((x @ x.T).redistribute(placements=[Replicate()]))

Names are found when they are first used, so that importing the package costs little.
"""

from _dtorch import LayoutError, OutOfMemoryError, bridge  # noqa: F401

from dtorch._types import DTYPES, Size, device, dtype, finfo, iinfo  # noqa: F401

__version__ = bridge.version()
__compile_arguments__ = ""

float32 = float = DTYPES["float32"]
float64 = double = DTYPES["float64"]
float16 = half = DTYPES["float16"]
bfloat16 = DTYPES["bfloat16"]
int64 = long = DTYPES["int64"]
int32 = int = DTYPES["int32"]
int16 = short = DTYPES["int16"]
int8 = DTYPES["int8"]
uint8 = DTYPES["uint8"]
bool = DTYPES["bool"]

_MODULES = {
    "dtorch._tensor": "Tensor TensorFuture tensors_redistribute_by_dict get_data_type_tensor",
    "dtorch.creation": (
        "tensor as_tensor from_torch scalar_tensor zeros ones empty full arange eye linspace rand randn randint randperm"
        " zeros_like ones_like empty_like full_like rand_like randn_like randint_like"
    ),
    "dtorch.distributed_spec": (
        "DeviceMesh Placement Shard Replicate Partial init_device_mesh get_default_device_mesh assign_layers_to_stages"
        " get_placements_from_dict"
    ),
    "dtorch.graph": "Graph GraphOption VoidFutureCollect MemoryStat MemoryStats",
    "dtorch._types": "OperatorFormat PaddingType PoolingKind",
    "dtorch._modes": (
        "Generator manual_seed seed initial_seed get_rng_state set_rng_state no_grad inference_mode is_grad_enabled"
        " set_placement_mode get_placement_mode explain_redistribute is_main_process is_tensor is_floating_point numel"
        " get_default_dtype set_default_dtype promote_types result_type"
    ),
    "dtorch._attention": "SdpaOption",
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}
_SUBMODULES = frozenset(
    ("nn", "cuda", "checkpoint", "tokenizer", "testing", "util", "linalg", "random", "graph", "creation")
)
_TENSOR_CLASSES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "ShortTensor": "int16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool",
}


def __getattr__(name):
    value = _found(name)
    globals()[name] = value
    return value


def _found(name):
    from importlib import import_module

    module = _WHERE.get(name)
    if module is not None:
        return getattr(import_module(module), name)
    if name in _SUBMODULES:
        return import_module("dtorch." + name)
    if name in _TENSOR_CLASSES:
        return import_module("dtorch._tensor").get_data_type_tensor(DTYPES[_TENSOR_CLASSES[name]])
    if name == "default_graph":
        return import_module("dtorch.graph").Graph.default_graph()
    if name == "__all__":
        return [name for name in __dir__() if not name.startswith("_")]
    if not name.startswith("__"):
        function = import_module("dtorch._functions").function("FUNCTIONS", name)
        if function is not None:
            return function
        missing = import_module("dtorch._missing")
        if name in missing.FUNCTIONS or name in missing.CLASSES:
            return missing.missing_function("dtorch." + name)
    raise AttributeError(f"module 'dtorch' has no attribute '{name}'")


def __dir__():
    from dtorch._functions import names

    return sorted({*globals(), *_WHERE, *_SUBMODULES, *_TENSOR_CLASSES, *names("FUNCTIONS"), "default_graph"})
