"""The three networks behind one door, and the starts of the embedding."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import toeplitz

from grokbook.errors import ParameterError
from grokbook.models import transformer
from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.networks import initialise, logits, operand_rows, parameter_shapes
from grokbook.models.start import STARTS, embedding_start
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


def test_the_embedding_network_is_a_stack_of_torch_layers():
    """FACTS of the authors' program: three embedded tokens side by side, two hidden ReLU layers, p logits."""
    model = EmbeddingMLP(7, d_model=4, width=6, shift=2)
    w = initialise(model, 1)
    layers = [torch.nn.Linear(12, 6), torch.nn.Linear(6, 6), torch.nn.Linear(6, 7)]
    for layer, name in zip(layers, ("1", "2", None), strict=True):
        layer.load_state_dict({"weight": w[f"W.{name}" if name else "W_U"], "bias": w[f"b.{name}" if name else "b_U"]})
    x = torch.cat([w["W_E"][tokens(2)[:, t]] for t in range(3)], dim=1)
    expected = layers[2](layers[1](layers[0](x).relu()).relu())
    assert torch.allclose(logits(w, tokens(2), model), expected, atol=1e-6)


def test_default_sizes_are_those_of_the_program():
    """128 -> (three tokens) 384 -> 512 -> 512 -> p."""
    shapes = parameter_shapes(EmbeddingMLP(97))
    assert [shapes[n] for n in ("W_E", "W.1", "W.2", "W_U")] == [(98, 128), (512, 384), (512, 512), (97, 512)]


@given(st.integers(0, 6), st.integers(0, 6))
@settings(max_examples=20, deadline=None)
def test_the_quadratic_network_by_its_formula(i, j):
    """Gromov 2023, Equation 1: sum_m V_m (U_im + U'_jm)^2, whatever the shift of the tokens."""
    model = QuadraticMLP(7, width=5, shift=3)
    w = initialise(model, 0)
    u, v = w["W_E"].numpy(), w["W_U"].numpy()
    found = logits(w, torch.tensor([[i, j + 3, 10]]), model)[0].numpy()
    assert np.allclose(found, v @ (u[i] + u[7 + j]) ** 2, atol=1e-6)


def test_the_operands_rows():
    assert operand_rows(EmbeddingMLP(7, shift=2), 2) == (slice(0, 7), slice(2, 9))
    assert operand_rows(QuadraticMLP(7, shift=2), 2) == (slice(0, 7), slice(7, 14))


@pytest.mark.parametrize("make", [lambda: EmbeddingMLP(7, width=0), lambda: QuadraticMLP(0), lambda: EmbeddingMLP(2.5)])
def test_sizes_that_are_no_sizes_are_refused(make):
    with pytest.raises(ParameterError, match="must be an integer of 1 or more"):
        make()


def test_the_papers_start_is_scipys_toeplitz_of_one_positive_vector():
    """Gu et al. 2025, Equation 19, in their program: toeplitz(v, v) / sqrt(d), v ~ U[0, 1)."""
    table = embedding_start("toeplitz", 9, 5, seed=2).numpy()
    column = table[:, 0]
    assert np.array_equal(table, toeplitz(column, np.r_[column[:5]]))
    assert table.min() >= 0 and table.max() < 1 / np.sqrt(5)


def test_controls_have_the_mean_and_variance_they_are_there_for():
    """Uniform numbers in [0, 1): mean 1/2, variance 1/12; normal ones: 0 and 1; over the root of d."""
    d, n = 64, 4000
    for kind, mean, variance in (("positive", 0.5, 1 / 12), ("normal", 0, 1), ("toeplitz_normal", 0, 1)):
        table = embedding_start(kind, n, d, seed=0) * d**0.5
        assert abs(float(table.mean()) - mean) < 0.05, kind
        assert abs(float(table.var()) / variance - 1) < 0.1, kind


@given(st.integers(3, 20), st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_a_circulant_start_has_equal_steps_all_the_way_round(n, seed):
    """With as many columns as rows every row is the one before it moved by one, so all n steps are equally long."""
    table = embedding_start("circulant", n, n, seed)
    steps = (table.roll(-1, 0) - table).norm(dim=1)
    assert torch.allclose(steps, steps[0].expand(n), rtol=1e-4)


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
