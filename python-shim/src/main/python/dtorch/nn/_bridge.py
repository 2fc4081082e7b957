"""The one place where dtorch.nn meets Java: bound methods, and which Python object stands for which Java object."""

from dtorch._call import bridge
from dtorch._tensor import wrap

_modules = bridge.modules()
_layers = bridge.layers()

call = _modules.call
forward = _modules.forward
redistribute_input = _modules.redistributeInput
redistribute_output = _modules.redistributeOutput
linear_redistribute_input = _modules.linearRedistributeInput
linear_redistribute_output = _modules.linearRedistributeOutput
parameter = _modules.parameter
buffer = _modules.buffer
requires_grad = _modules.requiresGrad
set_requires_grad = _modules.setRequiresGrad
is_persistent = _modules.isPersistent
guest_module = _modules.guestModule
set_guest = _modules.setGuest
has_guest = _modules.hasGuest
set_module_peer = _modules.setModulePeer
register_parameter = _modules.registerParameter
register_buffer = _modules.registerBuffer
register_module = _modules.registerModule
unregister = _modules.unregister
is_training = _modules.isTraining
set_training = _modules.setTraining
bare_copy = _modules.bareCopy
extra_repr = _modules.extraRepr
linear = _layers.linear
embedding = _layers.embedding
tp_dim = _layers.tpDim
set_tensor_peer = _modules.setTensorPeer
layer_norm = _layers.layerNorm
rms_norm = _layers.rmsNorm
group_norm = _layers.groupNorm
plain = _layers.plain
init = _layers.init
trunc_normal = _layers.truncNormal
kaiming = _layers.kaiming
gain = _layers.gain


def tp_shard_type(linear):
    found = _layers.tpShardType(linear)
    return None if found is None else found


def java(value):
    """The Java object behind a Python one; None stays None."""
    return None if value is None else value._j


def adopt(cls, java_tensor):
    """The Python object of a class that stands for a Java tensor from now on."""
    made = object.__new__(cls)
    made._j = java_tensor
    set_tensor_peer(java_tensor, made)
    return made


def face(java_object):
    """The Python object that stands for a Java tensor or module; made now if there is none."""
    from dtorch.nn import _faces

    kind = _modules.kind(java_object)
    if kind.startswith("module."):
        return _modules.modulePeer(java_object) or _faces.module(kind[len("module.") :], java_object)
    known = _modules.tensorPeer(java_object)
    if known is not None:
        return known
    return wrap(java_object) if kind == "tensor" else _faces.tensor(kind, java_object)


def _member(value):
    # Java's null is an object of its own in Python, equal to None.
    if value is None:
        return None
    return value if hasattr(value, "_j") else face(value)


def _pairs(flat):
    flat = list(flat)
    return [(flat[i], _member(flat[i + 1])) for i in range(0, len(flat), 2)]


def own_parameters(module):
    return _pairs(_modules.ownParameters(module))


def own_buffers(module):
    return [
        (name, value, _modules.isPersistentBuffer(module, name)) for name, value in _pairs(_modules.ownBuffers(module))
    ]


def own_modules(module):
    return _pairs(_modules.ownModules(module))


def named_parameters(module, prefix, recurse, remove_duplicate):
    return _pairs(_modules.namedParameters(module, prefix, recurse, remove_duplicate))


def named_buffers(module, prefix, recurse, remove_duplicate):
    return _pairs(_modules.namedBuffers(module, prefix, recurse, remove_duplicate))


def own_state(module, keep_vars):
    return _pairs(_modules.ownState(module, keep_vars))


def load_own(module, prefix, values, assign):
    """Missing keys, unexpected keys and errors."""
    # What has no Java object is no tensor; Java says so in its message.
    sources = [getattr(value, "_j", value) for value in values.values()]
    return [list(part) for part in _modules.loadOwnState(module, prefix, list(values), sources, assign)]


def convert(module, dtype, mesh):
    _modules.convert(module, dtype, java(mesh))


def call_any(module, args, kwargs):
    """Calls a module of Java's with whatever it takes."""
    result = _modules.callAny(module, to_java(list(args)), list(kwargs), to_java(list(kwargs.values())))
    return _native(result)


def empty_tensor():
    import dtorch

    return dtorch.empty(0)


def mesh(device, device_mesh):
    """The Java mesh of a layer that was given a device, a mesh or neither."""
    if device is None and device_mesh is None:
        return None
    from dtorch.distributed_spec import mesh_argument

    return mesh_argument(device, device_mesh)


def sizes(shape):
    """A list for Java's long[]: one number or a sequence."""
    return [int(shape)] if isinstance(shape, int) else [int(size) for size in shape]


def to_java(value):
    """A result of Python code with Java objects in place of tensors and modules."""
    if isinstance(value, (list, tuple)):
        return [to_java(item) for item in value]
    if isinstance(value, dict):
        return {name: to_java(item) for name, item in value.items()}
    return getattr(value, "_j", value)


def _listed(values):
    """Java's arrays and maps, nested, as Python's lists and dicts; all else as it is."""
    return [_native(value) for value in values]


def _native(value):
    if value is None:
        return None
    if type(value).__module__ == "polyglot":
        if hasattr(value, "items"):
            return {str(name): _native(item) for name, item in value.items()}
        if hasattr(value, "__len__"):
            return _listed(value)
    return value


def _dispatch(module, step, args, names, values):
    """Runs a step of a Python module for Java."""
    args = _listed(args)
    kwargs = dict(zip(names, _listed(values)))
    if step == "call":
        return to_java(module(*args, **kwargs))
    if step == "forward":
        return to_java(module.forward(*args, **kwargs))
    if step == "redistribute_input":
        changed_args, changed_kwargs = module.redistribute_input(*args, **kwargs)
        return [to_java(list(changed_args)), to_java(changed_kwargs)]
    if step == "redistribute_output":
        return to_java(module.redistribute_output(*args))
    if step == "class_name":
        return module._get_name()
    if step == "extra_repr":
        return module.extra_repr()
    if step == "add_pre_hook":
        return module.register_forward_pre_hook(_java_pre_hook(args[0]), with_kwargs=True).remove
    return module.register_forward_hook(_java_hook(args[0]), with_kwargs=True).remove


def _java_pre_hook(before):
    def hook(module, args, kwargs):
        changed = before(module._j, to_java(list(args)), to_java(kwargs))
        if changed is None:
            return None
        return tuple(_listed(changed[0])), dict(zip(changed[1], _listed(changed[2])))

    return hook


def _java_hook(after):
    def hook(module, args, kwargs, output):
        return after(module._j, to_java(list(args)), to_java(kwargs), to_java(output))

    return hook


_modules.setGuestDispatch(_dispatch, face)
