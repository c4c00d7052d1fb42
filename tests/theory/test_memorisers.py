"""The accuracy of a memoriser that knows that the operation commutes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.tasks import ModularTask
from grokbook.theory.memorisers import transpose_accuracy


@pytest.mark.parametrize(("fraction", "expected"), [(0.5, 0.49489795918367346), (0.6, 0.5938775510204082)])
def test_against_independent_numbers(fraction, expected):
    """The continuous formula (1 - 1/p) alpha p^2 / (p^2 - 1) at p = 97."""
    n = fraction * 97**2
    assert (1 - 1 / 97) * n / (97**2 - 1) == pytest.approx(expected, rel=1e-12)
    assert transpose_accuracy(97, int(n)) == pytest.approx(expected, rel=3e-4)


@pytest.mark.parametrize(("p", "fraction"), [(5, 0.4), (11, 0.3), (23, 0.7)])
def test_expectation_over_random_splits(p, fraction):
    """The share of test cells whose transpose is trained, over 400 splits, within four standard errors."""
    tasks = [ModularTask(p, train_fraction=fraction, seed=s) for s in range(400)]
    shares = [t.transposed_mask.sum() / t.test_index.size for t in tasks]
    error = np.std(shares) / 20
    assert abs(np.mean(shares) - transpose_accuracy(p, tasks[0].train_index.size)) < 4 * error + 1e-12


@given(st.integers(2, 200), st.floats(0.01, 0.99))
def test_it_is_a_probability_below_the_training_share(p, fraction):
    n = max(1, int(fraction * p * p))
    assert 0 < transpose_accuracy(p, n) <= n / (p * p - 1)


@pytest.mark.parametrize(("p", "n"), [(1, 1), (5, 0), (5, 25)])
def test_refusals(p, n):
    with pytest.raises(ParameterError, match="must lie strictly between 0 and"):
        transpose_accuracy(p, n)
