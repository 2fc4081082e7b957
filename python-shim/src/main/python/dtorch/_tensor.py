"""The class Tensor: Python's protocols over a Java tensor. Operators are calls of rows, everything else one of these."""

import dtorch._call as _call
from dtorch._call import bridge, call1, call2, new
from dtorch._types import DTYPES, Size, device, dtype  # noqa: F401

_t = bridge.tensors()
_shape, _dim, _size, _dtype, _mesh, _placements = _t.shape, _t.dim, _t.size, _t.dtype, _t.mesh, _t.placements
_graph, _item, _truth, _values, _text = _t.graph, _t.item, _t.truth, _t.values, _t.text
_alias, _set_data, _gathered = _t.alias, _t.setData, _t.gathered
_redistribute, _redistribute_like, _by_dict = _t.redistribute, _t.redistributeLike, _t.redistributeByDict
_await = _t.awaitValue
_i = bridge.indexing()
_get, _set = _i.get, _i.set
_WHOLE, _SLICE, _ELLIPSIS = _i.whole(), _i.slice(), _i.ellipsis()

ID = {name: number for number, name in enumerate(_call._ops.names().split())}


class Tensor:
    """One global value that lies over a device mesh by its placements; a plain tensor lies on one device.

    Tensor(tensor) shares the storage of another, Tensor(2, 3) is empty, Tensor([1.0, 2.0]) holds these numbers.
    """

    __slots__ = ("_j", "__dict__", "__weakref__")

    def __new__(cls, *args, device=None, device_mesh=None, placements=None, graph=None):
        made = object.__new__(cls)
        if len(args) == 1 and isinstance(args[0], Tensor):
            source = args[0]
            if device is None and device_mesh is None and placements is None:
                made._j = _alias(source._j)
            else:
                from dtorch.distributed_spec import mesh_argument, placements_argument

                made._j = _redistribute(source._j, mesh_argument(device, device_mesh), placements_argument(placements))
            return made
        from dtorch import creation

        where = {"device": device, "device_mesh": device_mesh, "placements": placements, "graph": graph}
        if len(args) == 1 and not isinstance(args[0], (int, Size)):
            made._j = creation.tensor(args[0], dtype=DTYPES["float32"], **where)._j
        else:
            sizes = args[0] if len(args) == 1 and isinstance(args[0], Size) else args or (0,)
            made._j = creation.empty(sizes, dtype=DTYPES["float32"], **where)._j
        return made

    def __getattr__(self, name):
        # Methods of the operator table come with the first one that is asked for.
        if not name.startswith("__") and _load_methods():
            return getattr(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    # --- What it is

    @property
    def shape(self):
        return _shape(self._j)

    @property
    def ndim(self):
        return _dim(self._j)

    @property
    def dtype(self):
        return _dtype(self._j)

    @property
    def device_mesh(self):
        return _mesh(self._j)

    @property
    def placements(self):
        return list(_placements(self._j))

    @property
    def device(self):
        mesh = _mesh(self._j)
        return mesh.device_type if mesh.is_distributed else mesh.first_device()

    @property
    def graph(self):
        return _graph(self._j)

    @property
    def is_dtensor(self):
        return _t.isDistributed(self._j)

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def is_cpu(self):
        return self.device.type == "cpu"

    @property
    def data(self):
        return self

    @data.setter
    def data(self, value):
        _set_data(self._j, value._j)

    @property
    def requires_grad(self):
        return False

    @requires_grad.setter
    def requires_grad(self, wanted):
        if wanted:
            raise NotImplementedError("Tensor.requires_grad = True: gradients")

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self):
        return self.__dict__.get("_grad")

    @grad.setter
    def grad(self, value):
        self.__dict__["_grad"] = value

    @property
    def grad_fn(self):
        return None

    @property
    def is_leaf(self):
        return True

    @property
    def T(self):
        return self.permute(*range(self.ndim - 1, -1, -1)) if self.ndim != 2 else self.t()

    @property
    def mT(self):
        if self.ndim < 2:
            raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
        return self.transpose(-2, -1)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.numel() * self.dtype.itemsize

    def size(self, dim=None):
        return _shape(self._j) if dim is None else _size(self._j, dim)

    def dim(self):
        return _dim(self._j)

    ndimension = dim

    def numel(self):
        return _shape(self._j).numel()

    nelement = numel

    def element_size(self):
        return self.dtype.itemsize

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return False

    def is_signed(self):
        return self.dtype.is_signed

    def is_contiguous(self):
        return _t.isContiguous(self._j)

    def get_device(self):
        index = self.device.index
        return -1 if index is None else index

    def set_name(self, name):
        self.__dict__["_name"] = name

    def get_name(self):
        return self.__dict__.get("_name", "")

    # --- Values

    def item(self):
        return _item(self._j)

    def tolist(self):
        shape = _shape(self._j)
        if not shape:
            return _item(self._j)
        flat = list(_values(self._j))
        for size in shape[:0:-1]:
            if not flat or not size:
                return _empty_lists(shape)
            flat = [flat[i : i + size] for i in range(0, len(flat), size)]
        return flat

    def numpy(self):
        try:
            import numpy
        except ImportError:
            raise NotImplementedError("Tensor.numpy: numpy is not installed") from None
        return numpy.array(self.tolist(), dtype=self.dtype._name).reshape(self.shape)

    def to_torch(self):
        """The whole value on the first device, waited for."""
        whole = wrap(_gathered(self._j))
        _await(whole._j)
        return whole

    full_tensor = to_torch

    def to_torch_async(self):
        return TensorFuture(wrap(_gathered(self._j)))

    def detach(self):
        return wrap(_alias(self._j))

    # --- Where it lies

    def redistribute(self, device_mesh=None, placements=None):
        """The same value under another layout; without placements they are kept on a mesh of the same form."""
        r = new(Tensor)
        r._j = _redistribute(
            self._j,
            None if device_mesh is None else _mesh_j(device_mesh),
            None if placements is None else _placements_j(placements),
        )
        return r

    def redistribute_like(self, tensor):
        return wrap(_redistribute_like(self._j, tensor._j))

    def redistribute_by_dict(
        self,
        device_mesh=None,
        placements_dict=None,
        *,
        default_placement_mode="raise_error",
        convert_shard_size_one_to_replicate=True,
    ):
        """The same value with placements given by mesh dim; what is not named: raise_error, replicate or keep."""
        r = new(Tensor)
        r._j = _by_dict(
            self._j,
            None if device_mesh is None else _mesh_j(device_mesh),
            default_placement_mode,
            convert_shard_size_one_to_replicate,
            _pairs_j(placements_dict) if placements_dict else None,
        )
        return r

    def explain_redistribute(self, device_mesh=None, placements=None):
        """The steps, bytes and cost of a redistribution, without doing it."""
        return _t.explainRedistribute(
            self._j,
            None if device_mesh is None else _mesh_j(device_mesh),
            None if placements is None else _placements_j(placements),
        )

    def check_placement(self, dim_idx, expect_placement, skip_when_dim_size_equal_one=True):
        return _t.checkPlacement(self._j, dim_idx, expect_placement._j, skip_when_dim_size_equal_one)

    @staticmethod
    def parser_tensor_to_function_arg(args, kwargs):
        """(device mesh or None, dtype or None) of the arguments of to()."""
        from dtorch._conversion import arguments_of_to

        return arguments_of_to(args, kwargs)

    def to(self, *args, **kwargs):
        """The tensor with another dtype or on another device or mesh of the same shape; itself if nothing changes."""
        if len(args) == 1 and not kwargs and type(args[0]) is dtype:
            return _call.same(call2(ID["to_dtype"], self._j, args[0]._j), self)
        from dtorch._conversion import converted

        return converted(self, args, kwargs)

    def cpu(self):
        return self.to("cpu")

    def cuda(self, device=None):
        return self.to("cuda" if device is None else device)

    def type(self, dtype=None):
        if dtype is None:
            return "torch." + _LEGACY[self.dtype._name]
        return self.to(dtype)

    # --- Parts

    def __getitem__(self, key):
        r = new(Tensor)
        r._j = _get(self._j, key) if type(key) is int else _get(self._j, *_parts(key))
        return r

    def __setitem__(self, key, value):
        if isinstance(value, Tensor):
            value = value._j
        elif not isinstance(value, (bool, int, float)):
            from dtorch.creation import tensor

            value = tensor(value, dtype=self.dtype, device_mesh=self.device_mesh, graph=self.graph)._j
        _set(self._j, value, *_parts(key))

    def __len__(self):
        shape = _shape(self._j)
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]

    def __iter__(self):
        if _dim(self._j) == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element):
        if not isinstance(element, (Tensor, int, float)):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return (self == element).any().item()

    def copy_(self, other, non_blocking=False):
        """Writes other, broadcast, converted and from whatever mesh, into self."""
        if not isinstance(other, Tensor):
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
        _t.copy(self._j, other._j)
        return self

    # --- Views in place: the tensor becomes another view of its storage

    def unsqueeze_(self, dim):
        return _become(self, self.unsqueeze(dim))

    def squeeze_(self, dim=None):
        return _become(self, self.squeeze(dim))

    def transpose_(self, dim0, dim1):
        return _become(self, self.transpose(dim0, dim1))

    def t_(self):
        return _become(self, self.t())

    # --- Python's conversions

    def __bool__(self):
        return _truth(self._j)

    def __int__(self):
        return int(_item(self._j))

    def __float__(self):
        return float(_item(self._j))

    def __index__(self):
        if self.dtype.is_floating_point or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(_item(self._j))

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return (
            f"dtorch {_text(self._j)}\nshape={_shape(self._j)!r}, dtype={_dtype(self._j)!r},\n"
            f"device_mesh={_mesh(self._j)!r}, placements={self.placements!r}"
        )

    def __format__(self, spec):
        return format(_item(self._j), spec) if _dim(self._j) == 0 and spec else repr(self)

    # --- Copies

    def __copy__(self):
        made = object.__new__(type(self))
        made._j = _alias(self._j)
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo):
        known = memo.get(id(self))
        if known is None:
            from copy import deepcopy

            known = object.__new__(type(self))
            known._j = call1(ID["clone"], self._j)
            memo[id(self)] = known
            known.__dict__.update(deepcopy(self.__dict__, memo))
        return known

    def __reduce__(self):
        from dtorch._conversion import rebuilt

        state = (list(_values(self._j)), tuple(_shape(self._j)), self.dtype, self.device_mesh, self.placements)
        return rebuilt, (type(self), *state), self.__dict__ or None


def _become(tensor, view):
    _set_data(tensor._j, view._j)
    return tensor


def wrap(j):
    """The Python object of a new Java tensor."""
    r = new(Tensor)
    r._j = j
    return r


_call.wrap = wrap


def _mesh_j(mesh):
    j = getattr(mesh, "_j", None)
    if j is None:
        from dtorch.distributed_spec import DeviceMesh

        j = DeviceMesh(mesh)._j
    return j


def _placements_j(placements):
    from dtorch.distributed_spec import placements_argument

    return placements_argument(placements)


def _pairs_j(placements_dict):
    from dtorch.distributed_spec import pairs_argument

    return pairs_argument(placements_dict)


def _empty_lists(shape):
    return [_empty_lists(shape[1:]) for _ in range(shape[0])] if len(shape) > 1 else []


def _parts(key):
    """An index as the arguments that Java takes."""
    if type(key) is not tuple:
        key = (key,)
    parts = []
    for part in key:
        if part is None or type(part) is int or type(part) is bool:
            parts.append(part)
        elif type(part) is slice:
            if part.start is None and part.stop is None and part.step is None:
                parts.append(_WHOLE)
            else:
                parts += (_SLICE, _bound(part.start), _bound(part.stop), _bound(part.step))
        elif part is ...:
            parts.append(_ELLIPSIS)
        elif isinstance(part, Tensor):
            parts.append(part._j)
        elif isinstance(part, (list, tuple, range)):
            from dtorch.creation import tensor

            index = tensor(list(part))
            parts.append(index._j if index.numel() else index.long()._j)
        elif hasattr(part, "__index__"):
            parts.append(part.__index__())
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                f"(got {type(part).__name__})"
            )
    return parts


def _bound(value):
    return value if value is None or type(value) is int else value.__index__()


def _binary(name):
    number = ID[name]

    def operator(self, other):
        if isinstance(other, Tensor):
            other = other._j
        elif not isinstance(other, (int, float)):
            return NotImplemented
        r = new(Tensor)
        r._j = call2(number, self._j, other)
        return r

    return operator


def _in_place(name):
    number = ID[name]

    def operator(self, other):
        if isinstance(other, Tensor):
            other = other._j
        elif not isinstance(other, (int, float)):
            return NotImplemented
        call2(number, self._j, other)
        return self

    return operator


def _unary(name):
    number = ID[name]

    def operator(self):
        r = new(Tensor)
        r._j = call1(number, self._j)
        return r

    return operator


def _rpow(self, other):
    if not isinstance(other, (int, float)):
        return NotImplemented
    return wrap(call2(ID["pow_scalar"], other, self._j))


def _invert(self):
    try:
        return wrap(call1(ID["bitwise_not"], self._j))
    except (NotImplementedError, RuntimeError):
        if self.dtype.is_floating_point:
            raise TypeError(
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
            ) from None
        raise


def _set_operators():
    for names, make in (
        (
            "__add__ add __radd__ add __sub__ sub __rsub__ rsub __mul__ mul __rmul__ mul __truediv__ div __rtruediv__ rdiv"
            " __floordiv__ floor_divide __rfloordiv__ rfloor_divide __mod__ remainder __rmod__ rremainder __pow__ pow"
            " __matmul__ matmul __eq__ eq __ne__ ne __lt__ lt __le__ le __gt__ gt __ge__ ge __and__ bitwise_and"
            " __rand__ bitwise_and __or__ bitwise_or __ror__ bitwise_or __xor__ bitwise_xor __rxor__ bitwise_xor"
            " __lshift__ bitwise_left_shift __rshift__ bitwise_right_shift",
            _binary,
        ),
        (
            "__iadd__ add_ __isub__ sub_ __imul__ mul_ __itruediv__ div_ __ifloordiv__ floor_divide_ __imod__ remainder_"
            " __ipow__ pow_ __iand__ bitwise_and_ __ior__ bitwise_or_ __ixor__ bitwise_xor_",
            _in_place,
        ),
        ("__neg__ neg __pos__ positive __abs__ abs", _unary),
    ):
        words = names.split()
        for python, row in zip(words[::2], words[1::2]):
            operator = make(row)
            operator.__name__ = python
            setattr(Tensor, python, operator)
    Tensor.__rpow__ = _rpow
    Tensor.__invert__ = _invert


_set_operators()


def _load_methods():
    """Gives Tensor the methods of the operator table; False when it has them."""
    if "add" in Tensor.__dict__:
        return False
    from dtorch._functions import install_methods

    install_methods(Tensor)
    return True


class TensorFuture:
    """A value that may still be computed."""

    def __init__(self, tensor):
        self._tensor = tensor

    def get(self):
        """The value, waited for."""
        self.wait()
        return self._tensor

    def wait(self):
        _await(self._tensor._j)

    def wait_for(self, timeout_ms):
        """Waits at most so many milliseconds; whether the value is there."""
        return _t.awaitFor(self._tensor._j, float(timeout_ms))

    def is_ready(self):
        return _t.isReady(self._tensor._j)

    def __await__(self):
        from asyncio import sleep

        while not self.is_ready():
            yield from sleep(0.0005).__await__()
        return self.get()


def tensors_redistribute_by_dict(tensors, *args, **kwargs):
    return [tensor.redistribute_by_dict(*args, **kwargs) for tensor in tensors]


_LEGACY = {
    "float32": "FloatTensor",
    "float64": "DoubleTensor",
    "float16": "HalfTensor",
    "bfloat16": "BFloat16Tensor",
    "uint8": "ByteTensor",
    "int8": "CharTensor",
    "int16": "ShortTensor",
    "int32": "IntTensor",
    "int64": "LongTensor",
    "bool": "BoolTensor",
}


class _ByDtype(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype is cls.dtype

    def __call__(cls, *args, **kwargs):
        return Tensor(*args, **kwargs).to(cls.dtype)


def get_data_type_tensor(data_type):
    """A class for isinstance by dtype, which also makes tensors of it: FloatTensor for float32."""
    return _ByDtype(_LEGACY[data_type._name], (), {"dtype": data_type, "__module__": "dtorch"})
