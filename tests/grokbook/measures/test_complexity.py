"""Local complexity: planes of hidden units near a point (Humayun et al. 2024, section 3)."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from grokbook.measures.complexity import cross_polytopes, local_complexity, network_complexity
from grokbook.models.transformer import Shape, initialise, plain_logits, self_attention
from grokbook.training.watching import preactivations
from refusals import refusals

SMALL = Shape(5, d_model=8)


def affine(normals, offsets):
    return lambda x: x @ np.asarray(normals, dtype=float).T + np.asarray(offsets, dtype=float)


def test_a_full_frame_finds_every_plane_within_r_over_root_d_and_none_beyond_r():
    """max_m |w.v_m| lies in [1/sqrt(D), 1] for a unit vector w and an orthonormal basis v."""
    d, r = 6, 1.0
    normals = np.random.default_rng(0).normal(size=(50, d))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    near, far = (
        affine(normals, np.full(50, 0.99 * r / np.sqrt(d))),
        affine(normals, np.full(50, 1.001 * r)),
    )
    assert local_complexity(near, np.zeros((3, d)), r, d) == 50
    assert local_complexity(far, np.zeros((3, d)), r, d) == 0


@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_scaling_the_units_or_space_changes_nothing(seed, scale):
    rng = np.random.default_rng(seed)
    normals, offsets, points = rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=(3, 4))
    here = local_complexity(affine(normals, offsets), points, 0.7, 2, seed=1)
    assert 0 <= here <= 9
    assert (
        local_complexity(affine(scale * normals, scale * offsets), points, 0.7, 2, seed=1) == here
    )
    assert (
        local_complexity(affine(normals, scale * offsets), scale * points, scale * 0.7, 2, seed=1)
        == here
    )


@given(st.integers(1, 6), st.integers(0, 99))
def test_cross_polytopes_are_centred_and_orthonormal(directions, seed):
    points = np.random.default_rng(seed).normal(size=(3, 6))
    vertices = cross_polytopes(points, 0.5, directions, seed)
    assert np.allclose(vertices.mean(axis=1), points)
    arms = (vertices[:, :directions] - points[:, None]) / 0.5
    assert np.allclose(arms @ arms.transpose(0, 2, 1), np.eye(directions))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("positional", [True, False])
def test_the_units_are_those_of_the_model(layers, positional):
    """The last layer's pre-activations give back the logits of the plain model."""
    shape = Shape(5, d_model=8, n_layers=layers, shift=2, positional=positional)
    w = initialise(shape, 0)
    w = {name: t + 0.1 for name, t in w.items()}
    i, j = torch.tensor([0, 3, 4]), torch.tensor([1, 0, 4])
    tokens = torch.stack([i, j + 2, torch.full_like(i, 7)], dim=1)
    hidden = preactivations(w, shape, w["W_E"][i], w["W_E"][j + 2])
    assert hidden.shape == (3, 32 * layers)
    if layers == 1:
        x = F.embedding(tokens, w["W_E"]) + (w["W_pos"] if positional else 0)
        last = self_attention(w, 0, x, shape)[:, -1] + F.linear(
            F.relu(hidden), w["W_out.0"], w["b_out.0"]
        )
        assert torch.allclose(F.linear(last, w["W_U"]), plain_logits(w, tokens, shape), atol=1e-4)


def test_a_network_whose_units_are_all_on_is_linear_and_counts_zero():
    shape, w = SMALL, initialise(SMALL, 0)
    pairs = np.array([[0, 1], [2, 3], [4, 4]])

    def units(x):
        return preactivations(
            w, shape, *torch.as_tensor(x, dtype=torch.float32).split(shape.d_model, dim=1)
        ).numpy()

    assert network_complexity(units, w["W_E"], pairs) > 0
    w["b_in.0"] = torch.full_like(w["b_in.0"], 100.0)
    assert network_complexity(units, w["W_E"], pairs) == 0


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: cross_polytopes(np.zeros((1, 2)), 0.0, 1), "radius"),
    (lambda: cross_polytopes(np.zeros((1, 2)), 1.0, 3), "directions"),
    (
        lambda: preactivations(initialise(SMALL, 0), SMALL, torch.zeros(2, 8), torch.zeros(3, 8)),
        "both must be",
    ),
)
