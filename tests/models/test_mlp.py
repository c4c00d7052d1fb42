"""The fully connected networks against torch's layers and against the formula."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP


def tokens(shift=0):
    return torch.tensor([[0, 3 + shift, 7 + shift], [6, 6 + shift, 7 + shift]])


def test_the_embedding_network_is_a_stack_of_torch_layers():
    """FACTS of the authors' program: three embedded tokens side by side, two hidden ReLU layers, p logits."""
    model = EmbeddingMLP(7, d_model=4, width=6, shift=2)
    w = model.draw(1)
    layers = [torch.nn.Linear(12, 6), torch.nn.Linear(6, 6), torch.nn.Linear(6, 7)]
    for layer, name in zip(layers, ("1", "2", None), strict=True):
        layer.load_state_dict({"weight": w[f"W.{name}" if name else "W_U"], "bias": w[f"b.{name}" if name else "b_U"]})
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


@pytest.mark.parametrize("make", [lambda: EmbeddingMLP(7, width=0), lambda: QuadraticMLP(0), lambda: EmbeddingMLP(2.5)])
def test_sizes_that_are_no_sizes_are_refused(make):
    with pytest.raises(ParameterError, match="must be an integer of 1 or more"):
        make()
