"""The three networks behind one door."""

from __future__ import annotations

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.start import STARTS
from grokbook.models.transformer import Shape

MODELS = (Shape(7, d_model=8, n_heads=2), EmbeddingMLP(7, d_model=4, width=6), QuadraticMLP(7, width=6))


def tokens(shift=0):
    return torch.tensor([[0, 3 + shift, 7 + shift], [6, 6 + shift, 7 + shift]])


@pytest.mark.parametrize("model", MODELS)
def test_parameters_have_the_shapes_that_are_announced(model):
    weights = model.draw(3)
    assert {name: tuple(w.shape) for name, w in weights.items()} == model.shapes()
    assert all(torch.equal(w, model.draw(3)[name]) for name, w in weights.items())
    assert not torch.equal(weights["W_E"], model.draw(4)["W_E"])
    assert model.forward(weights, tokens()).shape == (2, 7)


def test_the_operands_rows():
    rows = {"W_E": list(range(14))}
    assert EmbeddingMLP(7, shift=2).embeddings(rows) == (list(range(7)), list(range(2, 9)))
    assert QuadraticMLP(7, shift=2).embeddings(rows) == (list(range(7)), list(range(7, 14)))


def test_a_start_changes_the_embedding_alone():
    model = MODELS[0]
    plain = model.draw(0)
    for start in STARTS[1:]:
        other = model.draw(0, start)
        assert [n for n in plain if not torch.equal(plain[n], other[n])] == ["W_E"]


def test_starts_that_do_not_exist_are_refused():
    with pytest.raises(ParameterError, match="start = 'hankel' is unknown"):
        MODELS[0].draw(0, "hankel")
    assert MODELS[2].starts == ("normal",)
