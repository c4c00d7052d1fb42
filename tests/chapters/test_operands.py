"""A network as a function of two embeddings is the same function as of two tokens."""

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models.quadratic import Quadratic
from grokbook.models.toy import Toy
from grokbook.models.transformer import Shape
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.how_a_network_adds.operands import from_embeddings

SHAPES = [
    Shape(5, 8, 2),
    Shape(5, 8, 2, shift=2),
    Shape(5, 8, 2, n_layers=2),
    Shape(5, 8, positional=False),
]


@pytest.mark.parametrize("network", [*SHAPES, Quadratic(5, 12)], ids=lambda n: repr(n)[:60])
def test_equal_to_the_network_on_tokens(network):
    weights, task = network.draw(0), ModularTask(5, shift=network.shift)
    first, second = network.embeddings(weights)
    i, j = (torch.as_tensor(column) for column in task.pairs.T)
    tokens = torch.as_tensor(task.tokens)
    torch.testing.assert_close(
        from_embeddings(network, weights)(first[i], second[j]),
        network.forward(weights, tokens),
        rtol=1e-5,
        atol=1e-6,
    )


def test_each_row_sees_its_own_two_embeddings():
    network = Shape(5, 8, 2)
    x, y = torch.randn(2, 7, 8).requires_grad_().unbind()
    gradient = torch.autograd.grad(from_embeddings(network, network.draw(1))(x, y)[3].sum(), (x, y))
    for table in gradient:
        assert table.abs().sum(dim=1).nonzero().flatten().tolist() == [3]


def test_a_network_without_two_operands_is_refused():
    toy = Toy(5)
    with pytest.raises(ParameterError, match="no embedding"):
        from_embeddings(toy, toy.draw(0))
