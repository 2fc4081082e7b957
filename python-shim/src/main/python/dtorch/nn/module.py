"""The base class of all modules."""

from dtorch._call import dtype_of
from dtorch._tensor import Tensor
from dtorch.nn import _bridge, _hooks, _state
from dtorch.nn._members import Buffers, Modules, Parameters
from dtorch.nn.parameter import Buffer, Parameter

_MEMBER_CLASSES = ()  # filled below: Parameter, Buffer, Module
_REGISTRIES = ("_parameters", "_buffers", "_modules")
_STEPS = ("forward", "redistribute_input", "redistribute_output")


class Module(_state.StateDictMethods):
    """A part of a model: parameters, buffers and other modules, and a computation on them.

    Subclasses write forward. A call runs redistribute_input, forward and redistribute_output, in this order, and hooks
    around them. Members live in a Java object of the same structure, so that modules of both languages nest.
    """

    _hooked = False
    _version = 1

    def __init__(self, *args, **kwargs):
        if args or kwargs:
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but more were given")
        self._build(_bridge.guest_module())
        _bridge.set_guest(self._j, self)

    def _build(self, java_module):
        """Makes this the face of a Java module."""
        state = self.__dict__
        state["_j"] = java_module
        state["_parameters"] = Parameters(self)
        state["_buffers"] = Buffers(self)
        state["_modules"] = Modules(self)
        _bridge.set_module_peer(java_module, self)
        for name, value in _bridge.own_parameters(java_module):
            self._parameters.enter(name, value)
        for name, value, persistent in _bridge.own_buffers(java_module):
            self._buffers.enter(name, value)
            if not persistent:
                self._buffers.non_persistent.add(name)
        for name, value in _bridge.own_modules(java_module):
            self._modules.enter(name, value)

    def _describe(self):
        """Sets the attributes that tell how a module was built, from its Java object."""

    # --- the call

    def forward(self, *args, **kwargs):
        """The computation; every subclass writes its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def redistribute_input(self, *args, **kwargs):
        """Called before forward with its arguments; returns (args, kwargs). Subclasses change layouts here."""
        return args, kwargs

    def redistribute_output(self, output):
        """Called with what forward returned; returns what the caller gets. Subclasses change layouts here."""
        return output

    def __call__(self, *args, **kwargs):
        if self._hooked:
            return _hooks.call(self, args, kwargs)
        return self._run(args, kwargs)

    def _run(self, args, kwargs):
        redistribute_input = self.redistribute_input
        if redistribute_input is not None:
            changed = redistribute_input(*args, **kwargs)
            args, kwargs = changed if type(changed) is tuple and len(changed) == 2 else _inputs(self, changed)
            if type(args) is not tuple or type(kwargs) is not dict:
                args, kwargs = _inputs(self, (args, kwargs))
        output = self.forward(*args, **kwargs)
        redistribute_output = self.redistribute_output
        return output if redistribute_output is None else redistribute_output(output)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Calls hook(module, args) before every call; what it returns, unless None, replaces the arguments."""
        return _hooks.add(self, "_forward_pre_hooks", _hooks.Hook(hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Calls hook(module, args, output) after every call; what it returns, unless None, replaces the output."""
        return _hooks.add(self, "_forward_hooks", _hooks.Hook(hook, with_kwargs, always_call), prepend)

    def _hooks_changed(self):
        hooked = bool(self.__dict__.get("_forward_pre_hooks") or self.__dict__.get("_forward_hooks"))
        self.__dict__["_hooked"] = hooked
        self._calls_changed()

    def _calls_changed(self):
        """Something about how this module is called is no longer what its class says."""

    # --- attributes

    def __setattr__(self, name, value):
        state = self.__dict__
        if isinstance(value, _MEMBER_CLASSES):
            self._set_member(name, value)
        elif "_j" not in state:
            object.__setattr__(self, name, value)
        elif name in state["_parameters"]:
            self._refuse_other(name, value, "parameter", "torch.nn.Parameter or None expected")
            self.register_parameter(name, None)
        elif name in state["_modules"]:
            self._refuse_other(name, value, "child module", "torch.nn.Module or None expected")
            state["_modules"][name] = None
        elif name in state["_buffers"]:
            self._set_buffer(name, value)
        elif name in _REGISTRIES:
            state[name].replace(value.items())
        else:
            object.__setattr__(self, name, value)
            if name in _STEPS:
                self._calls_changed()

    def _set_member(self, name, value):
        state = self.__dict__
        kind = "parameters" if isinstance(value, Parameter) else "module" if isinstance(value, Module) else "buffer"
        if "_j" not in state:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if isinstance(value, Parameter):
            self._forget(name, state["_parameters"])
            self.register_parameter(name, value)
        elif name in state["_parameters"]:
            self._refuse_other(name, value, "parameter", "torch.nn.Parameter or None expected")
        elif isinstance(value, Module):
            self._forget(name, state["_modules"])
            state["_modules"][name] = value
        elif name in state["_modules"]:
            self._refuse_other(name, value, "child module", "torch.nn.Module or None expected")
        else:
            self._set_buffer(name, value)

    def _set_buffer(self, name, value):
        if value is not None and not isinstance(value, Tensor):
            self._refuse_other(name, value, "buffer", "torch.nn.Buffer, torch.Tensor or None expected")
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._buffers.non_persistent
        if name not in self._buffers:
            self.__dict__.pop(name, None)
        self.register_buffer(name, value, persistent)

    def _forget(self, name, kept):
        state = self.__dict__
        for registry in (state["_parameters"], state["_buffers"], state["_modules"]):
            if registry is not kept and name in registry:
                del registry[name]
        if name not in kept:
            state.pop(name, None)

    @staticmethod
    def _refuse_other(name, value, kind, expected):
        if value is not None:
            raise TypeError(f"cannot assign '{_typename(value)}' as {kind} '{name}' ({expected})")

    def __delattr__(self, name):
        state = self.__dict__
        for registry in _REGISTRIES:
            if name in state.get(registry, ()):
                del state[registry][name]
                return
        object.__delattr__(self, name)
        if name in _STEPS:
            self._calls_changed()

    def __dir__(self):
        names = set(dir(type(self))) | set(self.__dict__)
        return sorted(name for name in names if not name[0].isdigit())

    @property
    def training(self):
        """Whether the module is in training mode; True at first."""
        return _bridge.is_training(self._j)

    @training.setter
    def training(self, mode):
        _bridge.set_training(self._j, bool(mode))

    # --- registration

    def _check_name(self, kind, name, registry, dot):
        if "_j" not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_typename(name)}")
        if "." in name:
            raise KeyError(dot)
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in registry and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name, param):
        """Adds a parameter; None reserves the name."""
        registry = self.__dict__.get("_parameters", ())
        self._check_name("parameter", name, registry, 'parameter name can\'t contain "."')
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        registry[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a buffer; None reserves the name. A buffer that is not persistent is no part of the state dict."""
        registry = self.__dict__.get("_buffers", ())
        self._check_name("buffer", name, registry, 'buffer name can\'t contain "."')
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        if persistent:
            registry.non_persistent.discard(name)
        else:
            registry.non_persistent.add(name)
        registry[name] = tensor

    def add_module(self, name, module):
        """Adds a child; None reserves the name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_typename(module)} is not a Module subclass")
        registry = self.__dict__.get("_modules", ())
        self._check_name("module", name, registry, f'module name can\'t contain ".", got: {name}')
        registry[name] = module

    def register_module(self, name, module):
        """Adds a child; None reserves the name."""
        self.add_module(name, module)

    @property
    def _non_persistent_buffers_set(self):
        return self._buffers.non_persistent

    # --- traversal

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Pairs of path and parameter, own ones before those of children."""
        yield from _bridge.named_parameters(self._j, prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Pairs of path and buffer, persistent or not."""
        yield from _bridge.named_buffers(self._j, prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_children(self):
        """Pairs of name and direct child, each child once."""
        seen = set()
        for name, module in list(self._modules.items()):
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        for _, module in self.named_children():
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Pairs of path and module: this one and all below it."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in list(self._modules.items()):
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate=True):
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def get_submodule(self, target):
        """The module at a dotted path; the empty path is this module."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def _get_member(self, target, classes, kind):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        value = getattr(module, name)
        if not isinstance(value, classes) or (kind == "a buffer" and name not in module._buffers):
            raise AttributeError(f"`{name}` is not {kind}")
        return value

    def get_parameter(self, target):
        """The parameter at a dotted path."""
        return self._get_member(target, Parameter, "an nn.Parameter")

    def get_buffer(self, target):
        """The buffer at a dotted path."""
        return self._get_member(target, Tensor, "a buffer")

    def apply(self, fn):
        """Calls fn with every module below this one, then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def first_param_device_mesh(self):
        """The mesh of the first parameter, or None."""
        for parameter in self.parameters():
            return parameter.device_mesh
        return None

    # --- modes and conversion

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def _apply(self, fn, recurse=True):
        """Gives every parameter and buffer the value fn returns for it; the objects stay the same."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for registry in (self._parameters, self._buffers):
            for tensor in registry.values():
                if tensor is not None:
                    changed = fn(tensor)
                    if changed is not tensor:
                        tensor.data = changed
        return self

    def to(self, *args, **kwargs):
        """Casts floating tensors and moves all tensors to a mesh of the same shape; the objects stay the same."""
        mesh, dtype = Tensor.parser_tensor_to_function_arg(args, kwargs)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(f"nn.Module.to only accepts floating point dtypes, but got desired dtype={dtype}")
        _bridge.convert(self._j, dtype_of(dtype), mesh)
        return self

    def _cast(self, name):
        import dtorch

        return self.to(getattr(dtorch, name))

    def half(self):
        return self._cast("float16")

    def bfloat16(self):
        return self._cast("bfloat16")

    def float(self):
        return self._cast("float32")

    def double(self):
        return self._cast("float64")

    def cpu(self):
        return self.to("cpu")

    def cuda(self, device=None):
        return self.to("cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device)

    def __deepcopy__(self, memo):
        return _state.deepcopy(self, memo)

    # --- text

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What stands between the brackets of the printed form."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        lines += children
        return self._get_name() + "(" + ("\n  " + "\n  ".join(lines) + "\n" if lines else "") + ")"


_MEMBER_CLASSES = (Parameter, Buffer, Module)


def _inputs(module, changed):
    """What redistribute_input returned, if it is (args, kwargs) in any form."""
    name = type(module).__name__
    if not isinstance(changed, (tuple, list)) or len(changed) != 2:
        raise AssertionError(f"{name}.redistribute_input must return (args, kwargs), got {changed!r}")
    args, kwargs = changed
    if not isinstance(args, (tuple, list)) or not isinstance(kwargs, dict):
        raise AssertionError(
            f"{name}.redistribute_input must return a sequence and a dict, got {type(args).__name__} and "
            f"{type(kwargs).__name__}"
        )
    return args, kwargs


def _typename(value):
    cls = type(value)
    if isinstance(value, Tensor):
        return "torch.FloatTensor" if cls is Tensor else f"{cls.__module__}.{cls.__qualname__}"
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
