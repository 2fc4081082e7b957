"""What Tensor.to takes, and how a pickled tensor comes back."""

from dtorch._call import call2
from dtorch._types import device as device_class
from dtorch._types import dtype as dtype_class
from dtorch.distributed_spec import DeviceMesh
from dtorch._tensor import ID, Tensor, wrap


def arguments_of_to(args, kwargs):
    """(device mesh or None, dtype or None); an unknown or doubled argument is a KeyError."""
    mesh = dtype = None

    def take_mesh(value):
        nonlocal mesh
        if mesh is not None:
            raise KeyError(f"Tensor.to: the device is given twice, in {args} and {kwargs}")
        mesh = value if isinstance(value, DeviceMesh) else DeviceMesh(value)

    def take_dtype(value):
        nonlocal dtype
        if dtype is not None:
            raise KeyError(f"Tensor.to: the dtype is given twice, in {args} and {kwargs}")
        dtype = value

    for value in args:
        if isinstance(value, dtype_class):
            take_dtype(value)
        elif isinstance(value, (device_class, str, DeviceMesh)):
            take_mesh(value)
        elif isinstance(value, Tensor):
            take_dtype(value.dtype)
            take_mesh(value.device_mesh)
        elif not isinstance(value, bool):  # non_blocking and copy
            raise KeyError(f"Tensor.to: {value!r} is no dtype, device, device mesh or tensor")
    for name, value in kwargs.items():
        if value is None or name in ("non_blocking", "copy", "memory_format"):
            continue
        if name in ("device", "device_mesh"):
            take_mesh(value)
        elif name == "dtype":
            take_dtype(value)
        else:
            raise KeyError(f"Tensor.to: unknown argument {name!r}")
    return mesh, dtype


def converted(tensor, args, kwargs):
    mesh, dtype = arguments_of_to(args, kwargs)
    result = tensor
    if mesh is not None and mesh != tensor.device_mesh:
        own = tensor.device_mesh
        if mesh.shape != own.shape and (mesh.is_distributed or own.is_distributed):
            raise KeyError(
                f"Tensor.to moves between meshes of the same shape, not from {own} to {mesh}; use "
                "tensor.redistribute(device_mesh, placements)"
            )
        result = result.redistribute(mesh, tensor.placements if mesh.shape == own.shape else None)
    if dtype is not None and dtype is not result.dtype:
        result = wrap(call2(ID["to_dtype"], result._j, dtype._j))
    if kwargs.get("copy") and result is tensor:
        result = tensor.clone()
    return result


def rebuilt(cls, values, shape, dtype, mesh, placements):
    from dtorch.creation import tensor

    made = tensor(values, dtype=dtype, device_mesh=mesh).view(shape).redistribute(mesh, placements)
    if cls is Tensor:
        return made
    result = object.__new__(cls)
    result._j = made._j
    return result
