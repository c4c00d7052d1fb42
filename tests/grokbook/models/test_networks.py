"""The networks behind one door; the fully connected ones against torch's layers and formulas;
starts."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import toeplitz

from grokbook.errors import ParameterError
from grokbook.models.encoder import Encoder
from grokbook.models.midpoint import MidpointToy
from grokbook.models.mlp import MLP, EmbeddingMLP, QuadraticMLP
from grokbook.models.quadratic import Quadratic
from grokbook.models.replayed import ReplayedToy
from grokbook.models.resnet import ResNet
from grokbook.models.start import STARTS, embedding_start
from grokbook.models.toy import Toy
from grokbook.models.transformer import Shape

MODELS = (
    Shape(7, d_model=8, n_heads=2),
    EmbeddingMLP(7, d_model=4, width=6),
    QuadraticMLP(7, width=6),
)


def tokens(shift=0):
    return torch.tensor([[0, 3 + shift, 7 + shift], [6, 6 + shift, 7 + shift]])


@pytest.mark.parametrize("model", MODELS)
def test_parameters_have_the_shapes_that_are_announced(model):
    weights = model.draw(3)
    assert {name: tuple(w.shape) for name, w in weights.items()} == model.shapes()
    assert model.forward(weights, tokens()).shape == (2, 7)


@pytest.mark.parametrize(
    "model",
    [
        *MODELS,
        Encoder(7),
        MLP((2, 3, 1)),
        Quadratic(5, width=4),
        Toy(5),
        MidpointToy(5),
        ReplayedToy(5),
        ResNet(17, width=1, stem="small", channels=1, size=16),
    ],
)
def test_a_seed_draws_the_same_again_and_another_seed_something_else(model):
    first, again, other = (list(model.draw(seed).values()) for seed in (3, 3, 4))
    assert all(map(torch.equal, first, again)) and not all(map(torch.equal, first, other))


@pytest.mark.parametrize("model", MODELS[:2])
def test_a_start_changes_the_embedding_alone_which_its_seed_draws(model):
    plain = model.draw(0)
    for start in STARTS[1:]:
        other = model.draw(0, start)
        assert [n for n in plain if not torch.equal(plain[n], other[n])] == ["W_E"]
        assert not torch.equal(other["W_E"], model.draw(1, start)["W_E"]), start


def test_starts_that_do_not_exist_are_refused():
    with pytest.raises(ParameterError, match="start = 'hankel' is unknown"):
        MODELS[0].draw(0, "hankel")
    assert MODELS[2].starts == ("normal",)


def test_the_embedding_network_is_a_stack_of_torch_layers():
    """FACTS of the authors' program: three embedded tokens side by side, two hidden ReLU layers, p
    logits."""
    model = EmbeddingMLP(7, d_model=4, width=6, shift=2)
    w = model.draw(1)
    layers = [torch.nn.Linear(12, 6), torch.nn.Linear(6, 6), torch.nn.Linear(6, 7)]
    for layer, name in zip(layers, ("1", "2", None), strict=True):
        layer.load_state_dict(
            {"weight": w[f"W.{name}" if name else "W_U"], "bias": w[f"b.{name}" if name else "b_U"]}
        )
    x = torch.cat([w["W_E"][tokens(2)[:, t]] for t in range(3)], dim=1)
    expected = layers[2](layers[1](layers[0](x).relu()).relu())
    assert torch.allclose(model.forward(w, tokens(2)), expected, atol=1e-6)


@given(st.integers(0, 6), st.integers(0, 6))
@settings(max_examples=20, deadline=None)
def test_the_quadratic_network_by_its_formula(i, j):
    """Gromov 2023, Equation 1: sum_m V_m (U_im + U'_jm)^2, whatever the shift of the tokens."""
    model = QuadraticMLP(7, width=5, shift=3)
    w = model.draw(0)
    u, v = w["W_E"].numpy(), w["W_U"].numpy()
    found = model.forward(w, torch.tensor([[i, j + 3, 10]]))[0].numpy()
    assert np.allclose(found, v @ (u[i] + u[7 + j]) ** 2, atol=1e-6)


def test_the_papers_start_is_scipys_toeplitz_of_one_positive_vector():
    """Gu et al. 2025, Equation 19, in their program: toeplitz(v, v) / sqrt(d), v ~ U[0, 1)."""
    table = embedding_start("toeplitz", 9, 5, seed=2).numpy()
    column = table[:, 0]
    assert np.array_equal(table, toeplitz(column, np.r_[column[:5]]))
    assert table.min() >= 0 and table.max() < 1 / np.sqrt(5)


def test_controls_have_the_mean_and_variance_they_are_there_for():
    """Uniform numbers in [0, 1): mean 1/2, variance 1/12; normal ones: 0 and 1; over the root of
    d."""
    d, n = 64, 4000
    for kind, mean, variance in (
        ("positive", 0.5, 1 / 12),
        ("normal", 0, 1),
        ("toeplitz_normal", 0, 1),
    ):
        table = embedding_start(kind, n, d, seed=0) * d**0.5
        assert abs(float(table.mean()) - mean) < 0.05, kind
        assert abs(float(table.var()) / variance - 1) < 0.1, kind


@given(st.integers(3, 20), st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_a_circulant_start_has_equal_steps_all_the_way_round(n, seed):
    """With as many columns as rows every row is the one before it moved by one, so all n steps are
    equally long."""
    table = embedding_start("circulant", n, n, seed)
    steps = (table.roll(-1, 0) - table).norm(dim=1)
    assert torch.allclose(steps, steps[0].expand(n), rtol=1e-4)
