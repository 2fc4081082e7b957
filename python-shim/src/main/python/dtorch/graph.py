"""Graphs: the contexts in which tensors live."""

from contextlib import contextmanager

from dtorch._call import bridge, dtype_of
from dtorch._types import DTYPES
from dtorch.distributed_spec import DeviceMesh

_g = bridge.graphs()
_default, _default_mesh, _default_dtype = _g.defaultGraph, _g.defaultMesh, _g.defaultDtype


class GraphOption:
    """How a graph runs; per_device_per_process is accepted for existing scripts."""

    def __init__(self, *, per_device_per_process=None):
        self.per_device_per_process = per_device_per_process

    def __eq__(self, other):
        return isinstance(other, GraphOption) and self.per_device_per_process == other.per_device_per_process

    __hash__ = None

    def __repr__(self):
        return f"GraphOption(perDevicePerProcess: {self.per_device_per_process})"


class Graph:
    """A context with devices, memory, random numbers and defaults; tensors of two graphs do not meet."""

    __slots__ = ("_java", "option", "_name", "__weakref__")

    def __new__(cls, option=None):
        if isinstance(option, Graph):
            return option
        if option is not None and not isinstance(option, GraphOption):
            raise KeyError(f"Graph() takes a GraphOption or a Graph, not {type(option).__name__}")
        made = object.__new__(cls)
        made._java, made.option, made._name = None, option, ""
        return made

    @property
    def _j(self):
        # It starts when it is first used.
        if self._java is None:
            self._java = _g.open()
            _g.adopt(self._java, self)
        return self._java

    @staticmethod
    def default_graph():
        return _default()

    @property
    def id(self):
        return _g.id(self._j)

    @property
    def default_device_mesh(self):
        return _default_mesh(self._j)

    @property
    def default_dtype(self):
        return _default_dtype(self._j)

    @contextmanager
    def device_mesh_guard(self, device_mesh):
        """Within it tensors and modules are made on device_mesh."""
        before = _default_mesh(self._j)
        mesh = device_mesh if isinstance(device_mesh, DeviceMesh) else DeviceMesh(device_mesh)
        _g.setDefaultMesh(self._j, mesh._j)
        try:
            yield
        finally:
            _g.setDefaultMesh(self._j, before._j)

    @contextmanager
    def dtype_guard(self, dtype):
        """Within it tensors are made with dtype; None stands for float32."""
        before = _default_dtype(self._j)
        _g.setDefaultDtype(self._j, dtype_of(DTYPES["float32"] if dtype is None else dtype))
        try:
            yield
        finally:
            _g.setDefaultDtype(self._j, before._j)

    def sync(self):
        """Waits until all devices have done all their work."""
        _g.sync(self._j)

    def sync_future(self):
        return VoidFutureCollect(self)

    def empty_cache(self):
        """Frees what nothing refers to, and gives unused memory back."""
        import gc

        gc.collect()
        _g.emptyCache(self._j)

    def get_memory_stats(self, device_mesh=None, reset_peak=False):
        """Bytes held by the devices of a mesh, by default the default mesh."""
        if device_mesh is None:
            mesh = self.default_device_mesh
        else:
            mesh = device_mesh if isinstance(device_mesh, DeviceMesh) else DeviceMesh(device_mesh)
        figures = list(_g.memoryStats(self._j, mesh._j, reset_peak))
        ids = mesh.mesh.flatten().tolist()
        stats = MemoryStats()
        for position, device in enumerate(ids):
            allocated, reserved, most_allocated, most_reserved = figures[4 * position : 4 * position + 4]
            stats._devices[device] = MemoryStat(
                allocated=allocated,
                reserved=reserved,
                max_memory_allocated=most_allocated,
                max_memory_reserved=most_reserved,
            )
        return stats

    def communication_record(self):
        """The latest collectives, oldest first."""
        return [CommunicationEntry(call) for call in _g.communication(self._j)]

    def clear_communication_record(self):
        _g.sync(self._j)
        _g.clearCommunication(self._j)

    def reclaim_milliseconds(self):
        """How long operators have waited for memory to be reclaimed."""
        return _g.reclaimMillis(self._j)

    def satisfy(self, device_mesh):
        """Whether all devices of a mesh exist."""
        return _g.satisfies(self._j, device_mesh._j)

    def set_name(self, name):
        self._name = name

    def get_name(self):
        return self._name

    def __eq__(self, other):
        return isinstance(other, Graph) and self.id == other.id

    def __hash__(self):
        return self.id

    def __repr__(self):
        return f"dtorch.Graph with id: {self.id}"


def graph_of(j):
    graph = Graph()
    graph._java = j
    return graph


class CommunicationEntry:
    """One collective: op, mesh_dim, devices, and the bytes that each of them received; bytes is their sum."""

    __slots__ = ("op", "mesh_dim", "devices", "received", "bytes")

    def __init__(self, call):
        self.op = _g.collective(call)
        self.mesh_dim = _g.meshDim(call)
        self.devices = list(_g.members(call))
        self.received = list(_g.bytes(call))
        self.bytes = sum(self.received)

    def __repr__(self):
        return f"CommunicationEntry(op={self.op!r}, mesh_dim={self.mesh_dim!r}, bytes={self.bytes})"


class VoidFutureCollect:
    """Work that may still be under way."""

    def __init__(self, graph):
        self._j = _g.syncLater(graph._j)

    def get(self):
        _g.join(self._j)

    def wait(self):
        _g.join(self._j)

    def is_ready(self):
        return _g.isDone(self._j)

    def __await__(self):
        from asyncio import sleep

        while not self.is_ready():
            yield from sleep(0.0005).__await__()
        return self.get()


class MemoryStat:
    """The memory of one device in bytes."""

    def __init__(self, cpp_instance=None, *, allocated=0, reserved=0, max_memory_allocated=0, max_memory_reserved=0):
        if cpp_instance is not None:
            allocated, reserved = cpp_instance.memory_allocated, cpp_instance.memory_reserved
            max_memory_allocated = cpp_instance.max_memory_allocated
            max_memory_reserved = cpp_instance.max_memory_reserved
        self.memory_allocated, self.memory_reserved = allocated, reserved
        self.max_memory_allocated, self.max_memory_reserved = max_memory_allocated, max_memory_reserved

    def __eq__(self, other):
        return isinstance(other, MemoryStat) and self.__dict__ == other.__dict__

    __hash__ = None

    def __repr__(self):
        return (
            f"MemoryStat(allocated: {_megabytes(self.memory_allocated)}, reserved: {_megabytes(self.memory_reserved)}, "
            f"maxAllocated: {_megabytes(self.max_memory_allocated)}, maxReserved: {_megabytes(self.max_memory_reserved)})"
        )


class MemoryStats:
    """The memory of several devices by id."""

    def __init__(self):
        self._devices = {}

    @property
    def size(self):
        return len(self._devices)

    def find(self, device_id):
        return self._devices.get(device_id)

    def __repr__(self):
        lines = "".join(f"\t{device}: {stat}\n" for device, stat in sorted(self._devices.items()))
        return f"MemoryStats(\n{lines})"


def _megabytes(count):
    return f"{count / 1e6:g}MB"
