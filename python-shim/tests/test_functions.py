"""Functions of the operator table: names of parameters, overloads, arguments of wrong types; both front ends agree."""

import inspect

import dtorch
import dtorch.nn.functional as F
import pytest
from dtorch import _functions

X = dtorch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])


@pytest.mark.parametrize("table", ["FUNCTIONS", "METHODS", "FUNCTIONAL", "LINALG"])
def test_every_function_has_a_signature_and_a_docstring(table):
    for name in _functions.names(table):
        function = _functions.function(table, name)
        assert function.__doc__ and function.__name__ == name and inspect.signature(function)


def test_other_names_of_parameters():
    assert [part.tolist() for part in dtorch.chunk(X, chunk=3, dim=1)] == [[[1.0], [4.0]], [[5.0], [3.0]], [[2.0], [6.0]]]
    assert dtorch.cat(inputs=[X, X], dim=1).shape == (2, 6) and dtorch.concat([X, X]).shape == (4, 3)
    assert dtorch.full(shape=(2,), fill_value=1.5).tolist() == [1.5, 1.5] and dtorch.zeros(size=(2,)).shape == (2,)
    weight = dtorch.tensor([2.0, 2.0, 2.0])
    assert F.layer_norm(X, (3,), scale=weight).tolist() == F.layer_norm(X, (3,), weight).tolist()
    assert dtorch.randint(high=3, shape=(4,)).shape == (4,) and dtorch.randint(1, 3, (4,)).dtype is dtorch.int64


def test_sizes():
    for call in (lambda: X.view(3, 2), lambda: X.view((3, 2)), lambda: X.view([3, -1]), lambda: X.reshape(shape=(3, 2))):
        assert call().shape == (3, 2)
    assert X.view(-1).shape == (6,) and X.permute(1, 0).shape == (3, 2) and X.expand(4, -1, -1).shape == (4, 2, 3)
    with pytest.raises(TypeError):
        X.view()
    with pytest.raises(TypeError, match="str"):
        X.view("a", 2)


def test_overloads():
    assert dtorch.max(X).item() == 6.0 and X.max(other=dtorch.tensor(3.0)).tolist() == [[3.0, 5.0, 3.0], [4.0, 3.0, 6.0]]
    found = X.max(1, keepdim=True)
    assert found.values.tolist() == [[5.0], [6.0]] and found.indices.tolist() == [[1], [2]]
    assert type(found).__name__ == "max" and repr(found).startswith("torch.return_types.max(\nvalues=dtorch tensor(")
    assert [p.shape for p in X.split(2, dim=1)] == [(2, 2), (2, 1)] and len(X.split([1, 2], dim=1)) == 2
    assert X.std(unbiased=False).item() == pytest.approx(1.7078251)  # torch.std(x, unbiased=False)
    assert X.norm("fro").item() == pytest.approx(9.5393920)  # torch.linalg.norm(x)
    assert dtorch.pow(2, dtorch.tensor([1, 3])).tolist() == [2, 8]
    with pytest.raises(TypeError, match="invalid combination of arguments - got \\(Tensor, str\\)"):
        dtorch.max(X, "a")


def test_in_place():
    x = dtorch.tensor([-1.0, 2.0])
    assert F.relu(x, inplace=True) is x and x.tolist() == [0.0, 2.0]
    assert x.copy_(dtorch.ones(2)) is x and x.zero_() is x and x.uniform_(0, 1) is x


def test_truth_values_are_python_bools():
    assert dtorch.equal(X, X) is True and X.equal(X + 1) is False and dtorch.allclose(X, X + 1e-9) is True


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dtorch.add(1, X), "add\\(\\): argument 'input' \\(position 1\\) must be Tensor, not int"),
        (lambda: dtorch.add(X, "a"), "argument 'other' \\(position 2\\) must be Tensor or Number, not str"),
        (lambda: dtorch.add(X), "missing 1 required positional argument: 'other'"),
        (lambda: dtorch.add(X, X, beta=1), "unexpected keyword argument 'beta'"),
        (lambda: dtorch.chunk(X), "chunk\\(\\) missing 1 required positional argument: 'chunks'"),
        (lambda: dtorch.matmul(X, 3), "argument 'other' \\(position 2\\) must be Tensor, not int"),
        (lambda: dtorch.cat(X), "list or tuple of tensors"),
        (lambda: dtorch.cat([X, 1]), "tuple of int"),
        (lambda: X.sum(dim=[0.5]), "float"),
        (lambda: dtorch.zeros("a"), "str"),
        (lambda: dtorch.zeros(2, dtype="float32"), "dtype"),
    ],
)
def test_wrong_types(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_errors_of_several_classes():
    with pytest.raises(RuntimeError) as caught:
        dtorch.ones(2) + dtorch.ones(3)
    assert isinstance(caught.value, ValueError) and "must match the size" in str(caught.value)
    with pytest.raises(RuntimeError, match="Overflow"):
        X + 2**70


def test_numbers_keep_their_kind():
    """Row J03, the Python side: no number is taken for one of another kind."""
    x = dtorch.tensor([1, 2])
    for other, values, dtype in [
        (1, [2, 3], dtorch.int64),
        (1.5, [2.5, 3.5], dtorch.float32),
        (2.0, [3.0, 4.0], dtorch.float32),
        (True, [2, 3], dtorch.int64),
    ]:
        result = x + other
        assert result.tolist() == values and result.dtype is dtype
    filled = dtorch.zeros(2)
    for value in (0.15, 0.25, 1, True):
        filled.fill_(value)
        assert filled.tolist() == pytest.approx([float(value)] * 2, abs=1e-7)


def test_attention_of_wrong_types():
    with pytest.raises(TypeError, match="'key' must be Tensor"):
        F.scaled_dot_product_attention(dtorch.ones(1, 1, 2, 2), 1, 2)
    with pytest.raises(AssertionError):
        dtorch.SdpaOption(sage_attn_type="fast").check_valid()
