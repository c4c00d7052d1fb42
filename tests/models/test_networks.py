"""The three networks behind one door."""

from __future__ import annotations

import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models import transformer
from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.networks import initialise, logits, operand_rows, parameter_shapes
from grokbook.models.start import STARTS
from grokbook.models.transformer import Shape

MODELS = (Shape(7, d_model=8, n_heads=2), EmbeddingMLP(7, d_model=4, width=6), QuadraticMLP(7, width=6))


def tokens(shift=0):
    return torch.tensor([[0, 3 + shift, 7 + shift], [6, 6 + shift, 7 + shift]])


@pytest.mark.parametrize("model", MODELS)
def test_parameters_have_the_shapes_that_are_announced(model):
    weights = initialise(model, 3)
    assert {name: tuple(w.shape) for name, w in weights.items()} == parameter_shapes(model)
    assert all(torch.equal(w, initialise(model, 3)[name]) for name, w in weights.items())
    assert not torch.equal(weights["W_E"], initialise(model, 4)["W_E"])
    assert logits(weights, tokens(), model).shape == (2, 7)


def test_the_transformer_is_the_transformer():
    shape = MODELS[0]
    assert torch.equal(logits(initialise(shape, 0), tokens(), shape), transformer.logits(
        transformer.initialise(shape, 0), tokens(), shape))


def test_the_operands_rows():
    assert operand_rows(EmbeddingMLP(7, shift=2), 2) == (slice(0, 7), slice(2, 9))
    assert operand_rows(QuadraticMLP(7, shift=2), 2) == (slice(0, 7), slice(7, 14))


def test_a_start_changes_the_embedding_alone():
    model = MODELS[0]
    plain = initialise(model, 0)
    for start in STARTS[1:]:
        other = initialise(model, 0, start)
        assert [n for n in plain if not torch.equal(plain[n], other[n])] == ["W_E"]


def test_starts_that_do_not_exist_are_refused():
    with pytest.raises(ParameterError, match="start = 'hankel' is unknown"):
        initialise(MODELS[0], 0, "hankel")
    with pytest.raises(ParameterError, match="needs a word embedding"):
        initialise(MODELS[2], 0, "toeplitz")
