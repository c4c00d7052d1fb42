"""How the embedding starts: the paper's Toeplitz table and its controls."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import toeplitz

from grokbook.models.start import embedding_start


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
