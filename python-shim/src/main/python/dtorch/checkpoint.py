"""Weights and settings of models in Hugging Face's layout: safetensors and config.json."""

from collections.abc import Mapping

from dtorch._call import bridge, creation, dtype_of
from dtorch._tensor import wrap

_f = bridge.files()
__all__ = ["StoredTensor", "load_config", "load_state_dict"]


def load_config(path):
    """The config.json of a folder, or another JSON file, as a dict."""
    import json

    return json.loads(_f.config(str(path)))


class StoredTensor:
    """A tensor of a checkpoint; only what is asked for is read. Modules load it shard by shard."""

    __slots__ = ("_j", "name")

    def __init__(self, j, name):
        self._j, self.name = j, name

    @property
    def shape(self):
        return _f.shape(self._j)

    @property
    def dtype(self):
        return _f.dtype(self._j)

    @property
    def ndim(self):
        return len(self.shape)

    def numel(self):
        return self.shape.numel()

    def tensor(self, *, dtype=None, device=None, device_mesh=None, placements=None, graph=None):
        """The whole value as a tensor."""
        from dtorch.distributed_spec import mesh_argument, placements_argument

        options = creation(
            None if graph is None else graph._j,
            dtype_of(dtype),
            mesh_argument(device, device_mesh),
            placements_argument(placements),
        )
        return wrap(_f.tensor(self._j, options))

    def tolist(self):
        return self.tensor().tolist()

    def __repr__(self):
        return f"StoredTensor({self.name!r}, shape={self.shape!r}, dtype={self.dtype!r})"


class _State(Mapping):
    """The tensors of a checkpoint by name; files are opened when a tensor in them is first asked for."""

    def __init__(self, path):
        self._checkpoint = _f.checkpoint(path)
        self._names = dict.fromkeys(_f.names(self._checkpoint))

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        found = self._names[name]
        if found is None:
            found = self._names[name] = StoredTensor(_f.entry(self._checkpoint, name), name)
        return found

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def close(self):
        """Closes the files; stored tensors cannot be read from then on."""
        _f.close(self._checkpoint)


def load_state_dict(path):
    """The tensors of a safetensors file, an index, or a folder with either, by name."""
    return _State(str(path))


def save_state_dict(state_dict, path):
    raise NotImplementedError("dtorch.checkpoint.save_state_dict")
