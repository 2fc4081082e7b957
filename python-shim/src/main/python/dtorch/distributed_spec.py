"""Device meshes and placements."""

from dtorch._call import array, bridge, longs
from dtorch._types import device as _device

_meshes = bridge.meshes()
_of, _init, _same, _unbind, _slice = _meshes.of, _meshes.init, _meshes.same, _meshes.unbind, _meshes.slice
_mesh_object, _by_dict = _meshes.object, _meshes.placementsByDict


class Placement:
    """How a tensor lies along one mesh dimension; read from "R", "P" or "S0", or one of the subclasses."""

    __slots__ = ("_j", "_key")

    def __new__(cls, text):
        j = _meshes.parse(text)
        return _placement(text.replace("(", "").replace(")", ""), j)

    def is_replicate(self):
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op=None):
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def is_shard(self, dim=None):
        return isinstance(self, Shard) and dim in (None, self.dim)

    def get_shard_index(self):
        if not self.is_shard():
            raise ValueError(f"{self} is not a Shard")
        return self.dim

    def has_sub_split_coordinates(self):
        return False

    def get_sub_split_coordinates(self):
        return None

    def __eq__(self, other):
        return self is other or (isinstance(other, Placement) and self._key == other._key)

    def __hash__(self):
        return hash(self._key)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class Shard(Placement):
    """The devices along a mesh dimension hold consecutive chunks of tensor dimension dim."""

    __slots__ = ("dim",)

    def __new__(cls, dim):
        if not isinstance(dim, int):
            raise TypeError(f"Shard(): argument 'dim' must be int, not {type(dim).__name__}")
        self = object.__new__(cls)
        self._j, self._key, self.dim = _meshes.shard(dim), ("S", dim), dim
        return self

    def __repr__(self):
        return f"Shard({self.dim})"

    def __reduce__(self):
        return Shard, (self.dim,)


class Replicate(Placement):
    """Every device along a mesh dimension holds the same value."""

    __slots__ = ()

    def __new__(cls):
        self = object.__new__(cls)
        self._j, self._key = _replicate, ("R",)
        return self

    def __repr__(self):
        return "Replicate()"

    def __reduce__(self):
        return Replicate, ()


class Partial(Placement):
    """The devices along a mesh dimension hold parts that combine by reduce_op into the value."""

    __slots__ = ("reduce_op",)

    def __new__(cls, reduce_op="sum"):
        self = object.__new__(cls)
        self._j, self._key, self.reduce_op = _meshes.partial(reduce_op), ("P", reduce_op), reduce_op
        return self

    def __repr__(self):
        return f"Partial({self.reduce_op})"

    def __reduce__(self):
        return Partial, (self.reduce_op,)


_replicate = _meshes.replicate()
_KNOWN = {}


def _placement(form, j=None):
    """The placement of a short form such as S(0) or R."""
    known = _KNOWN.get(form)
    if known is None:
        detail = _meshes.detail(_meshes.parse(form) if j is None else j)
        known = Replicate() if detail is None else Partial(detail) if isinstance(detail, str) else Shard(detail)
        _KNOWN[form] = known
    return known


def placements_of(forms):
    return tuple([_placement(form) for form in forms])


class DeviceMesh:
    """An arrangement of devices of one kind, whose dimensions may have names."""

    __slots__ = ("_j", "shape", "ndim", "__weakref__")

    def __new__(cls, device_type, mesh=None, mesh_dim_names=None):
        if mesh is None and mesh_dim_names is None:
            if isinstance(device_type, DeviceMesh):
                return device_type
            single = _device(device_type)
            return _mesh_object(_of(single.type, longs(1), longs(single.index or 0), None))
        if mesh is None:
            raise ValueError("DeviceMesh: mesh_dim_names are given without mesh")
        kind = device_type.type if isinstance(device_type, _device) else device_type
        ids, shape = _flattened(mesh)
        names = None if mesh_dim_names is None else array(*mesh_dim_names)
        return _mesh_object(_of(kind, longs(*shape), longs(*ids), names))

    @property
    def is_distributed(self):
        return self.size() > 1

    @property
    def device_type(self):
        return _device(_meshes.type(self._j))

    @property
    def mesh(self):
        """The device ids as an int64 tensor on the CPU."""
        from dtorch.creation import tensor

        return tensor(list(_meshes.ids(self._j)), device="cpu").view(self.shape)

    @property
    def dim_names(self):
        return list(_meshes.names(self._j))

    @property
    def mesh_dim_names(self):
        return tuple(self.dim_names) or None

    def size(self, mesh_dim=None):
        if mesh_dim is not None:
            return self.shape[mesh_dim]
        count = 1
        for size in self.shape:
            count *= size
        return count

    def has_dim_name(self, name):
        return name in self.dim_names

    def check_all_dim_names_in_set(self, names):
        if self.is_distributed and not self.dim_names:
            raise ValueError(f"{self} has no dim names")
        for name in self.dim_names:
            assert name in names, f"dim name {name!r} of {self} is not in {sorted(names)}"

    def dim_name_index(self, name, default_value=None):
        names = self.dim_names
        return names.index(name) if name in names else default_value

    def to_device(self):
        assert not self.is_distributed, f"{self} is more than one device"
        return self.first_device()

    def first_device(self):
        kind, first = _meshes.type(self._j), _meshes.ids(self._j)[0]
        return _device(kind, None if kind == "cpu" and first == 0 else first)

    def unbind(self, dims):
        """The meshes that remain when the dimensions, given by name or index, are taken apart."""
        if isinstance(dims, (str, int)):
            dims = (dims,)
        return [_mesh_object(j) for j in _unbind(self._j, *dims)]

    def flatten(self, mesh_dim_name=""):
        return _mesh_object(_meshes.flatten(self._j, mesh_dim_name))

    def __getitem__(self, names):
        names = (names,) if isinstance(names, str) else tuple(names)
        return _mesh_object(_slice(self._j, *names))

    def __eq__(self, other):
        return self is other or (isinstance(other, DeviceMesh) and _same(self._j, other._j))

    def __hash__(self):
        return _meshes.hash(self._j)

    def __repr__(self):
        return _meshes.text(self._j)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        ids = list(_meshes.ids(self._j))
        return _rebuilt, (_meshes.type(self._j), self.shape, ids, self.dim_names)


def _rebuilt(kind, shape, ids, names):
    return _mesh_object(_of(kind, longs(*shape), longs(*ids), array(*names) if names else None))


def mesh_of(j):
    mesh = object.__new__(DeviceMesh)
    mesh._j, mesh.shape = j, tuple(_meshes.shape(j))
    mesh.ndim = len(mesh.shape)
    return mesh


def _flattened(mesh):
    """Ids in row-major order and shape of nested sequences or a tensor."""
    if hasattr(mesh, "tolist"):
        mesh = mesh.tolist()
    if isinstance(mesh, int):
        return [mesh], (1,)
    items = list(mesh)
    if not items or isinstance(items[0], int):
        return items, (len(items),)
    parts = [_flattened(item) for item in items]
    if len({shape for _, shape in parts}) != 1:
        raise ValueError(f"a mesh must be rectangular, got {mesh}")
    return [id for ids, _ in parts for id in ids], (len(parts), *parts[0][1])


def init_device_mesh(device_type, mesh_shape, mesh_dim_names=None):
    """A mesh over the devices 0, 1, 2, ... in row-major order; sizes that are None are left out."""
    if isinstance(mesh_shape, int):
        mesh_shape = (mesh_shape,)
    shape = [size for size in mesh_shape if size is not None]
    kind = device_type.type if isinstance(device_type, _device) else device_type
    return _mesh_object(_init(kind, longs(*shape), None if mesh_dim_names is None else array(*mesh_dim_names)))


def get_default_device_mesh(device=None, device_mesh=None, graph=None):
    """The mesh that a creation function uses for these options."""
    assert device is None or device_mesh is None, "device and device_mesh exclude each other"
    if device is not None:
        return DeviceMesh(device)
    if device_mesh is not None:
        return device_mesh if isinstance(device_mesh, DeviceMesh) else DeviceMesh(device_mesh)
    from dtorch.graph import Graph

    return (Graph.default_graph() if graph is None else graph).default_device_mesh


def mesh_argument(device, device_mesh):
    """The Java mesh of the options device and device_mesh, None where neither is given."""
    assert device is None or device_mesh is None, "device and device_mesh exclude each other"
    if device_mesh is not None:
        return device_mesh._j if isinstance(device_mesh, DeviceMesh) else DeviceMesh(device_mesh)._j
    return None if device is None else DeviceMesh(device)._j


def placements_argument(placements):
    """Placements, or a single one, as one argument."""
    if placements is None:
        return None
    if isinstance(placements, Placement):
        return array(placements._j)
    return array(*[getattr(placement, "_j", placement) for placement in placements])


def pairs_argument(placements_dict):
    """A dict of placements by mesh dimension as one argument."""
    if placements_dict is None:
        return None
    pairs = []
    for dim, placement in placements_dict.items():
        pairs += (dim, getattr(placement, "_j", placement))
    return array(*pairs)


def get_placements_from_dict(
    device_mesh, placements_dict, original_placements=None, default_placement_mode="raise_error"
):
    """A placement for each mesh dimension, from a dict by name or index; others by raise_error, replicate or keep."""
    return list(
        _by_dict(
            device_mesh._j,
            pairs_argument(placements_dict or {}),
            placements_argument(original_placements),
            default_placement_mode,
        )
    )


def assign_layers_to_stages(num_layers, num_stages):
    """The stage of every layer: contiguous, earlier stages get the surplus; (5, 2) gives [0, 0, 0, 1, 1]."""
    if num_stages <= 0:
        raise ValueError(f"num_stages must be positive, got {num_stages}")
    least, more = divmod(num_layers, num_stages)
    return [stage for stage in range(num_stages) for _ in range(least + (stage < more))]
