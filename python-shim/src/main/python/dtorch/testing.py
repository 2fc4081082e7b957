"""Comparison of tensors, as torch.testing."""

from dtorch._tensor import Tensor

_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None
):
    """Raises AssertionError with PyTorch's report unless both have the same shape, dtype and close values."""
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    if isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        assert len(actual) == len(expected), f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        for one, other in zip(actual, expected):
            assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
        return
    from dtorch.creation import tensor

    actual = actual if isinstance(actual, Tensor) else tensor(actual)
    expected = expected if isinstance(expected, Tensor) else tensor(expected)
    if tuple(actual.shape) != tuple(expected.shape):
        _fail(msg, f"The values for attribute 'shape' do not match: {actual.shape!r} != {expected.shape!r}.")
    if check_dtype and actual.dtype is not expected.dtype:
        _fail(msg, f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.")
    if rtol is None:
        pairs = [_TOLERANCES.get(t.dtype._name, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = max(p[0] for p in pairs), max(p[1] for p in pairs)
    _compare(_flat(actual), _flat(expected), tuple(actual.shape), rtol, atol, equal_nan, msg)


def _flat(tensor):
    values = tensor.flatten().tolist()
    return values if isinstance(values, list) else [values]


def _compare(got, wanted, shape, rtol, atol, equal_nan, msg):
    wrong, worst, worst_relative = 0, (-1.0, 0), (-1.0, 0)
    for index, (a, b) in enumerate(zip(got, wanted)):
        if a == b or (equal_nan and a != a and b != b):
            continue
        gap = abs(a - b)
        if gap <= atol + rtol * abs(b) and gap != float("inf"):
            continue
        wrong += 1
        relative = gap / abs(b) if b else float("inf")
        worst = max(worst, (float("inf") if gap != gap else gap, index))
        worst_relative = max(worst_relative, (float("inf") if relative != relative else relative, index))
    if wrong:
        exact = rtol == 0 and atol == 0
        _fail(
            msg,
            f"Tensor-likes are not {'equal' if exact else 'close'}!\n\n"
            f"Mismatched elements: {wrong} / {len(got)} ({wrong / len(got):.1%})\n"
            f"Greatest absolute difference: {worst[0]} at index {_index(worst[1], shape)}"
            f"{'' if exact else f' (up to {atol} allowed)'}\n"
            f"Greatest relative difference: {worst_relative[0]} at index {_index(worst_relative[1], shape)}"
            f"{'' if exact else f' (up to {rtol} allowed)'}",
        )


def _index(flat, shape):
    index = []
    for size in reversed(shape):
        flat, place = divmod(flat, size)
        index.append(place)
    return tuple(reversed(index))


def _fail(msg, report):
    if callable(msg):
        report = msg(report)
    elif msg is not None:
        report = msg
    raise AssertionError(report)
