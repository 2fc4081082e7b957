"""Modes, seeds and what else belongs to the whole script."""

from functools import wraps

from dtorch._call import bridge
from dtorch.graph import Graph

_g = bridge.graphs()


class Generator:
    """A stream of random numbers, PyTorch's on the CPU for the same seed."""

    __slots__ = ("_j",)

    def __init__(self, device="cpu"):
        self._j = _g.newGenerator()

    def manual_seed(self, seed):
        _g.seed(self._j, _seed(seed))
        return self

    def seed(self):
        import random

        seed = random.SystemRandom().getrandbits(63)
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        return _g.initialSeed(self._j) & 0xFFFFFFFFFFFFFFFF

    def get_state(self):
        from dtorch.creation import tensor
        from dtorch._types import DTYPES

        return tensor([byte & 255 for byte in _g.state(self._j)], dtype=DTYPES["uint8"])

    def set_state(self, state):
        _g.setState(self._j, bytes(state.tolist()))
        return self


def _seed(seed):
    seed = int(seed)
    if not -(2**63) <= seed < 2**64:
        raise RuntimeError("Overflow when unpacking long")
    return seed - 2**64 if seed >= 2**63 else seed


def _default_generator():
    made = object.__new__(Generator)
    made._j = _g.generator(Graph.default_graph()._j)
    return made


def manual_seed(seed):
    """Seeds the default graph's generator and returns it."""
    return _default_generator().manual_seed(seed)


def seed():
    return _default_generator().seed()


def initial_seed():
    return _default_generator().initial_seed()


def get_rng_state():
    return _default_generator().get_state()


def set_rng_state(state):
    _default_generator().set_state(state)


class no_grad:
    """Within it, or in a function that it decorates, no gradients are recorded."""

    _depth = 0

    def __init__(self, function=None):
        self._function = function

    def __new__(cls, function=None):
        made = object.__new__(cls)
        if function is not None:
            made.__init__()
            return made(function)
        return made

    def __enter__(self):
        no_grad._depth += 1
        return self

    def __exit__(self, *failure):
        no_grad._depth -= 1

    def __call__(self, function):
        @wraps(function)
        def within(*args, **kwargs):
            with no_grad():
                return function(*args, **kwargs)

        return within


class inference_mode(no_grad):
    """As no_grad."""

    def __new__(cls, mode=True):
        return object.__new__(cls)

    def __init__(self, mode=True):
        self._mode = mode


def is_grad_enabled():
    return False


def set_placement_mode(mode):
    """implicit: operators redistribute their inputs where no rule fits; strict: they raise and name the legal ones."""
    if mode not in ("implicit", "strict"):
        raise ValueError(f"placement mode must be 'implicit' or 'strict', got {mode!r}")
    _g.setStrict(Graph.default_graph()._j, mode == "strict")


def get_placement_mode():
    return "strict" if _g.isStrict(Graph.default_graph()._j) else "implicit"


def explain_redistribute(tensor, device_mesh=None, placements=None):
    """The steps, bytes and cost of tensor.redistribute with these arguments, without doing it."""
    return tensor.explain_redistribute(device_mesh, placements)


def is_main_process():
    """Whether this process may write files and print: true for one process in all."""
    return True


def is_tensor(value):
    from dtorch._tensor import Tensor

    return isinstance(value, Tensor)


def is_floating_point(input):
    return input.is_floating_point()


def numel(input):
    return input.numel()


def get_default_dtype():
    return Graph.default_graph().default_dtype


def set_default_dtype(dtype):
    from dtorch._call import dtype_of

    _g.setDefaultDtype(Graph.default_graph()._j, dtype_of(dtype))


def promote_types(type1, type2):
    from dtorch.creation import empty

    return (empty(1, dtype=type1) + empty(1, dtype=type2)).dtype


def result_type(tensor1, tensor2):
    return (tensor1 + tensor2).dtype
