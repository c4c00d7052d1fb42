"""Linear maps and starts (Gu et al. 2025, Lemmas 3.4 and B.1, Appendix B.3, Eq. 19; Gu 2024, Eq.
13)."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from grokbook.theory import toeplitz_start as ts
from grokbook.theory.linear_operators import (
    chain_in_bases,
    in_bases,
    norms,
    splitting_error,
)
from refusals import refusals


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_the_chain_with_the_rank(m, n, seed):
    rng = np.random.default_rng(seed)
    rank = rng.integers(1, min(m, n) + 1)
    found = norms(rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)))
    assert found.rank == rank
    assert 1 - 1e-12 <= found.frobenius / found.operator <= np.sqrt(rank) + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_orthonormal_bases_keep_both_norms(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(3, 4))
    v, w = ortho_group.rvs(4, random_state=seed), ortho_group.rvs(3, random_state=seed)
    assert norms(in_bases(a, v, w)).operator == pytest.approx(norms(a).operator)
    assert np.linalg.norm(in_bases(a, v, w)) == pytest.approx(np.linalg.norm(a))
    assert chain_in_bases(a, v, w)


@pytest.mark.parametrize("scale", [0.1, 10.0])
def test_a_scaled_basis_breaks_either_end(scale):
    """M = l / scale: with 0.1 the right inequality fails, with 10 the left one."""
    assert in_bases([[1.0]], [[1.0]], [[scale]]) == pytest.approx(1 / scale)
    assert not chain_in_bases([[1.0]], [[1.0]], [[scale]])


@given(st.integers(0, 500))
def test_the_split_is_exact_under_a_frozen_pattern_only(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 8, 4))
    w_in, w_out = rng.normal(size=(4, 16)), rng.normal(size=(16, 4))
    assert splitting_error(a, b, w_in, w_out, rng.integers(0, 2, 16)) < 1e-12
    assert splitting_error(a, b, w_in, w_out) > 0.01


@lru_cache
def draws(kind, p, d, n=20_000):
    """The squared steps of n tables; drawn once for all that is said of them."""
    rng = np.random.default_rng(0)
    return np.array([ts.squared_steps(ts.draw_start(kind, p, d, rng)) for _ in range(n)])


STARTS = [("independent", 8, 5), ("toeplitz", 8, 4), ("toeplitz", 5, 9), ("circulant", 6, 6)]


@pytest.mark.parametrize(("kind", "p", "d"), STARTS)
def test_mean_covariances_and_spreads_of_the_squared_steps(kind, p, d):
    means = draws(kind, p, d)[:4000].mean(axis=1)
    assert abs(means.mean() - 2 * d) < 4 * means.std() / np.sqrt(len(means))
    steps = draws(kind, p, d)[:, :-1]
    expected = [ts.step_covariance(kind, d, h) for h in range(p - 1)]
    assert np.abs(np.cov(steps.T)[0] - expected).max() < 0.06 * expected[0]
    steps = steps / (2 * d)
    assert steps.var(axis=1).mean() == pytest.approx(
        ts.spread_within(kind, p, d), rel=0.05, abs=1e-12
    )
    assert steps.mean(axis=1).var() == pytest.approx(ts.spread_between(kind, p, d), rel=0.05)


def test_circulant_tables_have_equal_steps():
    assert ts.spread_within("circulant", 97, 97) == pytest.approx(0, abs=1e-12)
    steps = ts.squared_steps(ts.draw_start("circulant", 11, 11, np.random.default_rng(1)))
    assert steps == pytest.approx(np.full(11, steps[0]))


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: in_bases(np.eye(2), np.eye(3), np.eye(2)), "do not fit"),
    (lambda: in_bases(np.eye(2), np.ones((2, 2)), np.eye(2)), "singular"),
    (lambda: norms([[np.nan]]), "not finite"),
    (lambda: ts.draw_start("random", 3, 3, np.random.default_rng(0)), "is unknown"),
    (lambda: ts.draw_start("circulant", 3, 4, np.random.default_rng(0)), "the nearest has d = 3"),
)
