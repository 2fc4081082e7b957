"""Calls generated functions and looks at what they pass on."""

import inspect

from dtorch import _bridge, _generated
from dtorch._bridge import Tensor

x, y = Tensor("x"), Tensor("y")


def passed(call):
    _bridge.calls.clear()
    call()
    assert len(_bridge.calls) == 1, _bridge.calls
    return _bridge.calls[0]


def raises(call):
    try:
        call()
    except TypeError as error:
        return str(error)
    raise AssertionError("no TypeError")


def equal(found, *wanted):
    assert found == wanted, f"{found} is not {wanted}"


def run():
    _generated.install_methods(Tensor)
    count = 0
    for namespace in ("dtorch", "nn.functional", "linalg", "Tensor"):
        for name in _generated.names(namespace):
            function = _generated.function(namespace, name)
            assert function.__doc__ and inspect.signature(function), name
            count += 1

    f = _Namespace("dtorch")
    functional = _Namespace("nn.functional")
    nothing = (None, None, None, None)

    # operators of Python, tensors and numbers, reflected and in place
    equal(passed(lambda: x + y), "add", "x", "y")
    equal(passed(lambda: x + 2), "add", "x", 2)
    equal(passed(lambda: 2 - x), "rsub", "x", 2)
    equal(passed(lambda: 2**x), "pow_scalar", 2, "x")
    equal(passed(lambda: x == 1.5), "eq", "x", 1.5)
    assert x.__add__(object()) is NotImplemented
    assert "unsupported operand" in raises(lambda: x + object())
    z = x
    z += y
    assert z is x and _bridge.calls[-1] == ("add_", "x", "y")

    # aliases of parameters, varargs
    equal(passed(lambda: f.chunk(x, chunk=2)), "chunk", "x", 2, 0)
    equal(passed(lambda: f.cat(inputs=[x, y], dim=1)), "cat", ["x", "y"], 1)
    equal(passed(lambda: f.einsum("ij,jk", x, y)), "einsum", "ij,jk", ["x", "y"])
    equal(passed(lambda: f.einsum("ij,jk", [x, y])), "einsum", "ij,jk", ["x", "y"])
    equal(passed(lambda: x.view(2, 3)), "view", "x", (2, 3))
    equal(passed(lambda: x.view((2, 3))), "view", "x", (2, 3))
    equal(passed(lambda: x.view(-1)), "view", "x", (-1,))
    equal(passed(lambda: x.reshape(shape=(2, 3))), "reshape", "x", (2, 3))
    equal(passed(lambda: functional.layer_norm(x, (4,), scale=y)), "layer_norm", "x", (4,), "y", None, 1e-05)

    # creation
    equal(passed(lambda: f.zeros(2, 3)), "zeros", (2, 3), *nothing, None)
    equal(passed(lambda: f.zeros([2, 3], dtype="d")), "zeros", [2, 3], "d", *nothing)
    equal(passed(lambda: f.full((2,), 1.5, graph="g")), "full", (2,), 1.5, *nothing, "g")
    equal(passed(lambda: f.rand(4, placements="R")), "rand", (4,), None, None, None, None, ["R"], None)
    equal(passed(lambda: f.randint(5, (2,))), "randint_below", 5, (2,), None, *nothing, None)
    equal(passed(lambda: f.randint(1, 5, (2,))), "randint", 1, 5, (2,), None, *nothing, None)
    equal(passed(lambda: f.randint(high=5, shape=(2,))), "randint_below", 5, (2,), None, *nothing, None)

    # overloads
    equal(passed(lambda: f.max(x)), "max", "x")
    equal(passed(lambda: f.max(x, other=y)), "maximum", "x", "y")
    equal(passed(lambda: x.max(1, keepdim=True)), "max_dim", "x", 1, True)
    assert f.max(x, 1).indices._j == "result" and type(f.max(x, 1)).__name__ == "max"
    equal(passed(lambda: x.split(2)), "split", "x", 2, 0)
    equal(passed(lambda: x.split([1, 2], dim=1)), "split_with_sizes", "x", [1, 2], 1)
    equal(passed(lambda: x.std(unbiased=False)), "std_unbiased", "x", None, False, False)
    equal(passed(lambda: x.norm("fro")), "norm_named", "x", "fro", None, False, None)

    # in-place forms give back the very object
    assert x.add_(y) is x and x.uniform_(-1, 1) is x and x.copy_(y) is x
    assert functional.relu(x, inplace=True) is x and _bridge.calls[-1] == ("relu_", "x")
    assert functional.dropout(x, 0.1, inplace=True) is x and _bridge.calls[-1] == ("dropout_", "x", 0.1, True)
    assert f.equal(x, y) is True

    # errors
    assert raises(lambda: f.add(1, x)) == "add(): argument 'input' must be Tensor, not int"
    assert "missing 1 required positional argument: 'other'" in raises(lambda: f.add(x))
    assert raises(lambda: f.chunk(x)) == "chunk() missing 1 required positional argument: 'chunks'"
    assert "argument 'other' must be Tensor, not int" in raises(lambda: f.matmul(x, 3))
    assert "must be list of Tensors, not Tensor" in raises(lambda: f.cat(x))
    assert "unexpected keyword argument 'beta'" in raises(lambda: f.add(x, y, beta=1))
    assert "invalid combination of arguments - got (Tensor, str)" in raises(lambda: f.max(x, "a"))
    return count


class _Namespace:
    def __init__(self, namespace):
        self._namespace = namespace

    def __getattr__(self, name):
        return _generated.function(self._namespace, name)
