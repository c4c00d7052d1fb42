"""The two-layer network of Tian's papers: its formula, the ridge by an independent solution, the
gradient it leaves."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.models.mlp import QuadraticMLP
from grokbook.models.quadratic import ACTIVATIONS, Quadratic
from grokbook.tasks.groups import GroupTask

PAIRS = torch.cartesian_prod(torch.arange(5), torch.arange(5))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_outputs_are_those_of_one_hot_vectors(activation):
    """Tian 2024: o = W_c^T sigma(W_a x_a + W_b x_b), x one-hot."""
    model = Quadratic(5, width=7, activation=activation)
    w = model.draw(3)
    one_hot = torch.cat([torch.eye(5)[PAIRS[:, 0]], torch.eye(5)[PAIRS[:, 1]]], dim=1)
    expected = ACTIVATIONS[activation](one_hot @ w["W_E"]) @ w["W_U"].T
    torch.testing.assert_close(model.forward(w, PAIRS), expected)


def test_it_is_gromovs_network_on_pairs():
    """Equal weights, equal outputs: the two differ by their inputs alone."""
    one, other = Quadratic(5, width=7), QuadraticMLP(5, width=7)
    w = other.draw(0)
    tokens = torch.cat([PAIRS, torch.full((25, 1), 5)], dim=1)
    torch.testing.assert_close(one.forward(w, PAIRS), other.forward(w, tokens))
    torch.testing.assert_close(one.draw(0), w)


@pytest.mark.parametrize(
    ("start", "hidden"), [("uniform", 5**-0.5), ("linear", 10**-0.5), ("zero_output", 10**-0.5)]
)
def test_uniform_starts_fill_their_range(start, hidden):
    w = Quadratic(5, width=4000).draw(1, start)
    assert (
        w["W_E"].abs().max() == pytest.approx(hidden, rel=1e-3)
        and abs(float(w["W_E"].mean())) < 0.01
    )
    read = 0 if start == "zero_output" else 4000**-0.5
    assert float(w["W_U"].abs().max()) == pytest.approx(read, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(
    width=st.integers(1, 30),
    n=st.integers(2, 25),
    ridge=st.floats(1e-3, 10),
    seed=st.integers(0, 99),
)
def test_the_solved_layer_is_ridge_regression_on_centred_samples(width, n, ridge, seed):
    """Tian 2025, section 4: V = (F~'F~ + eta I)^-1 F~'Y~, by the normal equations and by least
    squares with a root."""
    model = Quadratic(5, width=width, ridge=ridge)
    w = {name: part.double() for name, part in model.draw(seed).items()}
    rows = torch.randperm(25, generator=torch.Generator().manual_seed(seed))[:n]
    labels = PAIRS[rows].sum(1) % 5
    solved = model.settle(w, PAIRS[rows], labels)
    features, wanted = model.features(w, PAIRS[rows]).numpy(), np.eye(5)[labels]
    f, y = features - features.mean(0), wanted - wanted.mean(0)
    stacked = np.vstack([f, np.sqrt(ridge) * np.eye(width)]), np.vstack([y, np.zeros((width, 5))])
    expected = np.linalg.lstsq(*stacked, rcond=None)[0]
    np.testing.assert_allclose(solved["W_U"].numpy().T, expected, atol=1e-9)
    outputs = model.forward(solved, PAIRS[rows]).numpy()
    np.testing.assert_allclose(outputs - outputs.mean(0), f @ expected, atol=1e-9)
    np.testing.assert_allclose(outputs.mean(0), wanted.mean(0), atol=1e-9)


@pytest.mark.parametrize(
    "change", [{"p": 1}, {"width": 0}, {"activation": "cube"}, {"ridge": -1.0}]
)
def test_what_cannot_be_is_refused_by_name(change):
    with pytest.raises(ParameterError, match=next(iter(change))):
        Quadratic(**{"p": 5} | change)
    with pytest.raises(
        ParameterError, match="start = 'xx' is unknown; choose one of normal, uniform"
    ):
        Quadratic(5).draw(0, "xx")


def test_a_task_of_another_order_is_refused():
    with pytest.raises(ParameterError, match="p = 5"):
        Quadratic(5).check(GroupTask("Z7", answers="labels"))
